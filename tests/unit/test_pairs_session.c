// SPDX-License-Identifier: GPL-2.0-or-later
/* The memory of several pairs: each step, their sums, and what is too much. */
#include "free_memory.h"
#include "run/tw_columns.h"

/* Step 0: 10, 11, 12 cycles; step 1: 20, 21, 22. */
static void begin(int step)
{
	struct tw_pair *pair;
	unsigned int k;

	assert_int_equal(session_begin(step), 0);
	session.steps_done = step + 1;
	session.run.started = true;
	for (k = 0; (pair = tw_session_pair(&session, k)); k++) {
		count_cycles(pair, 10 * (uint64_t)(step + 1) + k, 1);
		pair->tally->warmup = 100 + k;
		pair->tally->warmup_missed = k;
		pair->tally->throttled = k * k;
		/* It has started. */
		CPU_SET(0, &pair->side[TW_CLIENT].settings.cpus);
		pair->side[TW_CLIENT].child.stops = 1 + (int)k;
	}
}

/* Each has a number, settings and memory of its own. */
static void test_begin(void **state)
{
	struct tw_pair *pair;
	unsigned int k;

	(void)state;
	session_open(QUIET "-t3 -i500 -l100 -h20 --dump=f");
	assert_int_equal(session_begin(0), 0);
	assert_int_equal(session.pairs->count, 3);
	assert_null(tw_session_pair(&session, 3));
	for (k = 0; (pair = tw_session_pair(&session, k)); k++) {
		assert_int_equal(pair->number, k);
		assert_int_equal(pair->tally->pair, k);
		assert_int_equal(pair->task.period_ns, 500000);
		assert_int_equal(pair->task.loops, 100);
		assert_true(pair->gated);
		assert_true((char *)pair->ring >= (char *)pair &&
			    (char *)pair->ring + tw_ring_size(pair->ring->size)
			    <= (char *)pair + pair->shared_size);
		assert_ptr_equal(pair->tally->clock, &pair->task.clock);
	}
	assert_ptr_equal(tw_session_first(&session),
			 tw_session_pair(&session, 0));
	session.steps_done = 1;
	session_close();

	session_open(QUIET "-t2 -i500 -l100");
	assert_int_equal(session_begin(0), 0);
	pair = tw_session_pair(&session, 1);
	assert_int_equal(pair->task.period_ns, 1000000);
	assert_int_equal(pair->task.loops, 50);
	assert_int_equal(pair->tally->params.period_ns, 1000000);
	session.steps_done = 1;
	session_close();
}

/* One pair waits for nobody; but to be aligned, it too waits for a time. */
static void test_gated(void **state)
{
	static const struct { const char *line; bool gated; } rows[] = {
		{ QUIET "-l1", false }, { QUIET "-l1 -A", true },
		{ QUIET "-l1 -t2", true }, { QUIET "-l1 -t2 -A", true },
	};
	int value;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		session_open(rows[i].line);
		assert_int_equal(session_begin(0), 0);
		assert_int_equal(tw_session_first(&session)->gated,
				 rows[i].gated);
		assert_int_equal(sem_getvalue(&tw_session_first(&session)->gate,
					      &value), 0);
		assert_int_equal(value, 0);
		session.steps_done = 1;
		session_close();
	}
}

static void test_counts(void **state)
{
	struct tw_counts counts;

	(void)state;
	session_open(QUIET "-t3 -l1");
	begin(0);
	counts = tw_pairs_counts(session.pairs);
	assert_int_equal(counts.cycles, 33);
	assert_int_equal(counts.missed, 33);
	assert_int_equal(counts.warmup, 303);
	assert_int_equal(counts.warmup_missed, 3);
	assert_int_equal(counts.throttled, 5);
	session_close();
}

/* Pair by pair, over all steps. */
static void test_sum(void **state)
{
	struct tw_pairs sum;
	void *memory[3];
	unsigned int k;

	(void)state;
	session_open(QUIET "-t3 -l1 --load=fft --steps=2");
	begin(0);
	begin(1);
	assert_int_equal(tw_session_sum(&session, &sum), 0);
	assert_int_equal(sum.count, 3);
	for (k = 0; k < 3; k++) {
		memory[k] = sum.pair[k];
		assert_int_equal(sum.pair[k]->number, k);
		assert_int_equal(sum.pair[k]->tally->pair, k);
		assert_int_equal(sum.pair[k]->tally->cycles, 30 + 2 * k);
		assert_int_equal(sum.pair[k]->side[TW_CLIENT].child.stops,
				 2 + 2 * k);
	}
	tw_session_drop(&sum);
	for (k = 0; k < 3; k++)
		assert_false(is_mapped(memory[k]));

	assert_int_equal(session_finish(), 0);
	assert_ptr_equal(session.pairs, &session.merged);
	assert_int_equal(tw_pairs_counts(session.pairs).cycles, 96);
	assert_int_equal(session.steps[1].pair[2]->tally->cycles, 22);
	session_close();
}

/* So far: of one moment, and nothing of the run is touched. */
static void test_so_far(void **state)
{
	struct tw_session *copy;
	struct tw_pair *running;
	struct tw_run *run;

	(void)state;
	session_open(QUIET "-t3 -l1");
	begin(0);
	running = tw_session_pair(&session, 2);
	run = tw_session_so_far(&session.run);
	assert_non_null(run);
	copy = tw_session(run);
	assert_int_equal(copy->pairs->count, 3);
	assert_ptr_not_equal(tw_session_pair(copy, 2), running);
	assert_int_equal(tw_session_pair(copy, 2)->tally->cycles, 12);
	count_cycles(running, 1, 1);
	assert_int_equal(tw_session_pair(copy, 2)->tally->cycles, 12);
	/* Its only step is this sum. */
	assert_ptr_equal(copy->steps, copy->pairs);
	tw_session_forget(run);
	assert_int_equal(running->tally->cycles, 13);
	assert_ptr_equal(session.pairs, &session.steps[0]);
	session_close();
}

/* Any pair that measured nothing is a failure, and named. */
static void test_no_cycles(void **state)
{
	(void)state;
	session_open(QUIET "-t3 -D7 --warmup=1000");
	assert_int_equal(session_begin(0), 0);
	session.steps_done = 1;
	session.run.started = true;
	count_cycles(tw_session_pair(&session, 0), 3, 1);
	count_cycles(tw_session_pair(&session, 2), 3, 1);
	tw_session_pair(&session, 1)->tally->warmup = 77;
	assert_int_equal(session_finish(), -ENODATA);
	assert_string_equal(session.run.error, "not one cycle of pair 1 was measured: with --duration=7, time was up after 77 of 1000 warm-up cycles; give a longer duration, a smaller --warmup, or see what holds up the client");
	session_close();

	session_open(QUIET "-t2 -l1 --warmup=9");
	assert_int_equal(session_begin(0), 0);
	session.steps_done = 1;
	session.run.started = true;
	count_cycles(tw_session_pair(&session, 0), 1, 1);
	session.run.interrupted = SIGINT;
	assert_int_equal(session_finish(), -ENODATA);
	assert_string_equal(session.run.error, "not one cycle of pair 1 was measured: signal 2 (Interrupt) came after 0 of 9 warm-up cycles");
	session_close();
}

/* Room for @fit of @pairs, each of which a sum may have @sums times. */
static void check_room(const char *options, unsigned int pairs,
		       unsigned int fit, unsigned int sums)
{
	const uint64_t size = pair_size(options) * sums;
	char option[20], advice[50];

	snprintf(option, sizeof(option), "--threads=%u", pairs);
	snprintf(advice, sizeof(advice), "allowed are up to %u pairs here",
		 fit);
	free_memory = size * pairs;
	accepted(options);
	lacks_memory(options, size * fit, size * pairs, option, advice);
	lacks_memory(options, size * (fit + 1) - 1, size * pairs, option,
		     advice);
}

/* Of a ramp to @steps pairs: a sum of all, and 1, 2, 3... of them before. */
static void check_ramp(const char *options, unsigned int steps,
		       const char *option, const char *advice)
{
	const unsigned int pairs = steps * (steps + 1) / 2 + steps;

	needs_memory(options, pair_size(options) * pairs, option, advice);
}

/* The steps are to blame: there is no --threads. */
static void test_memory_of_ramp(void **state)
{
	(void)state;
	check_ramp(QUIET "-l1 --ramp=pairs --steps=2", 2, "--steps=2",
		   "give fewer steps");
	check_ramp(QUIET "-l1 --ramp=pairs --steps=99", 99, "--steps=99",
		   "give fewer steps");
	check_ramp(QUIET "-l1 --ramp=pairs --steps=256 -h7", 256,
		   "--histogram=7", "give fewer microseconds or steps");
}

static void test_memory(void **state)
{
	static const char options[] = QUIET "-l1 -t5 -h400000";
	uint64_t size;

	(void)state;
	check_room(QUIET "-l1 -t5", 5, 3, 1);
	check_room(QUIET "-l1 -t256 -h1000", 256, 255, 1);
	check_room(QUIET "-l1 -t9 -h1000 --dump=f", 9, 1, 1);
	check_room(QUIET "-l1 -t4 --load=fft --steps=3", 4, 2, 4);
	/* If not even one has room, the pairs are not to blame. */
	size = pair_size(options);
	lacks_memory(options, size - 1, 5 * size, "--histogram=400000",
		     "give fewer microseconds or steps");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_begin),
		TEST(test_gated),
		TEST(test_counts),
		TEST(test_sum),
		TEST(test_so_far),
		TEST(test_no_cycles),
		TEST(test_memory),
		TEST(test_memory_of_ramp),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
