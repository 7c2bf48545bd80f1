// SPDX-License-Identifier: GPL-2.0-or-later
/* Two clocks that claim to show one time: --oneway=sync. And sums of results. */
#include "two_clocks.h"

#define WINDOW	TW_ONEWAY_WINDOW
#define PROOF	(TW_ONEWAY_PROOF * WINDOW)

static struct tw_oneway oneway;

static struct outcome of(struct two_clocks *two, uint64_t cycles)
{
	tw_oneway_init(&oneway, TW_ONEWAY_SYNC);
	return pass(&oneway, two, cycles);
}

static void three_windows_come_first(void **state)
{
	struct two_clocks two = lan;
	struct outcome outcome;

	(void)state;
	outcome = of(&two, PROOF);
	assert_int_equal(outcome.counted, 0);
	assert_int_equal(outcome.result.windows, 3);
	assert_int_equal(outcome.result.uncounted, PROOF);
	assert_false(outcome.result.known);
	outcome = pass(&oneway, &two, WINDOW - 1);
	assert_int_equal(outcome.counted, WINDOW - 1);
	assert_int_equal(outcome.result.first_seq, PROOF + 1);
	assert_false(outcome.result.known);
	outcome = pass(&oneway, &two, 1);
	assert_true(outcome.result.known);
	assert_int_equal(outcome.result.phase, TW_ONEWAY_COUNTS);
	assert_int_equal(outcome.result.mode, TW_ONEWAY_SYNC);
	assert_in_range(outcome.result.longest_ns, 63100000, 63200000);
}

/* As measured: nothing is taken off, of either. */
static void values_are_as_measured(void **state)
{
	struct two_clocks two = lan;
	struct tw_oneway_offset offset = { 1, 1 };
	int64_t true_t1, true_t2;
	struct tw_cycle cycle;

	(void)state;
	two.offset_ns = 3000;
	of(&two, PROOF);
	cycle = next_cycle(&two, &true_t1, &true_t2);
	assert_true(tw_oneway_add(&oneway, &cycle, &offset));
	assert_int_equal(offset.t1_ns, 0);
	assert_int_equal(offset.t2_ns, 0);
}

/* Least 20 us there and 30 us back: the end is that of one of both ways. */
static void uncertainty_is_the_farthest_end(void **state)
{
	struct two_clocks two = lan;
	struct outcome outcome;

	(void)state;
	outcome = of(&two, PROOF + 20 * WINDOW);
	assert_in_range(outcome.result.uncertainty_ns, 30000, 32000);
	assert_true(distance_ns(outcome.result.offset_ns, 0) <= 6000);
	assert_true(outcome.result.has_rate);

	two = lan;
	two.offset_ns = -19000;
	outcome = of(&two, PROOF + 20 * WINDOW);
	assert_in_range(outcome.result.uncertainty_ns, 49000, 51000);
	assert_int_equal(outcome.error_ns, 19000);

	two = lan;
	two.offset_ns = 29000;
	outcome = of(&two, PROOF + 20 * WINDOW);
	assert_in_range(outcome.result.uncertainty_ns, 49000, 51000);
	assert_int_equal(outcome.error_ns, 29000);
}

/* The windows that it began with are part of the proof. */
static void first_windows_are_included(void **state)
{
	struct two_clocks two = lan;
	struct outcome outcome;

	(void)state;
	two.receive_ns = 500000;
	of(&two, WINDOW);
	two.receive_ns = 30000;
	outcome = pass(&oneway, &two, 10 * WINDOW);
	assert_in_range(outcome.result.uncertainty_ns, 500000, 510000);

	/* Not those before these: a window without 0 comes in between. */
	two = lan;
	two.receive_ns = 500000;
	of(&two, 2 * WINDOW);
	two.receive_ns = 30000;
	step(&two, TW_NS_PER_MS);
	pass(&oneway, &two, WINDOW);
	step(&two, -TW_NS_PER_MS);
	outcome = pass(&oneway, &two, PROOF);
	assert_int_equal(outcome.counted, 0);
	assert_int_equal(outcome.result.phase, TW_ONEWAY_COUNTS);
	outcome = pass(&oneway, &two, WINDOW);
	assert_int_equal(outcome.counted, WINDOW);
	assert_in_range(outcome.result.uncertainty_ns, 30000, 32000);
}

static void other_clocks_never_count(void **state)
{
	static const int64_t offsets_ns[] = {
		41000, -31000, 12 * TW_NS_PER_S, -12 * TW_NS_PER_S,
		INT64_C(1000000000000000000), -INT64_C(1000000000000000000),
	};
	struct two_clocks two;
	struct outcome outcome;
	size_t i;

	(void)state;
	for (i = 0; i < 6; i++) {
		two = lan;
		two.offset_ns = offsets_ns[i];
		outcome = of(&two, 20 * WINDOW);
		assert_int_equal(outcome.counted, 0);
		assert_int_equal(outcome.result.phase, TW_ONEWAY_WAITS);
		assert_int_equal(outcome.result.uncounted, 20 * WINDOW);
		assert_false(outcome.result.known);
		assert_int_equal(outcome.result.windows, 20);
		assert_true(distance_ns(outcome.result.offset_ns,
					offsets_ns[i]) <= 30000);
	}
}

/* A clock that is being steered there. */
static void clocks_may_agree_later(void **state)
{
	struct two_clocks two = lan;
	struct outcome outcome;

	(void)state;
	two.offset_ns = TW_NS_PER_S;
	outcome = of(&two, 5 * WINDOW + 10);
	assert_int_equal(outcome.counted, 0);
	step(&two, -TW_NS_PER_S);
	/* The window amid which it happens is empty, and no point of a line. */
	outcome = pass(&oneway, &two, WINDOW - 10);
	assert_int_equal(outcome.result.empty, 1);
	assert_int_equal(outcome.counted, 0);
	outcome = pass(&oneway, &two, PROOF + 2 * WINDOW);
	assert_int_equal(outcome.counted, 2 * WINDOW);
	assert_true(outcome.result.known);
	assert_true(outcome.result.ppm > -100 && outcome.result.ppm < 100);
	assert_true(outcome.result.longest_ns < 64 * TW_NS_PER_MS);
}

static void first_contradiction_makes_it_void(void **state)
{
	struct two_clocks two = lan;
	struct outcome outcome;

	(void)state;
	of(&two, PROOF + 5 * WINDOW + 20);
	step(&two, TW_NS_PER_MS);
	outcome = pass(&oneway, &two, 1000);
	assert_int_equal(outcome.counted, 0);
	assert_int_equal(outcome.result.phase, TW_ONEWAY_VOID);
	assert_int_equal(outcome.result.counted, 5 * WINDOW + 20);
	assert_int_equal(outcome.result.uncounted, PROOF + 1000);
	assert_int_equal(outcome.result.windows, 8);
	assert_int_equal(outcome.result.empty, 1);
	assert_int_equal(outcome.result.void_seq, PROOF + 5 * WINDOW + 21);
	assert_true(distance_ns(outcome.result.void_t3_ns, two.begin_ns +
				(int64_t)outcome.result.void_seq *
				two.period_ns) < TW_NS_PER_MS);
	/* The server is ahead by 1 ms less 60 us; before, by 30 us at most. */
	assert_in_range(outcome.result.void_ends.lower_ns, 900000, 1000000);
	assert_in_range(outcome.result.void_ends.upper_ns, 20000, 30000);

	/* And that it stays, even if the clocks agree again. */
	step(&two, -TW_NS_PER_MS);
	outcome = pass(&oneway, &two, 1000);
	assert_int_equal(outcome.counted, 0);
	assert_int_equal(outcome.result.phase, TW_ONEWAY_VOID);
	assert_int_equal(outcome.result.void_seq, PROOF + 5 * WINDOW + 21);
}

/* Of one window, at its begin and at its end. */
static void one_bad_window_suffices(void **state)
{
	static const int64_t steps_ns[] = { TW_NS_PER_S, -TW_NS_PER_S };
	struct two_clocks two;
	struct outcome outcome;
	unsigned int i, at;

	(void)state;
	for (i = 0; i < 2; i++) {
		for (at = 0; at < WINDOW; at += 21) {
			two = lan;
			of(&two, PROOF + WINDOW + at);
			step(&two, steps_ns[i]);
			pass(&oneway, &two, 1);
			step(&two, -steps_ns[i]);
			outcome = pass(&oneway, &two, 10 * WINDOW);
			assert_int_equal(outcome.result.phase,
					 TW_ONEWAY_VOID);
			assert_int_equal(outcome.result.void_seq,
					 PROOF + WINDOW + at + 1);
			/* With a fresh window there was no contradiction. */
			assert_int_equal(outcome.result.empty, at > 0);
		}
	}
}

/* 50 ppm: a clock that nobody steers any more. */
static void drift_makes_it_void(void **state)
{
	struct two_clocks two = lan;
	struct outcome outcome;

	(void)state;
	two.ppm = 50;
	outcome = of(&two, 10000);
	assert_int_equal(outcome.result.phase, TW_ONEWAY_VOID);
	assert_true(outcome.counted > PROOF && outcome.counted < 1000);
	assert_true(outcome.error_ns <= outcome.result.uncertainty_ns);
	assert_true(outcome.least_ns >= 0);
}

static void lost_cycles_prove_nothing(void **state)
{
	struct tw_cycle lost = { .server_cpu = TW_CYCLE_LOST };
	struct tw_oneway_result result;
	struct tw_oneway_offset offset;
	int i;

	(void)state;
	tw_oneway_init(&oneway, TW_ONEWAY_SYNC);
	for (i = 0; i < 1000; i++)
		assert_false(tw_oneway_add(&oneway, &lost, &offset));
	tw_oneway_read(&oneway, &result);
	assert_int_equal(result.windows, 0);
	assert_int_equal(result.uncounted, 0);
}

static const struct tw_oneway_result good = {
	.mode = TW_ONEWAY_SYNC, .phase = TW_ONEWAY_COUNTS, .windows = 10,
	.empty = 1, .broken = 2, .counted = 300, .uncounted = 40,
	.first_seq = 41, .known = true, .uncertainty_ns = 5000,
	.offset_ns = 7, .longest_ns = 64, .has_rate = true, .ppm = 3,
};
static const struct tw_oneway_result voided = {
	.mode = TW_ONEWAY_SYNC, .phase = TW_ONEWAY_VOID, .windows = 5,
	.empty = 3, .broken = 4, .counted = 100, .uncounted = 1000,
	.first_seq = 71, .known = true, .uncertainty_ns = 4000,
	.offset_ns = 8, .longest_ns = 65, .has_rate = true, .ppm = -3,
	.void_seq = 500, .void_t3_ns = 9, .void_ends = { 10, 11 },
};

static void sum_of_one_is_that(void **state)
{
	struct tw_oneway_result sum = { .mode = TW_ONEWAY_OFF };

	(void)state;
	tw_oneway_merge(&sum, &voided);
	assert_memory_equal(&sum, &voided, sizeof(sum));
	/* Nor does one that has not begun change it. */
	tw_oneway_init(&oneway, TW_ONEWAY_SYNC);
	tw_oneway_merge(&sum, &oneway.result);
	assert_memory_equal(&sum, &voided, sizeof(sum));
	sum = oneway.result;
	tw_oneway_merge(&sum, &voided);
	assert_memory_equal(&sum, &voided, sizeof(sum));
}

static void has_sums(const struct tw_oneway_result *sum)
{
	assert_int_equal(sum->windows, 15);
	assert_int_equal(sum->empty, 4);
	assert_int_equal(sum->broken, 6);
	assert_int_equal(sum->counted, 400);
	assert_int_equal(sum->uncounted, 1040);
	assert_int_equal(sum->phase, TW_ONEWAY_VOID);
	assert_int_equal(sum->uncertainty_ns, 5000);
	assert_int_equal(sum->longest_ns, 65);
	assert_int_equal(sum->void_seq, 500);
	assert_int_equal(sum->void_t3_ns, 9);
	assert_int_equal(sum->void_ends.lower_ns, 10);
	assert_int_equal(sum->void_ends.upper_ns, 11);
	assert_true(sum->known);
}

static void sum_is_the_worst_of_all(void **state)
{
	struct tw_oneway_result sum = good, first, nothing = good;

	(void)state;
	tw_oneway_merge(&sum, &voided);
	has_sums(&sum);
	assert_int_equal(sum.first_seq, 41);
	assert_int_equal(sum.offset_ns, 8);

	sum = voided;
	tw_oneway_merge(&sum, &good);
	has_sums(&sum);
	assert_int_equal(sum.first_seq, 71);
	assert_int_equal(sum.offset_ns, 7);

	/* Of two that are void, the first. */
	sum = first = voided;
	first.void_seq = 600;
	tw_oneway_merge(&sum, &first);
	assert_int_equal(sum.void_seq, 500);

	nothing.phase = TW_ONEWAY_WAITS;
	nothing.known = false;
	nothing.first_seq = 0;
	sum = good;
	tw_oneway_merge(&sum, &nothing);
	assert_int_equal(sum.phase, TW_ONEWAY_WAITS);
	assert_false(sum.known);
	assert_int_equal(sum.first_seq, 41);
	sum = nothing;
	tw_oneway_merge(&sum, &good);
	assert_int_equal(sum.phase, TW_ONEWAY_WAITS);
	assert_false(sum.known);
	assert_int_equal(sum.first_seq, 41);
}

static void demand_is_met_or_not_or_undecided(void **state)
{
	struct tw_oneway_result unknown = good;
	bool decided;

	(void)state;
	assert_true(tw_oneway_within(&good, 5000, &decided));
	assert_true(decided);
	assert_false(tw_oneway_within(&good, 4999, &decided));
	assert_true(decided);
	assert_false(tw_oneway_within(&voided, 5000, &decided));
	assert_false(decided);
	unknown.known = false;
	assert_false(tw_oneway_within(&unknown, 5000, &decided));
	assert_false(decided);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(three_windows_come_first),
		cmocka_unit_test(values_are_as_measured),
		cmocka_unit_test(uncertainty_is_the_farthest_end),
		cmocka_unit_test(first_windows_are_included),
		cmocka_unit_test(other_clocks_never_count),
		cmocka_unit_test(clocks_may_agree_later),
		cmocka_unit_test(first_contradiction_makes_it_void),
		cmocka_unit_test(one_bad_window_suffices),
		cmocka_unit_test(drift_makes_it_void),
		cmocka_unit_test(lost_cycles_prove_nothing),
		cmocka_unit_test(sum_of_one_is_that),
		cmocka_unit_test(sum_is_the_worst_of_all),
		cmocka_unit_test(demand_is_met_or_not_or_undecided),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
