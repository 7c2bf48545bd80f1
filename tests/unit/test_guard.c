// SPDX-License-Identifier: GPL-2.0-or-later
/* The guardian of sched_rt_runtime_us: the setting always comes back. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "unit.h"

#include "tw_throttle.h"

#define PATIENCE_MS	10000	/* the guardian needs some ms */

static int64_t before_us;	/* what the system had; 0: not known */
static int64_t other_us;	/* what the tests set in its place */

static int64_t setting(void)
{
	FILE *file = fopen(TW_THROTTLE_FILE, "r");
	int64_t value_us;

	assert_non_null(file);
	assert_int_equal(fscanf(file, "%" SCNd64, &value_us), 1);
	fclose(file);
	return value_us;
}

static int find_before(void **state)
{
	(void)state;
	if (!access(TW_THROTTLE_FILE, R_OK))
		before_us = setting();
	return 0;
}

/* Another value that the kernel takes, where it takes one from us at all. */
static bool find_other(void)
{
	/* CPU cgroups with shares of their own allow no less than these. */
	static const int64_t values_us[] = { 940000, 960000, 970000 };
	struct tw_guard guard;
	size_t i;

	for (i = 0; i < sizeof(values_us) / sizeof(values_us[0]); i++) {
		other_us = values_us[i];
		if (other_us == before_us || tw_guard_open(&guard, other_us))
			continue;
		tw_guard_close(&guard);
		return true;
	}
	return false;
}

/* cmocka's skip() has no place for a reason. */
static void need_right(void)
{
	if (before_us && find_other())
		return;
	print_message("# skip: %s cannot be written: needs root, outside a container\n",
		      TW_THROTTLE_FILE);
	skip();
}

static void await_restored(void)
{
	const struct timespec pause = { .tv_nsec = 2000000 };
	int ms;

	for (ms = 0; setting() != before_us; ms += 2) {
		assert_true(ms < PATIENCE_MS);
		nanosleep(&pause, NULL);
	}
}

static void assert_no_child(void)
{
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void test_restored_by_close(void **state)
{
	struct tw_guard guard;

	(void)state;
	need_right();
	assert_int_equal(tw_guard_open(&guard, other_us), 0);
	assert_int_equal(setting(), other_us);
	assert_int_equal(guard.old_us, before_us);
	tw_guard_close(&guard);
	assert_int_equal(setting(), before_us);
	assert_int_equal(guard.fd, -1);
	assert_no_child();
	/* A second time it does nothing. */
	tw_guard_close(&guard);
	assert_no_child();
}

static void test_no_limit(void **state)
{
	struct tw_guard guard;

	(void)state;
	need_right();
	if (tw_guard_open(&guard, -1)) {
		print_message("# skip: this kernel refuses to lift the limit\n");
		skip();
	}
	assert_int_equal(setting(), -1);
	tw_guard_close(&guard);
	assert_int_equal(setting(), before_us);
}

/* A child opens it, tells so, and waits for its end. */
static pid_t start_owner(pid_t *guardian)
{
	struct tw_guard guard;
	int fds[2];
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		if (tw_guard_open(&guard, other_us) ||
		    write(fds[1], &guard.pid, sizeof(guard.pid)) < 0)
			_exit(1);
		for (;;)
			pause();
	}
	close(fds[1]);
	assert_int_equal(read(fds[0], guardian, sizeof(*guardian)),
			 sizeof(*guardian));
	close(fds[0]);
	return pid;
}

static void test_restored_when_killed(void **state)
{
	static const int signals[] = { SIGKILL, SIGTERM, SIGINT, SIGHUP };
	pid_t owner, guardian;
	size_t i;

	(void)state;
	need_right();
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		owner = start_owner(&guardian);
		assert_int_equal(setting(), other_us);
		/* The guardian lets itself not be ended before its time. */
		kill(guardian, SIGTERM);
		kill(guardian, SIGHUP);
		assert_int_equal(setting(), other_us);
		kill(owner, signals[i]);
		assert_int_equal(waitpid(owner, NULL, 0), owner);
		await_restored();
	}
}

/* The owner does it where there is no guardian any more. */
static void test_guardian_killed(void **state)
{
	struct tw_guard guard;

	(void)state;
	need_right();
	assert_int_equal(tw_guard_open(&guard, other_us), 0);
	kill(guard.pid, SIGKILL);
	tw_guard_close(&guard);
	assert_int_equal(setting(), before_us);
	assert_no_child();
}

/* Not a value, or not ours to write: nothing changes, nobody is left. */
static void test_refused(void **state)
{
	struct tw_guard guard;

	(void)state;
	if (!before_us) {
		print_message("# skip: there is no %s\n", TW_THROTTLE_FILE);
		skip();
	}
	assert_true(tw_guard_open(&guard, INT64_C(10000000000)) < 0);
	assert_int_equal(guard.fd, -1);
	assert_int_equal(setting(), before_us);
	assert_no_child();
	tw_guard_close(&guard);
}

/* However a test has ended, the system is as it was. */
static int restore(void **state)
{
	FILE *file = before_us ? fopen(TW_THROTTLE_FILE, "w") : NULL;

	(void)state;
	if (file) {
		fprintf(file, "%" PRId64 "\n", before_us);
		fclose(file);
	}
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_restored_by_close),
		cmocka_unit_test(test_no_limit),
		cmocka_unit_test(test_restored_when_killed),
		cmocka_unit_test(test_guardian_killed),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, find_before, restore);
}
