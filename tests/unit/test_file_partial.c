// SPDX-License-Identifier: GPL-2.0-or-later
/* Result files that a killed run is to leave behind: FILE.partial. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "content.h"
#include "tw_file.h"
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

/* A run that lives keeps it; the other goes on without. */
static void test_two(void **state)
{
	struct tw_file one, other;

	(void)state;
	begin(&one, "dump");
	begin(&other, "dump");
	fputs("one\n", one.flow.stream);
	fputs("other\n", other.flow.stream);
	tw_flow_push(&one.flow, 0);
	assert_content("dump.partial", "one\n");
	assert_int_equal(tw_file_commit(&other, -1), 0);
	assert_content("dump", "other\n");
	assert_content("dump.partial", "one\n");
	assert_int_equal(tw_file_commit(&one, -1), 0);
	assert_content("dump", "one\n");
	assert_int_equal(access("dump.partial", F_OK), -1);
	unlink("dump");
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
		IN_HOME(test_two),
		IN_HOME(test_exchanged),
		IN_HOME(test_no_file),
		IN_HOME(test_directory_of_all),
		IN_HOME(test_without),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
