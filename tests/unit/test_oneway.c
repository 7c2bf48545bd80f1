// SPDX-License-Identifier: GPL-2.0-or-later
/* The offset of two clocks, a line taken off: --oneway=bound. */
#include "two_clocks.h"

#define WINDOW	TW_ONEWAY_WINDOW
#define WARMUP	TW_ONEWAY_WARMUP

static struct tw_oneway oneway;

/* Of 50 us of network and up to 10 us more each way: half, and its line. */
static void is_bound(const struct outcome *outcome, int64_t most_ns)
{
	assert_true(outcome->result.known);
	assert_int_equal(outcome->result.phase, TW_ONEWAY_COUNTS);
	assert_in_range(outcome->result.uncertainty_ns, 25000, most_ns);
	assert_true(outcome->error_ns <= outcome->result.uncertainty_ns);
	assert_true(outcome->least_ns >= 0);
}

static struct outcome of(struct two_clocks *two, uint64_t cycles)
{
	tw_oneway_init(&oneway, TW_ONEWAY_BOUND);
	return pass(&oneway, two, cycles);
}

static void values_count_after_five_windows(void **state)
{
	struct two_clocks two = lan;
	struct outcome outcome;

	(void)state;
	outcome = of(&two, WARMUP);
	assert_int_equal(outcome.counted, 0);
	assert_int_equal(outcome.result.counted, 0);
	assert_int_equal(outcome.result.uncounted, WARMUP);
	assert_int_equal(outcome.result.windows, 5);
	assert_int_equal(outcome.result.first_seq, 0);
	assert_false(outcome.result.known);

	outcome = pass(&oneway, &two, WINDOW - 1);
	assert_int_equal(outcome.counted, WINDOW - 1);
	assert_int_equal(outcome.result.first_seq, WARMUP + 1);
	assert_false(outcome.result.known);

	outcome = pass(&oneway, &two, 1);
	assert_int_equal(outcome.result.counted, WINDOW);
	assert_int_equal(outcome.result.uncounted, WARMUP);
	assert_int_equal(outcome.result.windows, 6);
	assert_int_equal(outcome.result.mode, TW_ONEWAY_BOUND);
	is_bound(&outcome, 30000);
}

static void offset_is_between_the_ends(struct two_clocks two)
{
	struct outcome outcome = of(&two, WARMUP + 20 * WINDOW);
	int64_t at_ns = two.begin_ns + (int64_t)two.seq * two.period_ns;

	is_bound(&outcome, 30000);
	assert_true(distance_ns(outcome.result.offset_ns,
				true_offset(&two, at_ns)) <= 30000 + 64000);
	assert_int_equal(outcome.result.empty, 0);
	assert_int_equal(outcome.result.broken, 0);
	assert_int_equal(outcome.counted, 20 * WINDOW);
}

static void offset_may_have_any_size(void **state)
{
	static const int64_t offsets_ns[] = {
		0, 1, -1, 1000 * TW_NS_PER_S, -1000 * TW_NS_PER_S,
		INT64_C(1000000000000000000), -INT64_C(1000000000000000000),
	};
	struct two_clocks two = lan;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(offsets_ns) / sizeof(offsets_ns[0]); i++) {
		two.offset_ns = offsets_ns[i];
		offset_is_between_the_ends(two);
	}
}

static void rate_is_taken_off(void **state)
{
	static const double ppms[] = { 50, -50, 500, -500 };
	struct two_clocks two;
	struct outcome outcome;
	size_t i;

	(void)state;
	for (i = 0; i < 4; i++) {
		two = lan;
		two.offset_ns = -12 * TW_NS_PER_S;
		two.ppm = ppms[i];
		offset_is_between_the_ends(two);
		/* For a minute, which is 3 ms, and 30 ms. */
		outcome = of(&two, 60000);
		is_bound(&outcome, 30000);
		assert_true(outcome.result.has_rate);
		assert_true(outcome.result.ppm > ppms[i] - 0.3 &&
			    outcome.result.ppm < ppms[i] + 0.3);
		assert_int_equal(outcome.result.broken, 0);
	}
}

/* In a window of theirs, the clocks move by far more than the network takes. */
static void slow_runs_find_their_line(void **state)
{
	struct two_clocks two = lan;
	struct outcome outcome;

	(void)state;
	two.period_ns = TW_NS_PER_S;
	two.sleep_ns = TW_NS_PER_S / 2;
	two.ppm = 500;
	outcome = of(&two, 100 * WINDOW);
	is_bound(&outcome, 30000);
	assert_int_equal(outcome.result.empty, 0);
	assert_int_equal(outcome.result.broken, 0);
	assert_in_range(outcome.result.longest_ns, 63 * TW_NS_PER_S,
			64 * TW_NS_PER_S);
}

/* 10 ppm more in a minute: what a change of temperature does, and more. */
static void rate_may_wander(void **state)
{
	struct two_clocks two = lan;
	struct outcome outcome;

	(void)state;
	two.ppm = -5;
	two.ppm_per_s = 10 / 60.0;
	outcome = of(&two, 60000);
	is_bound(&outcome, 30000);
	assert_int_equal(outcome.result.broken, 0);
}

/* A year at once: the sums do not grow. */
static void old_windows_are_forgotten(void **state)
{
	struct two_clocks two = lan;
	struct outcome outcome;

	(void)state;
	two.ppm = 50;
	of(&two, 100 * WINDOW);
	two.offset_ns = true_offset(&two, two.begin_ns +
				    (int64_t)two.seq * two.period_ns);
	two.begin_ns += (int64_t)two.seq * two.period_ns;
	two.seq = 0;
	two.ppm = 51;
	outcome = pass(&oneway, &two, 100 * WINDOW);
	is_bound(&outcome, 31000);
	assert_int_equal(outcome.result.broken, 0);
	/* The last 16 have all of the new rate: the line is about as good. */
	assert_true(distance_ns(tw_line_ns(&oneway.line, 0),
				tw_line_ns(&oneway.line, TW_NS_PER_S)) >
		    50000);
	assert_true(oneway.line.rate > 50e-6 && oneway.line.rate < 52e-6);
}

static void step_begins_it_again(void **state)
{
	static const int64_t steps_ns[] = {
		TW_NS_PER_MS, -TW_NS_PER_MS, 1000 * TW_NS_PER_S,
		-INT64_C(1000000000000000000),
	};
	struct two_clocks two;
	struct outcome outcome;
	size_t i;

	(void)state;
	for (i = 0; i < 4; i++) {
		two = lan;
		of(&two, WARMUP + 5 * WINDOW + 20);
		step(&two, steps_ns[i]);
		outcome = pass(&oneway, &two, 1 + WARMUP);
		assert_int_equal(outcome.counted, 0);
		assert_int_equal(outcome.result.broken, 1);
		assert_int_equal(outcome.result.empty, 1);
		assert_int_equal(outcome.result.phase, TW_ONEWAY_COUNTS);

		outcome = pass(&oneway, &two, 10 * WINDOW);
		assert_int_equal(outcome.counted, 10 * WINDOW);
		assert_int_equal(outcome.result.broken, 1);
		is_bound(&outcome, 30000);
		assert_true(distance_ns(outcome.result.offset_ns,
					two.offset_ns) <= 30000);
		assert_true(outcome.result.ppm < 10 &&
			    outcome.result.ppm > -10);
		assert_true(outcome.result.first_seq == WARMUP + 1);
	}
}

/* The client's clock: of the server's, no time has passed. */
static void step_of_the_client_too(void **state)
{
	struct two_clocks two = lan;
	struct outcome outcome;

	(void)state;
	of(&two, WARMUP + 5 * WINDOW);
	two.begin_ns += TW_NS_PER_S;
	step(&two, -TW_NS_PER_S);
	outcome = pass(&oneway, &two, 1 + WARMUP + 10 * WINDOW);
	assert_int_equal(outcome.result.broken, 1);
	/* No window had begun, so there was nothing to contradict. */
	assert_int_equal(outcome.result.empty, 0);
	is_bound(&outcome, 30000);
}

static void step_during_the_warmup(void **state)
{
	struct two_clocks two;
	struct outcome outcome;
	uint64_t at;

	(void)state;
	for (at = 1; at < WARMUP; at += 7) {
		two = lan;
		of(&two, at);
		step(&two, TW_NS_PER_S);
		outcome = pass(&oneway, &two, 2 * WARMUP + 10 * WINDOW);
		assert_int_equal(outcome.result.phase, TW_ONEWAY_COUNTS);
		assert_true(outcome.counted >= 9 * WINDOW);
		is_bound(&outcome, 30000);
	}
}

/* A reply that is read before its request was sent. */
static void impossible_cycles_are_no_basis(void **state)
{
	struct two_clocks two = lan;
	int64_t true_t1, true_t2;
	struct tw_oneway_offset offset;
	struct tw_oneway_result result;
	struct tw_cycle cycle;
	struct outcome outcome;

	(void)state;
	of(&two, WINDOW + 10);
	cycle = next_cycle(&two, &true_t1, &true_t2);
	cycle.t2_ns += TW_NS_PER_MS;
	assert_false(tw_oneway_add(&oneway, &cycle, &offset));
	tw_oneway_read(&oneway, &result);
	assert_int_equal(result.empty, 1);
	/* The client's clock was set back, in the first window. */
	cycle.t3_ns = cycle.t0_ns - 1;
	assert_false(tw_oneway_add(&oneway, &cycle, &offset));
	tw_oneway_read(&oneway, &result);
	assert_int_equal(result.empty, 2);
	outcome = pass(&oneway, &two, WARMUP);
	assert_int_equal(outcome.result.phase, TW_ONEWAY_COUNTS);
	assert_int_equal(outcome.counted, 0);

	cycle = next_cycle(&two, &true_t1, &true_t2);
	cycle.t2_ns += TW_NS_PER_MS;
	assert_false(tw_oneway_add(&oneway, &cycle, &offset));
	tw_oneway_read(&oneway, &result);
	assert_int_equal(result.empty, 3);
	assert_int_equal(result.broken, 1);
}

static void one_way_may_take_longer(void **state)
{
	struct two_clocks two = lan;
	struct outcome outcome;

	(void)state;
	two.send_ns = 1000;
	two.receive_ns = 399000;
	outcome = of(&two, WARMUP + 20 * WINDOW);
	assert_in_range(outcome.result.uncertainty_ns, 200000, 212000);
	/* It is close to wrong by all that, and that is why it says so. */
	assert_in_range(outcome.error_ns, 190000,
			outcome.result.uncertainty_ns);
}

static void congestion_is_part_of_it(void **state)
{
	struct two_clocks two = lan;
	struct outcome outcome;

	(void)state;
	of(&two, WARMUP + 20 * WINDOW);
	two.send_ns += 1000000;
	pass(&oneway, &two, WINDOW);
	two.send_ns -= 1000000;
	outcome = pass(&oneway, &two, 20 * WINDOW);
	is_bound(&outcome, 1030000);
	assert_true(outcome.result.uncertainty_ns >= 1000000);
	assert_int_equal(outcome.result.broken, 0);
}

static void lost_cycles_are_not_there(void **state)
{
	struct tw_cycle lost = { .server_cpu = TW_CYCLE_LOST };
	struct two_clocks two = lan;
	struct tw_oneway_offset offset;
	struct outcome outcome;
	int i;

	(void)state;
	tw_oneway_init(&oneway, TW_ONEWAY_BOUND);
	for (i = 0; i < WARMUP + 3 * WINDOW; i++) {
		outcome = pass(&oneway, &two, 1);
		two.seq++;
		assert_false(tw_oneway_add(&oneway, &lost, &offset));
	}
	assert_int_equal(outcome.result.windows, 8);
	assert_int_equal(outcome.result.uncounted, WARMUP);
	assert_int_equal(outcome.result.counted, 3 * WINDOW);
	assert_int_equal(outcome.result.empty, 0);
	assert_in_range(outcome.result.uncertainty_ns, 25000, 31000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_count_after_five_windows),
		cmocka_unit_test(offset_may_have_any_size),
		cmocka_unit_test(rate_is_taken_off),
		cmocka_unit_test(slow_runs_find_their_line),
		cmocka_unit_test(rate_may_wander),
		cmocka_unit_test(old_windows_are_forgotten),
		cmocka_unit_test(step_begins_it_again),
		cmocka_unit_test(step_of_the_client_too),
		cmocka_unit_test(step_during_the_warmup),
		cmocka_unit_test(impossible_cycles_are_no_basis),
		cmocka_unit_test(one_way_may_take_longer),
		cmocka_unit_test(congestion_is_part_of_it),
		cmocka_unit_test(lost_cycles_are_not_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
