// SPDX-License-Identifier: GPL-2.0-or-later
/* Result files that a killed run is to leave behind: FILE.partial. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "content.h"
#include "base/tw_file.h"
#include "unit.h"

/* Every test runs in a directory of its own, and leaves nothing there. */
static char home[] = "/tmp/test_file_partial.XXXXXX";

static int enter(void **state)
{
	(void)state;
	strcpy(home + sizeof(home) - 7, "XXXXXX");
	return !mkdtemp(home) || chdir(home);
}

static int leave(void **state)
{
	(void)state;
	return chdir("/") || rmdir(home);
}

static void begin(struct tw_file *file, const char *path)
{
	assert_int_equal(tw_file_open(file, path), 0);
	assert_int_equal(tw_file_show(file), 0);
}

static void test_commit(void **state)
{
	struct tw_file file;

	(void)state;
	put("dump", "old\n");
	begin(&file, "dump");
	assert_content("dump.partial", "");
	fputs("one\ntw", file.flow.stream);
	assert_int_equal(tw_flow_push(&file.flow, 0), 0);
	/* Half a line is none. */
	assert_content("dump.partial", "one\n");
	fputs("o\nend", file.flow.stream);
	assert_int_equal(tw_flow_push(&file.flow, 0), 0);
	assert_content("dump.partial", "one\ntwo\n");
	assert_content("dump", "old\n");
	assert_int_equal(tw_file_commit(&file, -1), 0);
	assert_content("dump", "one\ntwo\nend");
	assert_int_equal(access("dump.partial", F_OK), -1);
	unlink("dump");
}

/* However much is printed between two pushes. */
static void test_whole_lines(void **state)
{
	struct tw_file file;
	struct stat now;
	int i;

	(void)state;
	begin(&file, "dump");
	for (i = 0; i < 10000; i++) {
		fputs("123456\n", file.flow.stream);
		assert_int_equal(stat("dump.partial", &now), 0);
		assert_int_equal(now.st_size % 7, 0);
	}
	assert_true(now.st_size > 0);
	assert_int_equal(tw_file_commit(&file, -1), 0);
	assert_int_equal(stat("dump", &now), 0);
	assert_int_equal(now.st_size, 70000);
	unlink("dump");
}

static void test_abort(void **state)
{
	struct tw_file file;

	(void)state;
	begin(&file, "dump");
	tw_file_abort(&file);
	assert_int_equal(access("dump.partial", F_OK), -1);
	assert_int_equal(access("dump", F_OK), -1);
}

/* What a killed run leaves, and the next one replaces. */
static void test_killed(void **state)
{
	struct tw_file file;
	pid_t pid = fork();

	(void)state;
	if (!pid) {
		begin(&file, "dump");
		fputs("one\ntwo", file.flow.stream);
		tw_flow_push(&file.flow, 0);
		raise(SIGKILL);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_content("dump.partial", "one\n");
	assert_int_equal(access("dump", F_OK), -1);
	begin(&file, "dump");
	assert_content("dump.partial", "");
	assert_int_equal(tw_file_commit(&file, -1), 0);
	assert_int_equal(access("dump.partial", F_OK), -1);
	unlink("dump");
}

/* Room for @bytes only, as on a full disk. */
static void set_room(rlim_t bytes)
{
	struct rlimit limit;

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = bytes;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* Its whole lines are left, and what was there before. */
static void test_full(void **state)
{
	struct tw_file file;

	(void)state;
	put("dump", "old\n");
	begin(&file, "dump");
	fputs("one\n", file.flow.stream);
	assert_int_equal(tw_flow_push(&file.flow, 0), 0);
	set_room(10);
	fputs("two\nthree\n", file.flow.stream);
	assert_int_equal(tw_flow_push(&file.flow, 0), -EFBIG);
	assert_content("dump.partial", "one\ntwo\n");
	assert_string_equal(tw_file_kept(&file), "dump.partial");
	fputs("four\n", file.flow.stream);
	assert_int_equal(tw_file_commit(&file, -1), -EFBIG);
	set_room(RLIM_INFINITY);
	assert_string_equal(tw_file_kept(&file), "dump.partial");
	assert_content("dump.partial", "one\ntwo\n");
	assert_content("dump", "old\n");
	begin(&file, "dump");
	assert_int_equal(tw_file_commit(&file, -1), 0);
	assert_null(tw_file_kept(&file));
	assert_int_equal(access("dump.partial", F_OK), -1);
	unlink("dump");
}

/* Full only when the last line, which has no newline, is written. */
static void test_full_at_end(void **state)
{
	struct tw_file file;

	(void)state;
	begin(&file, "dump");
	fputs("one\ntwo\nend", file.flow.stream);
	assert_int_equal(tw_flow_push(&file.flow, 0), 0);
	set_room(10);
	assert_int_equal(tw_file_commit(&file, -1), -EFBIG);
	set_room(RLIM_INFINITY);
	assert_content("dump.partial", "one\ntwo\n");
	unlink("dump.partial");
}

/* What has no whole line is of no use. */
static void test_full_at_once(void **state)
{
	struct tw_file file;

	(void)state;
	begin(&file, "dump");
	set_room(2);
	fputs("one\n", file.flow.stream);
	assert_int_equal(tw_file_commit(&file, -1), -EFBIG);
	set_room(RLIM_INFINITY);
	assert_null(tw_file_kept(&file));
	assert_int_equal(access("dump.partial", F_OK), -1);
}

/* A result of the end is whole or not at all. */
static void test_full_not_shown(void **state)
{
	struct tw_file file;

	(void)state;
	assert_int_equal(tw_file_open(&file, "json"), 0);
	set_room(6);
	fputs("one\ntwo\n", file.flow.stream);
	assert_int_equal(tw_file_commit(&file, -1), -EFBIG);
	set_room(RLIM_INFINITY);
	assert_null(tw_file_kept(&file));
}

/* A run that lives keeps it, and the other is refused. */
static void test_two(void **state)
{
	struct tw_file one, other;

	(void)state;
	begin(&one, "dump");
	assert_int_equal(tw_file_open(&other, "dump"), 0);
	assert_int_equal(tw_file_show(&other), -EBUSY);
	tw_file_abort(&other);
	fputs("one\n", one.flow.stream);
	tw_flow_push(&one.flow, 0);
	assert_content("dump.partial", "one\n");
	assert_int_equal(tw_file_commit(&one, -1), 0);
	assert_content("dump", "one\n");
	assert_int_equal(access("dump.partial", F_OK), -1);
	unlink("dump");
}

#define RIVALS	6

/* Tells what tw_file_show() returns, and keeps the file until @end closes. */
static void compete(const int *begin, const int *told, const int *end)
{
	struct tw_file file;
	char byte;
	int err = tw_file_open(&file, "dump");

	close(begin[1]);
	close(end[1]);
	(void)!read(begin[0], &byte, 1);
	if (!err)
		err = tw_file_show(&file);
	(void)!write(told[1], &err, sizeof(err));
	(void)!read(end[0], &byte, 1);
	tw_file_abort(&file);
	_exit(0);
}

/* All at once: one has it. */
static void check_rivals(void)
{
	int begin[2], told[2], end[2];
	int i, err, first = 0;

	assert_false(pipe(begin) || pipe(told) || pipe(end));
	for (i = 0; i < RIVALS; i++)
		if (!fork())
			compete(begin, told, end);
	close(begin[0]);
	close(begin[1]);
	for (i = 0; i < RIVALS; i++) {
		assert_int_equal(read(told[0], &err, sizeof(err)), sizeof(err));
		if (err)
			assert_int_equal(err, -EBUSY);
		else
			first++;
	}
	assert_int_equal(first, 1);
	assert_int_equal(access("dump.partial", F_OK), 0);
	close(told[0]);
	close(told[1]);
	close(end[0]);
	close(end[1]);
	for (i = 0; i < RIVALS; i++)
		assert_true(wait(NULL) > 0);
	assert_int_equal(access("dump.partial", F_OK), -1);
}

static void test_rivals(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < 20; i++) {
		/* Also to replace what a killed run left. */
		if (i % 2)
			put("dump.partial", "old\n");
		check_rivals();
	}
}

/* What somebody has put there meanwhile is not taken for the result. */
static void test_exchanged(void **state)
{
	struct tw_file file;

	(void)state;
	begin(&file, "dump");
	put("theirs", "theirs\n");
	assert_int_equal(rename("theirs", "dump.partial"), 0);
	assert_int_equal(tw_file_commit(&file, -1), -ENOENT);
	assert_content("dump.partial", "theirs\n");
	assert_int_equal(access("dump", F_OK), -1);
	unlink("dump.partial");
}

static void test_no_file(void **state)
{
	struct tw_file file;

	(void)state;
	assert_int_equal(mkdir("dump.partial", 0700), 0);
	assert_int_equal(tw_file_open(&file, "dump"), 0);
	assert_int_equal(tw_file_show(&file), -EEXIST);
	tw_file_abort(&file);
	assert_int_equal(rmdir("dump.partial"), 0);

	put("else", "else\n");
	assert_int_equal(symlink("else", "dump.partial"), 0);
	assert_int_equal(tw_file_open(&file, "dump"), 0);
	assert_int_equal(tw_file_show(&file), -EEXIST);
	tw_file_abort(&file);
	assert_content("else", "else\n");
	unlink("else");
	unlink("dump.partial");
}

/* As for the file itself: nobody else's, where all may write. */
static void test_directory_of_all(void **state)
{
	struct tw_file file;

	(void)state;
	if (geteuid()) {
		print_message("skipped: needs root\n");
		skip();
	}
	assert_int_equal(chmod(".", 01777), 0);
	put("dump.partial", "theirs\n");
	assert_int_equal(chown("dump.partial", 65534, 65534), 0);
	assert_int_equal(tw_file_open(&file, "dump"), 0);
	assert_int_equal(tw_file_show(&file), -EACCES);
	tw_file_abort(&file);
	assert_content("dump.partial", "theirs\n");
	unlink("dump.partial");
}

/* Where there is no such name, or none is needed. */
static void test_without(void **state)
{
	char name[NAME_MAX + 1];
	struct tw_file file;

	(void)state;
	memset(name, 'n', NAME_MAX);
	name[NAME_MAX] = '\0';
	begin(&file, name);
	assert_int_equal(access(name, F_OK), -1);
	fputs("one", file.flow.stream);
	assert_int_equal(tw_file_commit(&file, -1), 0);
	assert_content(name, "one");
	unlink(name);

	begin(&file, "/dev/null");
	assert_int_equal(tw_file_commit(&file, -1), 0);
	assert_int_equal(access("/dev/null.partial", F_OK), -1);
}

#define IN_HOME(test) cmocka_unit_test_setup_teardown(test, enter, leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_HOME(test_commit),
		IN_HOME(test_whole_lines),
		IN_HOME(test_abort),
		IN_HOME(test_killed),
		IN_HOME(test_full),
		IN_HOME(test_full_at_end),
		IN_HOME(test_full_at_once),
		IN_HOME(test_full_not_shown),
		IN_HOME(test_two),
		IN_HOME(test_rivals),
		IN_HOME(test_exchanged),
		IN_HOME(test_no_file),
		IN_HOME(test_directory_of_all),
		IN_HOME(test_without),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
