// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Result files: whole or not at all. Calls that rarely fail are made to by
 * functions of this program that stand in the place of the C library's.
 */
#undef _FORTIFY_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "content.h"
#include "base/tw_file.h"
#include "unit.h"

/* Errors that these calls are to fail with; 0: they work. */
static int tmpfile_error, fsync_error;

int openat(int dir, const char *path, int flags, ...)
{
	mode_t mode = 0;
	va_list args;

	va_start(args, flags);
	if (flags & (O_CREAT | O_TMPFILE))
		mode = va_arg(args, mode_t);
	va_end(args);
	if (tmpfile_error && (flags & O_TMPFILE) == O_TMPFILE) {
		errno = tmpfile_error;
		return -1;
	}
	return (int)syscall(SYS_openat, dir, path, flags, mode);
}

int fsync(int fd)
{
	errno = fsync_error;
	return fsync_error ? -1 : (int)syscall(SYS_fsync, fd);
}

/* How many of the next random numbers are the same; then they are random. */
static int same_numbers;

ssize_t getrandom(void *buf, size_t size, unsigned int flags)
{
	if (same_numbers <= 0)
		return syscall(SYS_getrandom, buf, size, flags);
	same_numbers--;
	memset(buf, 0x5a, size);
	return (ssize_t)size;
}

/* Every test runs in a directory of its own. */
static char home[] = "/tmp/test_file.XXXXXX";

static int enter(void **state)
{
	(void)state;
	strcpy(home + sizeof(home) - 7, "XXXXXX");
	return !mkdtemp(home) || chdir(home);
}

static int each_entry(int (*act)(const char *name))
{
	DIR *dir = opendir(".");
	struct dirent *entry;
	int count = 0;

	if (!dir)
		return -1;
	while ((entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			count += act(entry->d_name);
	closedir(dir);
	return count;
}

static int leave(void **state)
{
	(void)state;
	tmpfile_error = 0;
	fsync_error = 0;
	same_numbers = 0;
	return each_entry(remove) || chdir("/") || rmdir(home);
}

static int one(const char *name)
{
	return !!name;
}

static int entries(void)
{
	return each_entry(one);
}

/* Opens @path and writes @text; the caller commits. */
static void begin(struct tw_file *file, const char *path, const char *text)
{
	assert_int_equal(tw_file_open(file, path), 0);
	assert_non_null(file->flow.stream);
	assert_true(fputs(text, file->flow.stream) >= 0);
}

static void check_commit(const char *path)
{
	const mode_t mask = umask(027);
	struct tw_file file;
	struct stat now;

	begin(&file, path, "one\n");
	fflush(file.flow.stream);
	/* Only a file system that wants one gives it a name before. */
	assert_int_equal(entries(), file.nameless ? 0 : 1);
	assert_false(file.nameless && tmpfile_error);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(tw_file_commit(&file, -1), 0);
	assert_null(file.flow.stream);
	assert_content(path, "one\n");
	assert_int_equal(entries(), 1);
	assert_int_equal(stat(path, &now), 0);
	assert_int_equal(now.st_mode, S_IFREG | 0640);
	umask(mask);

	begin(&file, path, "two\n");
	assert_content(path, "one\n");
	assert_int_equal(tw_file_commit(&file, -1), 0);
	assert_content(path, "two\n");
	assert_int_equal(entries(), 1);
	unlink(path);
}

static void test_commit(void **state)
{
	char absolute[100];

	(void)state;
	snprintf(absolute, sizeof(absolute), "%s/result", home);
	check_commit("result");
	check_commit(absolute);
}

static void test_commit_named(void **state)
{
	(void)state;
	tmpfile_error = EOPNOTSUPP;
	check_commit("./result");
}

static mode_t mode_of(const char *path)
{
	struct stat now;

	assert_int_equal(stat(path, &now), 0);
	return now.st_mode & 07777;
}

static int locked(struct tw_file *file, const char *path)
{
	assert_int_equal(tw_file_open(file, path), 0);
	return tw_file_lock(file);
}

/* By whichever path, until the file is closed; and nothing is left of it. */
static void test_lock(void **state)
{
	struct tw_file one, other;
	char absolute[100];

	(void)state;
	snprintf(absolute, sizeof(absolute), "%s/result", home);
	assert_int_equal(locked(&one, "result"), 0);
	assert_int_equal(locked(&other, absolute), -EBUSY);
	tw_file_abort(&other);
	assert_int_equal(locked(&other, "result2"), 0);
	tw_file_abort(&other);
	assert_int_equal(tw_file_commit(&one, -1), 0);
	assert_int_equal(locked(&one, "./result"), 0);
	assert_int_equal(locked(&other, "result"), -EBUSY);
	tw_file_abort(&other);
	tw_file_abort(&one);
	assert_int_equal(locked(&other, "result"), 0);
	tw_file_abort(&other);
	assert_int_equal(entries(), 1);
	unlink("result");
	/* What is not replaced may have many writers. */
	assert_int_equal(locked(&one, "/dev/null"), 0);
	assert_int_equal(locked(&other, "/dev/null"), 0);
	tw_file_abort(&one);
	tw_file_abort(&other);
}

/* A run that is killed has it no longer. */
static void test_lock_of_killed(void **state)
{
	struct tw_file file;
	int told[2], err = -1;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(told), 0);
	pid = fork();
	if (!pid) {
		err = locked(&file, "result");
		(void)!write(told[1], &err, sizeof(err));
		pause();
	}
	assert_int_equal(read(told[0], &err, sizeof(err)), sizeof(err));
	assert_int_equal(err, 0);
	assert_int_equal(locked(&file, "result"), -EBUSY);
	tw_file_abort(&file);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(locked(&file, "result"), 0);
	tw_file_abort(&file);
	close(told[0]);
	close(told[1]);
	assert_int_equal(entries(), 0);
}

/* Whoever can guess the name of the lock must not keep others from a file. */
static void test_lock_of_another_user(void **state)
{
	struct tw_file file;
	int told[2], err = -1;
	pid_t pid;

	(void)state;
	if (geteuid())
		skip();
	assert_int_equal(pipe(told), 0);
	pid = fork();
	if (!pid) {
		tw_file_open(&file, "result");
		err = seteuid(65534) ? -errno : tw_file_lock(&file);
		(void)!write(told[1], &err, sizeof(err));
		pause();
	}
	assert_int_equal(read(told[0], &err, sizeof(err)), sizeof(err));
	assert_int_equal(err, 0);
	assert_int_equal(locked(&file, "result"), 0);
	tw_file_abort(&file);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	close(told[0]);
	close(told[1]);
}

/* What is not needed of the space is given back. */
static void test_reserve(void **state)
{
	struct tw_file file;
	struct stat now;
	blkcnt_t reserved;

	(void)state;
	begin(&file, "result", "one\n");
	tw_file_reserve(&file);
	assert_int_equal(fstat(file.flow.fd, &now), 0);
	assert_int_equal(now.st_size, 0);
	reserved = now.st_blocks;
	if (file.reserved)
		assert_true(reserved >= 256 * 1024 / 512);
	assert_int_equal(tw_file_commit(&file, -1), 0);
	assert_content("result", "one\n");
	assert_int_equal(stat("result", &now), 0);
	if (file.reserved)
		assert_true(now.st_blocks < reserved);
	unlink("result");

	begin(&file, "/dev/null", "one\n");
	tw_file_reserve(&file);
	assert_false(file.reserved);
	assert_int_equal(tw_file_commit(&file, -1), 0);
}

/* Of what was there; the umask is for what is new. */
static void check_mode_kept(mode_t mode)
{
	const mode_t mask = umask(027);
	struct tw_file file;

	put("result", "old\n");
	assert_int_equal(chmod("result", mode), 0);
	begin(&file, "result", "new\n");
	assert_int_equal(tw_file_commit(&file, -1), 0);
	assert_content("result", "new\n");
	assert_int_equal(mode_of("result"), mode & 0777);
	unlink("result");
	umask(mask);
}

static void test_mode_kept(void **state)
{
	static const mode_t modes[] = { 0600, 0666, 0755, 04755 };
	int i;

	(void)state;
	for (i = 0; i < 4; i++) {
		tmpfile_error = 0;
		check_mode_kept(modes[i]);
		tmpfile_error = EOPNOTSUPP;
		check_mode_kept(modes[i]);
	}
}

static void skip_unless_root(void)
{
	if (!geteuid())
		return;
	print_message("skipped: needs root\n");
	skip();
}

static void test_owner_kept(void **state)
{
	struct tw_file file;
	struct stat now;

	(void)state;
	skip_unless_root();
	put("result", "old\n");
	assert_int_equal(chmod("result", 0640), 0);
	assert_int_equal(chown("result", 65534, 65533), 0);
	begin(&file, "result", "new\n");
	assert_int_equal(tw_file_commit(&file, -1), 0);
	assert_int_equal(stat("result", &now), 0);
	assert_int_equal(now.st_uid, 65534);
	assert_int_equal(now.st_gid, 65533);
	assert_int_equal(now.st_mode & 07777, 0640);
}

/* The name that the file has meanwhile is somebody else's: another one. */
static void check_taken_name(int tmpfile, const char *taken)
{
	struct tw_file file;

	tmpfile_error = tmpfile;
	put("result", "old\n");
	put(taken, "not ours\n");
	same_numbers = 2;
	begin(&file, "result", "new\n");
	assert_int_equal(tw_file_commit(&file, -1), 0);
	assert_int_equal(same_numbers, 0);
	assert_content("result", "new\n");
	assert_content(taken, "not ours\n");
	assert_int_equal(entries(), 2);
}

static void test_taken_name(void **state)
{
	struct tw_file file;
	char taken[NAME_MAX + 1];

	(void)state;
	tmpfile_error = EOPNOTSUPP;
	same_numbers = 1;
	begin(&file, "result", "");
	snprintf(taken, sizeof(taken), "%s", file.temp);
	assert_int_equal(access(taken, F_OK), 0);
	tw_file_abort(&file);
	assert_int_equal(entries(), 0);
	check_taken_name(EOPNOTSUPP, taken);
	check_taken_name(0, taken);
}

/* Whoever exchanges a directory later does not say where the file goes. */
static void check_exchanged_directory(void)
{
	struct tw_file file;

	assert_int_equal(mkdir("dir", 0755), 0);
	assert_int_equal(mkdir("other", 0755), 0);
	put("dir/old", "old\n");
	put("other/old", "precious\n");
	begin(&file, "dir/old", "new\n");
	assert_int_equal(rename("dir", "moved"), 0);
	assert_int_equal(symlink("other", "dir"), 0);
	assert_int_equal(tw_file_commit(&file, -1), 0);
	assert_content("moved/old", "new\n");
	assert_content("other/old", "precious\n");
	unlink("moved/old");
	unlink("other/old");
	unlink("dir");
	assert_int_equal(rmdir("moved"), 0);
	assert_int_equal(rmdir("other"), 0);
}

static void test_exchanged_directory(void **state)
{
	(void)state;
	check_exchanged_directory();
	tmpfile_error = EOPNOTSUPP;
	check_exchanged_directory();
}

/* What tw_file_open() makes of @path, which no commit follows. */
static int opened(const char *path)
{
	struct tw_file file;
	int err = tw_file_open(&file, path);

	if (!err)
		tw_file_abort(&file);
	return err;
}

/*
 * Links and files of others in a directory that all may write to: root would
 * do their work. The kernel may refuse the one before we do, the other never.
 */
static void test_directory_of_all(void **state)
{
	(void)state;
	skip_unless_root();
	put("target", "old\n");
	assert_int_equal(mkdir("all", 0755), 0);
	assert_int_equal(chmod("all", 01777), 0);
	put("all/file", "");
	assert_int_equal(symlink("../target", "all/link"), 0);
	assert_int_equal(symlink("../nothing", "all/to-nothing"), 0);
	assert_int_equal(symlink("all/link", "to-link"), 0);
	assert_int_equal(opened("all/file"), 0);
	assert_int_equal(opened("all/link"), 0);
	assert_int_equal(opened("all/to-nothing"), 0);
	assert_int_equal(opened("to-link"), 0);
	assert_int_equal(lchown("all/file", 65534, 65534), 0);
	assert_int_equal(lchown("all/link", 65534, 65534), 0);
	assert_int_equal(lchown("all/to-nothing", 65534, 65534), 0);
	assert_int_equal(opened("all/file"), -EACCES);
	assert_int_equal(opened("all/link"), -EACCES);
	assert_int_equal(opened("all/to-nothing"), -EACCES);
	assert_int_equal(opened("to-link"), -EACCES);
	assert_int_equal(opened("all/new"), 0);
	/* Its owner may do in it as he likes. */
	assert_int_equal(chown("all", 65534, 65534), 0);
	assert_int_equal(opened("all/file"), 0);
	assert_int_equal(opened("all/link"), 0);
	unlink("all/file");
	unlink("all/link");
	unlink("all/to-nothing");
}

static void test_links_in_a_circle(void **state)
{
	(void)state;
	assert_int_equal(symlink("b", "a"), 0);
	assert_int_equal(symlink("a", "b"), 0);
	assert_int_equal(opened("a"), -ELOOP);
	/* A link's directory counts from its own place. */
	assert_int_equal(mkdir("dir", 0755), 0);
	assert_int_equal(symlink("dir/c", "d"), 0);
	assert_int_equal(symlink("../target", "dir/c"), 0);
	assert_int_equal(opened("d"), 0);
	assert_int_equal(unlink("dir/c"), 0);
	assert_int_equal(symlink("missing/target", "dir/c"), 0);
	assert_int_equal(opened("d"), -ENOENT);
	assert_int_equal(unlink("dir/c"), 0);
}

/* Whether both paths lead to one file, which need not be there yet. */
static bool same(const char *one, const char *other)
{
	struct tw_file files[2];
	bool result;

	assert_int_equal(tw_file_open(&files[0], one), 0);
	assert_int_equal(tw_file_open(&files[1], other), 0);
	result = tw_file_same(&files[0], &files[1]);
	assert_int_equal(tw_file_same(&files[1], &files[0]), result);
	tw_file_abort(&files[0]);
	tw_file_abort(&files[1]);
	return result;
}

static void test_same(void **state)
{
	char absolute[100];

	(void)state;
	snprintf(absolute, sizeof(absolute), "%s/new", home);
	assert_int_equal(mkdir("dir", 0755), 0);
	assert_int_equal(symlink("../new", "dir/link"), 0);
	assert_int_equal(symlink("dir", "to-dir"), 0);
	assert_true(same("new", "new"));
	assert_true(same("new", "./new"));
	assert_true(same("new", "dir/..//new"));
	assert_true(same("new", absolute));
	assert_true(same("new", "dir/link"));
	assert_true(same("to-dir/new", "dir/new"));
	assert_false(same("new", "dir/new"));
	assert_false(same("new", "new2"));
	assert_false(same("/dev/null", "/dev/null"));
	/* Each gets a name of its own. */
	put("old", "");
	assert_int_equal(link("old", "old2"), 0);
	assert_true(same("old", "./old"));
	assert_false(same("old", "old2"));
	unlink("dir/link");
}

/* What stdout goes to is written on; any other file is replaced. */
static void test_standard_stream(void **state)
{
	int saved[2] = { dup(1), dup(2) };
	struct tw_file file;
	bool direct[3];
	int fd, i, err[3];

	(void)state;
	put("old", "old\n");
	put("log", "begin\n");
	for (i = 1; i <= 2; i++) {
		fd = open("log", O_WRONLY | O_APPEND);
		fflush(NULL);
		dup2(fd, i);
		close(fd);
		err[0] = tw_file_open(&file, "log");
		direct[0] = file.direct;
		tw_file_abort(&file);
		err[1] = tw_file_open(&file, "old");
		direct[1] = file.direct;
		tw_file_abort(&file);
		err[2] = tw_file_open(&file, "new");
		direct[2] = file.direct;
		tw_file_abort(&file);
		/* Only now is there somebody to tell. */
		dup2(saved[i - 1], i);
		close(saved[i - 1]);
		assert_int_equal(err[0] | err[1] | err[2], 0);
		assert_true(direct[0]);
		assert_false(direct[1]);
		assert_false(direct[2]);
	}
}

static void assert_link_kept(void)
{
	struct stat link;

	assert_int_equal(lstat("link", &link), 0);
	assert_true(S_ISLNK(link.st_mode));
	unlink("link");
}

static void test_symlink(void **state)
{
	struct tw_file file;

	(void)state;
	put("target", "old\n");
	assert_int_equal(symlink("target", "link"), 0);
	begin(&file, "link", "new\n");
	assert_int_equal(tw_file_commit(&file, -1), 0);
	assert_content("target", "new\n");
	assert_int_equal(entries(), 2);
	assert_link_kept();
}

/* Followed or refused, but not replaced. */
static void test_symlink_to_nothing(void **state)
{
	struct tw_file file;

	(void)state;
	assert_int_equal(symlink("target", "link"), 0);
	if (!tw_file_open(&file, "link")) {
		assert_int_equal(tw_file_commit(&file, -1), 0);
		assert_content("target", "");
	}
	assert_link_kept();
}

static void check_abort(void)
{
	struct tw_file file;

	put("old", "old\n");
	begin(&file, "old", "new\n");
	tw_file_abort(&file);
	assert_null(file.flow.stream);
	tw_file_abort(&file);
	assert_content("old", "old\n");
	begin(&file, "new", "new\n");
	tw_file_abort(&file);
	assert_int_equal(entries(), 1);
	unlink("old");
}

static void test_abort(void **state)
{
	struct tw_file never = { .flow.stream = NULL };

	(void)state;
	tw_file_abort(&never);
	check_abort();
	tmpfile_error = EOPNOTSUPP;
	check_abort();
}

static void test_refused_paths(void **state)
{
	static char longest[PATH_MAX + 10];
	static char long_name[NAME_MAX + 20];
	struct tw_file file;

	(void)state;
	memset(longest, 'a', sizeof(longest) - 1);
	memset(long_name, 'a', sizeof(long_name) - 1);
	put("plain", "");
	assert_int_equal(tw_file_open(&file, "missing/result"), -ENOENT);
	assert_int_equal(tw_file_open(&file, "."), -EISDIR);
	assert_int_equal(tw_file_open(&file, home), -EISDIR);
	assert_int_equal(tw_file_open(&file, "plain/result"), -ENOTDIR);
	assert_int_equal(tw_file_open(&file, longest), -ENAMETOOLONG);
	assert_int_equal(tw_file_open(&file, long_name), -ENAMETOOLONG);
	assert_int_equal(entries(), 1);
	unlink("plain");
}

/* Known before the run, not after it: nothing can have this name. */
static void test_trailing_slash(void **state)
{
	struct tw_file file;

	(void)state;
	assert_true(tw_file_open(&file, "result/") < 0);
	assert_null(file.flow.stream);
}

/* What a process without root's rights gets; its exit code is -result. */
static void test_forbidden_directory(void **state)
{
	struct tw_file file;
	int status;
	pid_t pid;

	(void)state;
	assert_int_equal(chmod(".", 0555), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		if (!geteuid() && (setgid(65534) || setuid(65534)))
			_exit(99);
		_exit(-tw_file_open(&file, "result"));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, EACCES << 8);
	assert_int_equal(entries(), 0);
}

static void test_full_device(void **state)
{
	static const int lines[] = { 1, 100000 };
	struct tw_file file;
	int i, line;

	(void)state;
	for (i = 0; i < 2; i++) {
		assert_int_equal(tw_file_open(&file, "/dev/full"), 0);
		/* Never to be replaced, which root could. */
		if (!file.direct)
			tw_file_abort(&file);
		assert_true(file.direct);
		for (line = 0; line < lines[i]; line++)
			fputs("twenty bytes a line\n", file.flow.stream);
		assert_int_equal(tw_file_commit(&file, -1), -ENOSPC);
		assert_null(file.flow.stream);
	}
}

/* A limit on sizes does to a regular file what a full disk does. */
static void check_full_disk(void)
{
	const struct rlimit small = { .rlim_cur = 4096,
				      .rlim_max = RLIM_INFINITY };
	struct rlimit old;
	struct tw_file file;
	int i, err;

	put("old", "old\n");
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	signal(SIGXFSZ, SIG_IGN);
	begin(&file, "old", "");
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	for (i = 0; i < 10000; i++)
		fputs("more than there is room for ", file.flow.stream);
	err = tw_file_commit(&file, -1);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(err, -EFBIG);
	assert_null(file.flow.stream);
	assert_content("old", "old\n");
	assert_int_equal(entries(), 1);
	unlink("old");
}

static void test_full_disk(void **state)
{
	struct rlimit now;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &now), 0);
	if (now.rlim_max != RLIM_INFINITY) {
		print_message("skipped: file sizes are limited already\n");
		skip();
	}
	check_full_disk();
	tmpfile_error = EOPNOTSUPP;
	check_full_disk();
}

/* Found out as late as this by network file systems. */
static void test_late_error(void **state)
{
	struct tw_file file;

	(void)state;
	put("old", "old\n");
	begin(&file, "old", "new\n");
	fsync_error = EDQUOT;
	assert_int_equal(tw_file_commit(&file, -1), -EDQUOT);
	assert_content("old", "old\n");
	assert_int_equal(entries(), 1);
	unlink("old");
}

/* A pipe is written to as it is, and stays one. */
static void test_pipe(void **state)
{
	char got[20] = "";
	struct tw_file file;
	struct stat now;
	int reader;

	(void)state;
	assert_int_equal(mkfifo("pipe", 0600), 0);
	reader = open("pipe", O_RDWR | O_NONBLOCK);
	assert_true(reader >= 0);
	begin(&file, "pipe", "through\n");
	assert_int_equal(entries(), 1);
	assert_int_equal(tw_file_commit(&file, -1), 0);
	assert_int_equal(read(reader, got, sizeof(got)), 8);
	assert_string_equal(got, "through\n");
	close(reader);
	assert_int_equal(lstat("pipe", &now), 0);
	assert_true(S_ISFIFO(now.st_mode));
	unlink("pipe");
}

#define IN_HOME(test)	cmocka_unit_test_setup_teardown(test, enter, leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_HOME(test_commit),
		IN_HOME(test_commit_named),
		IN_HOME(test_lock),
		IN_HOME(test_lock_of_killed),
		IN_HOME(test_lock_of_another_user),
		IN_HOME(test_reserve),
		IN_HOME(test_mode_kept),
		IN_HOME(test_owner_kept),
		IN_HOME(test_taken_name),
		IN_HOME(test_exchanged_directory),
		IN_HOME(test_directory_of_all),
		IN_HOME(test_links_in_a_circle),
		IN_HOME(test_same),
		IN_HOME(test_standard_stream),
		IN_HOME(test_symlink),
		IN_HOME(test_symlink_to_nothing),
		IN_HOME(test_abort),
		IN_HOME(test_refused_paths),
		IN_HOME(test_trailing_slash),
		IN_HOME(test_forbidden_directory),
		IN_HOME(test_full_device),
		IN_HOME(test_full_disk),
		IN_HOME(test_late_error),
		IN_HOME(test_pipe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
