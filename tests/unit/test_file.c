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

#include "tw_file.h"
#include "unit.h"

/* Errors that these calls are to fail with; 0: they work. */
static int tmpfile_error, fsync_error;

int open(const char *path, int flags, ...)
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
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int fsync(int fd)
{
	errno = fsync_error;
	return fsync_error ? -1 : (int)syscall(SYS_fsync, fd);
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
	return each_entry(unlink) || chdir("/") || rmdir(home);
}

static int one(const char *name)
{
	return !!name;
}

static int entries(void)
{
	return each_entry(one);
}

static void assert_content(const char *path, const char *want)
{
	FILE *file = fopen(path, "r");
	char got[100];
	size_t len;

	assert_non_null(file);
	len = fread(got, 1, sizeof(got) - 1, file);
	fclose(file);
	got[len] = '\0';
	assert_string_equal(got, want);
}

static void put(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

/* Opens @path and writes @text; the caller commits. */
static void begin(struct tw_file *file, const char *path, const char *text)
{
	assert_int_equal(tw_file_open(file, path), 0);
	assert_non_null(file->stream);
	assert_true(fputs(text, file->stream) >= 0);
}

static void check_commit(const char *path)
{
	const mode_t mask = umask(027);
	struct tw_file file;
	struct stat now;

	begin(&file, path, "one\n");
	fflush(file.stream);
	/* Only a file system that wants one gives it a name before. */
	assert_int_equal(entries(), file.nameless ? 0 : 1);
	assert_false(file.nameless && tmpfile_error);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(tw_file_commit(&file), 0);
	assert_null(file.stream);
	assert_content(path, "one\n");
	assert_int_equal(entries(), 1);
	assert_int_equal(stat(path, &now), 0);
	assert_int_equal(now.st_mode, S_IFREG | 0640);
	umask(mask);

	begin(&file, path, "two\n");
	assert_content(path, "one\n");
	assert_int_equal(tw_file_commit(&file), 0);
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
	assert_int_equal(tw_file_commit(&file), 0);
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
		assert_int_equal(tw_file_commit(&file), 0);
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
	assert_null(file.stream);
	tw_file_abort(&file);
	assert_content("old", "old\n");
	begin(&file, "new", "new\n");
	tw_file_abort(&file);
	assert_int_equal(entries(), 1);
	unlink("old");
}

static void test_abort(void **state)
{
	struct tw_file never = { .stream = NULL };

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
	assert_null(file.stream);
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
			fputs("twenty bytes a line\n", file.stream);
		assert_int_equal(tw_file_commit(&file), -ENOSPC);
		assert_null(file.stream);
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
		fputs("more than there is room for ", file.stream);
	err = tw_file_commit(&file);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(err, -EFBIG);
	assert_null(file.stream);
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
	assert_int_equal(tw_file_commit(&file), -EDQUOT);
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
	assert_int_equal(tw_file_commit(&file), 0);
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
