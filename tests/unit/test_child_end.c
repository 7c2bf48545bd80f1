// SPDX-License-Identifier: GPL-2.0-or-later
/* Children that do not listen, are stopped, do not die, or lose their parent. */
#include <stdio.h>

#include "told.h"
#include "tracer.h"

static void test_does_not_listen(void **state)
{
	(void)state;
	assert_int_equal(start(ready_then_hang, NULL, LIMIT_MS), 0);
	assert_int_equal(tw_child_stop(&child, SIGUSR1, SHORT_MS), -ETIMEDOUT);
	assert_true(child.ended);
	assert_non_null(strstr(child.why, "its state is S (sleeping)"));
	assert_false(child.lost);
	assert_no_child();
}

static int traced(void *arg)
{
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	return ready_then_hang(arg);
}

static void test_does_not_die(void **state)
{
	char what[256];
	pid_t tracer;

	(void)state;
	assert_int_equal(start(traced, NULL, LIMIT_MS), 0);
	tracer = start_tracer(child.pid);
	if (!tracer) {
		tw_child_stop(&child, 0, 0);
		print_message("# skip: no process may be traced here\n");
		skip();
	}
	assert_int_equal(tw_child_stop(&child, SIGUSR1, SHORT_MS), -EBUSY);
	assert_true(child.lost);
	assert_false(child.ended);
	tw_child_tell(&child, "did not end", what, sizeof(what));
	assert_non_null(strstr(what, "it cannot even be killed there"));
	/* Nobody waits for it any more. */
	assert_int_equal(tw_child_stop(&child, SIGUSR1, 600000), -EBUSY);
	kill(tracer, SIGKILL);
	assert_int_equal(waitpid(tracer, NULL, 0), tracer);
	assert_int_equal(waitpid(child.pid, NULL, 0), child.pid);
	assert_no_child();
}

/* Until what keeps process @pid is, in words, @state; "": it is gone. */
static void await_state(pid_t pid, const char *state)
{
	char why[128];
	int ms;

	for (ms = 0; ; ms += 2) {
		tw_child_obstacle(pid, why, sizeof(why));
		if (*state ? strstr(why, state) != NULL :
			     !*why || strstr(why, "Z (zombie)"))
			return;
		assert_true(ms < LIMIT_MS);
		sleep_ms(2);
	}
}

static void test_counts_stops(void **state)
{
	int i;

	(void)state;
	assert_int_equal(start(ready_then_hang, NULL, LIMIT_MS), 0);
	for (i = 0; i < 3; i++) {
		kill(child.pid, SIGSTOP);
		await_state(child.pid, "T (stopped)");
		assert_false(tw_child_reap(&child));
		assert_int_equal(child.stops, i);
		kill(child.pid, SIGCONT);
		await_state(child.pid, "S (sleeping)");
		assert_false(tw_child_reap(&child));
		assert_int_equal(child.stops, i + 1);
	}
	/* One that is stopped can be ended all the same. */
	kill(child.pid, SIGSTOP);
	await_state(child.pid, "T (stopped)");
	assert_int_equal(tw_child_stop(&child, SIGUSR1, SHORT_MS), -ETIMEDOUT);
	assert_non_null(strstr(child.why, "its state is T (stopped)"));
	assert_int_equal(child.stops, 3);
	assert_no_child();
}

/* A parent of its own, which is killed. */
static void test_dies_with_parent(void **state)
{
	pid_t parent, orphan;
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	parent = fork();
	assert_true(parent >= 0);
	if (!parent) {
		if (start(ready_then_hang, NULL, LIMIT_MS) ||
		    write(fds[1], &child.pid, sizeof(child.pid)) < 0)
			_exit(1);
		hang(NULL);
	}
	close(fds[1]);
	assert_int_equal(read(fds[0], &orphan, sizeof(orphan)),
			 sizeof(orphan));
	close(fds[0]);
	assert_int_equal(kill(orphan, 0), 0);
	kill(parent, SIGKILL);
	assert_int_equal(waitpid(parent, NULL, 0), parent);
	await_state(orphan, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_TOLD(test_does_not_listen),
		WITH_TOLD(test_does_not_die),
		WITH_TOLD(test_counts_stops),
		WITH_TOLD(test_dies_with_parent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
