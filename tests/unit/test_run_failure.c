// SPDX-License-Identifier: GPL-2.0-or-later
/* What a run that fails is said to have failed for: the cause, not the rest. */
#include "run.h"

static int run_event(const struct event *event)
{
	set_up(NULL);
	world.events[0] = *event;
	return tw_session_run(&session.run);
}

static const enum tw_role sides[] = { TW_CLIENT, TW_SERVER };

static struct event ends(enum tw_role role, enum tw_step step, int err)
{
	return (struct event) {
		.at_ms = 10, .ends = true, .role = role,
		.status = step == TW_STEP_KILLED ? err : 1 << 8,
		.failed = step == TW_STEP_KILLED ? TW_STEP_NONE : step,
		.err = err,
	};
}

static void check_one(enum tw_role role, enum tw_step step, int err)
{
	const struct event end = ends(role, step, err);

	assert_int_equal(run_event(&end), -ECANCELED);
	assert_failure(step, role, err);
	assert_true(session.run.started);
	assert_int_equal(now_ms(), 10);
}

static void test_one_side(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		const enum tw_role role = sides[i];

		check_one(role, TW_STEP_KILLED, SIGKILL);
		check_one(role, TW_STEP_RUN, -EPROTO);
		/* The only thing that is known is the cause, then. */
		check_one(role, TW_STEP_RUN, -EPIPE);
		check_one(role, TW_STEP_RUN, -ECONNRESET);
	}
}

/* Killed while it was about to tell something: that is what befell it. */
static void test_killed_amid_failure(void **state)
{
	struct event end = ends(TW_CLIENT, TW_STEP_RUN, -EIO);

	(void)state;
	end.status = SIGSEGV;
	assert_int_equal(run_event(&end), -ECANCELED);
	assert_failure(TW_STEP_KILLED, TW_CLIENT, SIGSEGV);
}

/* The server's end is seen when it is stopped: the client's came before. */
static void check_both(enum tw_step step, int err, enum tw_step later,
		       int later_err, bool is_cause)
{
	const struct event end = ends(TW_CLIENT, step, err);
	const struct event other = ends(TW_SERVER, later, later_err);

	set_up(NULL);
	world.events[0] = end;
	pair.side[TW_SERVER].failed = other.failed;
	pair.side[TW_SERVER].err = other.err;
	pair.side[TW_SERVER].child.status = other.status;
	assert_int_equal(tw_session_run(&session.run), -ECANCELED);
	if (is_cause)
		assert_failure(step, TW_CLIENT, err);
	else
		assert_failure(later, TW_SERVER, later_err);
}

static void test_cause(void **state)
{
	(void)state;
	check_both(TW_STEP_RUN, -EPIPE, TW_STEP_KILLED, SIGKILL, false);
	check_both(TW_STEP_RUN, -ECONNRESET, TW_STEP_KILLED, SIGKILL, false);
	check_both(TW_STEP_RUN, -EPIPE, TW_STEP_RUN, -EPROTO, false);
	check_both(TW_STEP_RUN, -ECONNRESET, TW_STEP_RUN, -EPROTO, false);
	check_both(TW_STEP_RUN, -EPROTO, TW_STEP_KILLED, SIGKILL, true);
	check_both(TW_STEP_RUN, -EBADMSG, TW_STEP_RUN, -EPIPE, true);
	check_both(TW_STEP_KILLED, SIGTERM, TW_STEP_RUN, -ECONNRESET, true);
	/* A pipe that is broken elsewhere is not the peer's. */
	check_both(TW_STEP_VERIFY, -EPIPE, TW_STEP_KILLED, SIGKILL, true);
}

/* What main has noted before it even started stays the first. */
static void test_failure_before(void **state)
{
	(void)state;
	world.events[0] = ends(TW_CLIENT, TW_STEP_RUN, -EIO);
	tw_fail(&session.run, -ENOENT, "before");
	assert_int_equal(tw_session_run(&session.run), -ECANCELED);
	assert_error(-ENOENT, "before");
}

static void check_start(enum tw_role role, int err, const char *why,
			enum tw_step told, int told_err)
{
	set_up(NULL);
	world.start_err[role] = err;
	world.start_why[role] = why;
	pair.side[role].failed = told;
	pair.side[role].err = told_err;
	assert_int_equal(tw_session_run(&session.run), -ECANCELED);
	assert_false(session.run.started);
	assert_int_equal(world.polls, 0);
	assert_string_equal(world.noted, role == TW_SERVER ?
			    "link\nstart server\nclose links\n" :
			    STARTED "stop server\n");
}

static void test_start(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		const enum tw_role role = sides[i];

		check_start(role, -EAGAIN, NULL, TW_STEP_NONE, 0);
		assert_failure(TW_STEP_START, role, -EAGAIN);
		/* It has told itself what it was. */
		check_start(role, -EPERM, NULL, TW_STEP_SCHEDULE, -EPERM);
		assert_failure(TW_STEP_SCHEDULE, role, -EPERM);
		/* Killed, as it was not ready in time: that was main. */
		check_start(role, -ETIMEDOUT, "busy", TW_STEP_RUN, -EIO);
		assert_failure(TW_STEP_START, role, -ETIMEDOUT);
	}
}

/* Whoever sent the signal for which nobody waited any longer, is told. */
static void test_start_interrupted(void **state)
{
	(void)state;
	world.start_err[TW_CLIENT] = -EINTR;
	world.start_why[TW_CLIENT] = "busy";
	queue(SIGTERM);
	assert_int_equal(tw_session_run(&session.run), -ECANCELED);
	assert_int_equal(session.run.interrupted, SIGTERM);
	assert_failure(TW_STEP_START, TW_CLIENT, -EINTR);
}

static void test_stop(void **state)
{
	size_t i;

	for (i = 0; i < 2; i++) {
		const enum tw_role role = sides[i];

		set_up(state);
		config.duration_s = 1;
		world.stop_err[role] = -ETIMEDOUT;
		/* Killed by main: not what befell it. */
		pair.side[role].child.status = SIGKILL;
		assert_int_equal(tw_session_run(&session.run),
				 -ECANCELED);
		assert_failure(TW_STEP_STOP, role, -ETIMEDOUT);
		assert_string_equal(world.noted, STARTED STOPPED);
	}
}

/* No use in stopping it again. */
static void test_lost(void **state)
{
	(void)state;
	world.start_err[TW_CLIENT] = -ETIMEDOUT;
	world.start_why[TW_CLIENT] = "busy";
	pair.side[TW_CLIENT].child.lost = true;
	pair.side[TW_SERVER].child.lost = true;
	assert_int_equal(tw_session_run(&session.run), -ECANCELED);
	assert_string_equal(world.noted, STARTED);
}

static void test_tick_fails(void **state)
{
	(void)state;
	session.run.tick_ms = 100;
	world.tick_err_at = 2;
	assert_int_equal(tw_session_run(&session.run), -ECANCELED);
	assert_error(-ENOSPC, "cannot write the results: No space left on device");
	assert_true(session.run.unwritten);
	assert_string_equal(world.noted,
			    STARTED "tick 101\ntick 201\n" STOPPED);
}

/* As when the load dies. */
static void test_part_ends_run(void **state)
{
	(void)state;
	world.events[0] = (struct event) { .at_ms = 10, .ends_run = true };
	assert_int_equal(tw_session_run(&session.run), -ECANCELED);
	assert_error(-ECHILD, "out of breath");
	assert_false(session.run.unwritten);
	assert_int_equal(now_ms(), 10);
	assert_string_equal(world.noted, STARTED STOPPED);
}

/* Its signal may have been read before. */
static void test_part_ended_run_before(void **state)
{
	(void)state;
	world.run_ended = true;
	assert_int_equal(tw_session_run(&session.run), -ECANCELED);
	assert_error(-ECHILD, "out of breath");
	assert_int_equal(world.polls, 0);
	assert_string_equal(world.noted, STARTED STOPPED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_WORLD(test_one_side),
		IN_WORLD(test_killed_amid_failure),
		IN_WORLD(test_cause),
		IN_WORLD(test_failure_before),
		IN_WORLD(test_start),
		IN_WORLD(test_start_interrupted),
		IN_WORLD(test_stop),
		IN_WORLD(test_lost),
		IN_WORLD(test_tick_fails),
		IN_WORLD(test_part_ends_run),
		IN_WORLD(test_part_ended_run_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
