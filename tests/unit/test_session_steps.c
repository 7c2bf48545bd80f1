// SPDX-License-Identifier: GPL-2.0-or-later
/* The steps of a session: each with its pair, their sum, and the end. */
#include "session.h"

static void begin(int step, uint64_t cycles)
{
	assert_int_equal(session_begin(step), 0);
	session.steps_done = step + 1;
	session.run.started = true;
	count_cycles(tw_session_first(&session), cycles, 0);
}

/* Each step has a pair of its own; the report is of all. */
static void test_steps(void **state)
{
	struct tw_pair *pairs[3], *merged;
	struct tw_pairs sum;
	int step;

	(void)state;
	session_open(QUIET "-l 1 --load=fft --steps=3");
	for (step = 0; step < 3; step++) {
		begin(step, 5 + (uint64_t)step);
		pairs[step] = tw_session_first(&session);
		assert_int_equal(tw_session_first(&session)->tally->step, step);
		/* How often each side was stopped. */
		pairs[step]->side[TW_CLIENT].child.stops = step + 1;
		pairs[step]->side[TW_SERVER].child.stops = 10 * step + 10;
		pairs[step]->cost.cycle.max_ns = 100 + step;
		if (step < 2)
			CPU_SET(0, &pairs[step]->side[TW_CLIENT].settings.cpus);
	}
	assert_int_equal(tw_session_sum(&session, &sum), 0);
	assert_int_equal(sum.count, 1);
	merged = sum.pair[0];
	assert_int_equal(merged->tally->cycles, 18);
	/* A side that did not start has no settings, and does not count. */
	assert_int_equal(merged->side[TW_CLIENT].child.stops, 3);
	assert_int_equal(merged->side[TW_SERVER].child.stops, 30);
	assert_int_equal(merged->cost.cycle.max_ns, 100);
	assert_null(merged->ring);
	assert_ptr_equal(tw_session_first(&session), pairs[2]);
	tw_session_drop(&sum);
	assert_int_equal(sum.count, 0);
	assert_false(is_mapped(merged));
	tw_session_drop(&sum);

	assert_int_equal(session_finish(), 0);
	assert_int_equal(tw_session_first(&session)->tally->cycles, 18);
	assert_ptr_equal(session.pairs, &session.merged);
	merged = session.merged.pair[0];
	session_close();
	for (step = 0; step < 3; step++)
		assert_false(is_mapped(pairs[step]));
	assert_false(is_mapped(merged));
}

/* Two are a ramp already. */
static void test_two_steps(void **state)
{
	(void)state;
	session_open(QUIET "-l 1 --load=fft --steps=2");
	begin(0, 4);
	begin(1, 5);
	assert_int_equal(session_finish(), 0);
	assert_ptr_equal(session.pairs, &session.merged);
	assert_int_equal(tw_session_first(&session)->tally->cycles, 9);
	session_close();
}

/* Mappings of memory that processes may share. */
static int count_shared(void)
{
	FILE *file = fopen("/proc/self/maps", "r");
	char line[512];
	int count = 0;

	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		count += strstr(line, "/dev/zero") != NULL;
	fclose(file);
	return count;
}

/* A sum that a cycle has disturbed is made anew, in memory of its own. */
static void test_disturbed_sum(void **state)
{
	struct tw_pairs sum;
	int before;

	(void)state;
	session_open(QUIET "-l 1");
	begin(0, 3);
	before = count_shared();
	/* As if the client were always within a cycle. */
	atomic_fetch_add(&tw_session_first(&session)->tally->series.version, 1);
	assert_int_equal(tw_session_sum(&session, &sum), 0);
	assert_int_equal(sum.pair[0]->tally->cycles, 3);
	assert_int_equal(count_shared(), before + 1);
	tw_session_drop(&sum);
	assert_int_equal(count_shared(), before);
	session_close();
}

static void test_finish_one_step(void **state)
{
	struct tw_pair *pair;

	(void)state;
	session_open(QUIET "-l 1");
	begin(0, 3);
	pair = tw_session_first(&session);
	assert_int_equal(session_finish(), 0);
	assert_ptr_equal(tw_session_first(&session), pair);
	assert_int_equal(session.merged.count, 0);
	assert_true(CPU_COUNT(&session.main_left.cpus) > 0);
	session_close();
}

/* No cycle is a failure, but not of one that did not start. */
static void test_no_cycles(void **state)
{
	(void)state;
	session_open(QUIET "-D 7 --warmup=1000 --load=fft --steps=2");
	begin(0, 0);
	begin(1, 0);
	session.steps[0].pair[0]->tally->warmup = 1000;
	session.steps[1].pair[0]->tally->warmup = 234;
	assert_int_equal(session_finish(), -ENODATA);
	assert_string_equal(session.run.error, "not one cycle was measured: with --duration=7, time was up after 1234 of 2000 warm-up cycles; give a longer duration, a smaller --warmup, or see what holds up the client");
	session_close();

	session_open(QUIET "-l 1 --warmup=1000");
	begin(0, 0);
	tw_session_first(&session)->tally->warmup = 999;
	session.run.interrupted = SIGTERM;
	assert_int_equal(session_finish(), -ENODATA);
	assert_string_equal(session.run.error, "not one cycle was measured: signal 15 (Terminated) came after 999 of 1000 warm-up cycles");
	session_close();

	session_open(QUIET "-l 1");
	begin(0, 0);
	session.run.started = false;
	assert_int_equal(session_finish(), 0);
	assert_string_equal(session.run.error, "");
	session_close();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_steps),
		TEST(test_two_steps),
		TEST(test_disturbed_sum),
		TEST(test_finish_one_step),
		TEST(test_no_cycles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
