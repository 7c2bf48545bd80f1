// SPDX-License-Identifier: GPL-2.0-or-later
/* The traces of a run: what is opened, kept, looked into and closed. */
#include "trace_part.h"

static void check_open(const char *line, const char *calls, int err,
		       const char *error)
{
	assert_int_equal(open_run(line), err);
	assert_string_equal(world.noted, calls);
	assert_int_equal(session.run.err, err);
	assert_string_equal(session.run.error, error);
	tw_part_trace.close(&session.run);
}

static void test_open(void **state)
{
	(void)state;
	check_open("", "", 0, "");
	check_open("-b9", "", 0, "");
	check_open("-b9 --tracemark", "user ", 0, "");
	check_open("-b9 --trace", "own ", 0, "");
	check_open("-b9 --tracemark --trace", "user own ", 0, "");
	world.user_err = -EPERM;
	check_open("-b9 --tracemark", "user ", -EPERM,
		   "--tracemark: tracefs is not mounted");
	check_open("-b9 --tracemark --trace", "user ", -EPERM,
		   "--tracemark: tracefs is not mounted");
	world.user_err = 0;
	world.own_err = -EINVAL;
	check_open("-b9 --tracemark --trace=x", "user own ", -EINVAL,
		   "--trace: this kernel has no event x");
	check_open("-b9 --trace=x", "own ", -EINVAL,
		   "--trace: this kernel has no event x");
}

/* Where client and server are, and nowhere else. */
static void test_cpus(void **state)
{
	(void)state;
	begin("-b9 --trace=sched");
	assert_string_equal(world.events, "sched");
	assert_int_equal(CPU_COUNT(&world.cpus), 2);
	assert_true(CPU_ISSET(3, &world.cpus));
	assert_true(CPU_ISSET(5, &world.cpus));
}

/* Of any pair; and looked into is the one that broke. */
static void test_pairs(void **state)
{
	static const int cpus[] = { 2, 4, 5, 9 };
	size_t i;

	(void)state;
	new_run("-t3 -b9 --trace");
	config.affinity = TW_SET;
	for (i = 0; i < 4; i++)
		CPU_SET(cpus[i], &config.affinity_set);
	assert_int_equal(tw_part_trace.open(&session.run), 0);
	assert_int_equal(CPU_COUNT(&world.cpus), 4);
	for (i = 0; i < 4; i++)
		assert_true(CPU_ISSET(cpus[i], &world.cpus));
	for (i = 0; i < 3; i++) {
		tw_run_attach(&session.run, run_pair(i), rooms[i]);
		run_pair(i)->side[TW_SERVER].child.pid = 300 + (pid_t)i;
		run_pair(i)->side[TW_CLIENT].child.pid = 400 + (pid_t)i;
	}
	run_pair(1)->brk->broken = true;
	run_pair(1)->brk->kept.cycle = run_cycles[1];
	run_pair(1)->brk->kept.pair = 1;
	finish();
	assert_ptr_equal(world.brk, run_pair(1)->brk);
	assert_ptr_equal(world.params, &run_pair(1)->tally->params);
	assert_int_equal(world.pids[TW_SERVER], 301);
	assert_int_equal(world.pids[TW_CLIENT], 401);
}

static void assert_fds(int user, int own)
{
	const struct tw_trace_fds *traces = pair.brk->traces;

	assert_int_equal(traces[TW_TRACE_USER].mark, user);
	assert_int_equal(traces[TW_TRACE_USER].stop, user < 0 ? -1 : user + 1);
	assert_int_equal(traces[TW_TRACE_OWN].mark, own);
	assert_int_equal(traces[TW_TRACE_OWN].stop, own < 0 ? -1 : own + 1);
	assert_memory_equal(pair.keep, traces, sizeof(pair.keep));
}

/* The client gets what is open, and no other descriptor: 0 is one, too. */
static void test_descriptors(void **state)
{
	(void)state;
	begin("");
	assert_null(pair.brk);
	assert_int_equal(pair.keep[0], 0);
	begin("-b9");
	assert_fds(-1, -1);
	begin("-b9 --tracemark");
	assert_fds(11, -1);
	begin("-b9 --trace");
	assert_fds(-1, 21);
	begin("-b9 --trace --tracemark");
	assert_fds(11, 21);
}

/* 20 ms before the cycle's end; or more, if it lasts longer. */
static void test_kept(void **state)
{
	static const struct {
		int64_t prev_t0_us, planned_us, t3_us, from_us;
	} rows[] = {
		{ 99000, 100000, 100200, 80200 },
		/* A long cycle, and the ms before it. */
		{ 99900, 100000, 150000, 99000 },
		{ 99900, 100000, 119000, 99000 },
		{ 99900, 100000, 118999, 98999 },
		/* The cycle before is long ago. */
		{ 50000, 100000, 100200, 50000 },
		{ 80199, 100000, 100200, 80199 },
		{ 80201, 100000, 100200, 80200 },
		{ 98999, 100000, 150000, 98999 },
	};
	struct tw_cycle *cycle;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		begin("-b9 --trace");
		cycle = &pair.brk->kept.cycle;
		cycle->prev_t0_ns = rows[i].prev_t0_us * TW_NS_PER_US;
		cycle->planned_ns = rows[i].planned_us * TW_NS_PER_US;
		cycle->t0_ns = cycle->planned_ns + 50 * TW_NS_PER_US;
		cycle->t3_ns = rows[i].t3_us * TW_NS_PER_US;
		pair.brk->ahead_ns = CLOCK_AHEAD_NS;
		pair.brk->broken = true;
		finish();
		assert_string_equal(world.noted, "collect analyse ");
		/* Both the clock and the time namespace are ahead. */
		assert_int_equal(world.from_ns, rows[i].from_us * TW_NS_PER_US -
				 CLOCK_AHEAD_NS - SPACE_AHEAD_NS);
		tw_part_trace.close(&session.run);
	}
}

static void test_analysed(void **state)
{
	(void)state;
	break_run("-b9 --trace");
	assert_ptr_equal(tw_part_break_end(), pair.brk);
	assert_string_equal(world.text, "the trace");
	assert_ptr_equal(world.brk, pair.brk);
	assert_ptr_equal(world.params, &pair.tally->params);
	assert_int_equal(world.pids[TW_SERVER], SERVER_PID);
	assert_int_equal(world.pids[TW_CLIENT], CLIENT_PID);
	assert_int_equal(pair.brk->ahead_ns, CLOCK_AHEAD_NS + SPACE_AHEAD_NS);
}

static void check_throttling(int64_t stall_max_ns, const char *lacks,
			     bool traced)
{
	begin("-b9 --trace");
	world.found.lacks = lacks;
	world.found.throttling = traced;
	pair.tally->stall_max_ns = stall_max_ns;
	session.bypass = TW_BYPASS_FAIR;
	pair.brk->broken = true;
	finish();
	assert_int_equal(world.may_throttle, stall_max_ns > 0);
	assert_int_equal(session.throttling_traced, !lacks);
	assert_int_equal(world.bypass, TW_BYPASS_FAIR);
	assert_int_equal(session.throttling, traced && stall_max_ns);
	tw_part_trace.close(&session.run);
}

static void test_throttling(void **state)
{
	(void)state;
	check_throttling(0, NULL, false);
	check_throttling(0, NULL, true);
	check_throttling(1, NULL, false);
	check_throttling(1, NULL, true);
	check_throttling(1, "the trace lost events", false);
}

/* Nothing broke; or no trace of our own; or it cannot be read. */
static void test_nothing(void **state)
{
	(void)state;
	begin("-b9 --trace");
	pair.brk->ahead_ns = CLOCK_AHEAD_NS;
	finish();
	assert_null(tw_part_break_end());
	assert_int_equal(pair.brk->ahead_ns, CLOCK_AHEAD_NS);
	session.pairs = NULL;
	session.steps_done = 0;
	finish();
	assert_null(tw_part_break_end());
	assert_string_equal(world.noted, "");
	assert_string_equal(written(tw_part_trace.text), "");
	assert_false(has_trace());
	tw_part_trace.close(&session.run);

	break_run("-b9 --tracemark");
	assert_ptr_equal(tw_part_break_end(), pair.brk);
	assert_string_equal(world.noted, "");
	assert_string_equal(written(tw_part_trace.text), "");
	assert_false(has_trace());
	assert_false(session.throttling_traced);
	tw_part_trace.close(&session.run);

	world.collect_err = -EIO;
	break_run("-b9 --trace");
	assert_ptr_equal(tw_part_break_end(), pair.brk);
	assert_string_equal(world.noted, "collect ");
	assert_string_equal(written(tw_part_trace.text),
		"# Cause: unknown, as the trace could not be read\n");
	assert_false(has_trace());
	assert_false(session.throttling_traced);
}

/* Once more, it finds nothing that is left. */
static void test_close(void **state)
{
	(void)state;
	break_run("-b9 --trace --tracemark");
	assert_true(has_trace());
	world.noted[0] = '\0';
	tw_part_trace.close(&session.run);
	assert_string_equal(world.noted, "close user close own remove ");
	assert_false(has_trace());
	world.noted[0] = '\0';
	tw_part_trace.close(&session.run);
	assert_string_equal(world.noted, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCRIPTED(test_open),
		SCRIPTED(test_cpus),
		SCRIPTED(test_pairs),
		SCRIPTED(test_descriptors),
		SCRIPTED(test_kept),
		SCRIPTED(test_analysed),
		SCRIPTED(test_throttling),
		SCRIPTED(test_nothing),
		SCRIPTED(test_close),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	drop_run();
	return failed;
}
