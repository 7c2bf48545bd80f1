// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The end of all descendants, whatever they are called and wherever they are.
 * The test's kill() notes the call, or refuses it, and then does what it should.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "unit.h"
#include "open_files.h"
#include "subreaper.h"

#include "load/tw_load_tree.h"

#define LIMIT_MS	20000	/* a busy host must not break a test */
#define SHORT_MS	50	/* of what cannot succeed */

static pid_t refused;		/* to kill; 0: none */
static pid_t groups[16];	/* that were killed */
static size_t group_count;
static char why[256];

int kill(pid_t pid, int number)
{
	if (refused && (pid == refused || pid == -refused)) {
		errno = EPERM;
		return -1;
	}
	if (pid < 0 && group_count < 16)
		groups[group_count++] = -pid;
	return (int)syscall(SYS_kill, pid, number);
}

static int set_up(void **state)
{
	(void)state;
	refused = 0;
	group_count = 0;
	strcpy(why, "of before");
	return 0;
}

/* A child that sleeps; its name is @name and it writes to @ready. */
static pid_t start(const char *name, bool own_group, int ready)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		prctl(PR_SET_NAME, name);
		if (own_group)
			setpgid(0, 0);
		if (write(ready, "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	return pid;
}

static pid_t start_ready(const char *name, bool own_group)
{
	int fds[2];
	pid_t pid;
	char byte;

	assert_int_equal(pipe(fds), 0);
	pid = start(name, own_group, fds[1]);
	assert_int_equal(read(fds[0], &byte, 1), 1);
	close(fds[0]);
	close(fds[1]);
	return pid;
}

static void assert_no_child(void)
{
	errno = 0;
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void assert_all_killed(void)
{
	const int before = count_open_files();

	assert_int_equal(tw_load_kill_tree(LIMIT_MS, why, sizeof(why)), 0);
	assert_string_equal(why, "of before");
	assert_int_equal(count_open_files(), before);
	assert_no_child();
}

static void test_none(void **state)
{
	(void)state;
	assert_all_killed();
	assert_int_equal(group_count, 0);
}

/* The name is within the line that tells the parent. */
static void test_names(void **state)
{
	static const char *const names[] = {
		"plain", "a) R 1 1", "((", "))", ") S 0 (", " ",
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		start_ready(names[i], false);
	assert_all_killed();
}

/* A group goes at once; that of others is no matter of it. */
static void test_groups(void **state)
{
	pid_t leader;
	size_t i;

	(void)state;
	leader = start_ready("leader", true);
	start_ready("other", false);
	assert_all_killed();
	/* More than once, if it takes its time to go. */
	assert_true(group_count >= 1);
	for (i = 0; i < group_count; i++)
		assert_int_equal(groups[i], leader);
}

/* A chain of processes, each the child of the last in its own session. */
static void chain(int length, int ready)
{
	setsid();
	while (length && !fork()) {
		setsid();
		length--;
	}
	if (!length && write(ready, "", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

static void test_chain(void **state)
{
	int fds[2];
	char byte;
	pid_t pid;

	(void)state;
	need_subreaper();
	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		close(fds[0]);
		chain(6, fds[1]);
	}
	close(fds[1]);
	assert_int_equal(read(fds[0], &byte, 1), 1);
	assert_all_killed();
	/* None of them holds it open any more. */
	assert_int_equal(read(fds[0], &byte, 1), 0);
	close(fds[0]);
}

static void test_ended_before(void **state)
{
	siginfo_t info;
	pid_t pid;
	int i;

	(void)state;
	for (i = 0; i < 3; i++) {
		pid = fork();
		assert_true(pid >= 0);
		if (!pid)
			_exit(i);
		assert_int_equal(waitid(P_PID, pid, &info, WEXITED | WNOWAIT),
				 0);
	}
	assert_all_killed();
}

/* The parent of the caller, and the caller's siblings, stay alive. */
static void test_spares_others(void **state)
{
	int fds[2], status;
	pid_t sibling, caller;

	(void)state;
	sibling = start_ready("sibling", false);
	assert_int_equal(pipe(fds), 0);
	caller = fork();
	assert_true(caller >= 0);
	if (!caller) {
		start_ready("child", false);
		_exit(tw_load_kill_tree(LIMIT_MS, why, sizeof(why)) ? 1 : 0);
	}
	assert_int_equal(waitpid(caller, &status, 0), caller);
	assert_int_equal(status, 0);
	assert_int_equal(waitpid(sibling, NULL, WNOHANG), 0);
	close(fds[0]);
	close(fds[1]);
	assert_all_killed();
}

/* Not even killed: the error of the call is the reason. */
static void test_not_killed(void **state)
{
	char want[256];
	pid_t pid;

	(void)state;
	start_ready("before", false);
	pid = start_ready("a name", true);
	refused = pid;
	assert_int_equal(tw_load_kill_tree(SHORT_MS, why, sizeof(why)),
			 -EBUSY);
	snprintf(want, sizeof(want), "its process %d (a name) cannot be ended: Operation not permitted",
		 (int)pid);
	assert_string_equal(why, want);
	refused = 0;
	strcpy(why, "of before");
	assert_all_killed();
}

/* Traced by another process, a child that is killed cannot be reaped. */
static pid_t start_tracer(pid_t pid)
{
	int fds[2];
	pid_t tracer;

	assert_int_equal(pipe(fds), 0);
	tracer = fork();
	assert_true(tracer >= 0);
	if (!tracer) {
		/* Not a child of the caller. */
		if (fork())
			_exit(0);
		if (ptrace(PTRACE_SEIZE, pid, NULL, NULL))
			_exit(1);
		tracer = getpid();
		if (write(fds[1], &tracer, sizeof(tracer)) < 0)
			_exit(1);
		for (;;)
			pause();
	}
	close(fds[1]);
	assert_int_equal(waitpid(tracer, NULL, 0), tracer);
	if (read(fds[0], &tracer, sizeof(tracer)) != sizeof(tracer))
		tracer = 0;
	close(fds[0]);
	return tracer;
}

static void test_does_not_go(void **state)
{
	pid_t pid, tracer;
	char want[256];

	(void)state;
	prctl(PR_SET_CHILD_SUBREAPER, 0);
	pid = start_ready("stays", false);
	tracer = start_tracer(pid);
	if (!tracer) {
		assert_all_killed();
		print_message("# skip: no process may be traced here\n");
		skip();
	}
	assert_int_equal(tw_load_kill_tree(SHORT_MS, why, sizeof(why)),
			 -EBUSY);
	snprintf(want, sizeof(want), "its process %d (stays) cannot be ended: on CPU ",
		 (int)pid);
	assert_memory_equal(why, want, strlen(want));
	assert_non_null(strstr(why, "its state is Z (zombie)"));
	kill(tracer, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_no_child();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_none, set_up),
		cmocka_unit_test_setup(test_names, set_up),
		cmocka_unit_test_setup(test_groups, set_up),
		cmocka_unit_test_setup(test_chain, set_up),
		cmocka_unit_test_setup(test_ended_before, set_up),
		cmocka_unit_test_setup(test_spares_others, set_up),
		cmocka_unit_test_setup(test_not_killed, set_up),
		cmocka_unit_test_setup(test_does_not_go, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
