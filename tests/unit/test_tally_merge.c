// SPDX-License-Identifier: GPL-2.0-or-later
/* Tallies of several steps as one, and the stalls that throttling explains. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "unit_tally.h"

#define CYCLES	3000
#define MS	INT64_C(1000000)

static bool close_to(double a, double b)
{
	return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

static void assert_same_stats(const struct tw_stats *got,
			      const struct tw_stats *want)
{
	assert_int_equal(got->count, want->count);
	assert_int_equal(got->last_ns, want->last_ns);
	assert_int_equal(got->min_ns, want->min_ns);
	assert_int_equal(got->max_ns, want->max_ns);
	assert_int_equal(got->sum_ns, want->sum_ns);
	assert_true(close_to(got->mean_ns, want->mean_ns));
	assert_true(close_to(got->m2_ns2, want->m2_ns2));
	assert_memory_equal(got->buckets, want->buckets,
			    sizeof(got->buckets));
}

static void assert_same_window(const struct tw_window *got,
			       const struct tw_window *want)
{
	assert_int_equal(got->below, want->below);
	assert_int_equal(got->above, want->above);
	assert_int_equal(got->kept, 0);
	assert_memory_equal(got->counts, want->counts,
			    WIDTH * sizeof(*got->counts));
}

static void assert_same(const struct tw_tally *got,
			const struct tw_tally *want)
{
	int id;

	assert_int_equal(got->warmup, want->warmup);
	assert_int_equal(got->warmup_missed, want->warmup_missed);
	assert_int_equal(got->cycles, want->cycles);
	assert_int_equal(got->missed, want->missed);
	assert_int_equal(got->throttled, want->throttled);
	assert_int_equal(got->lost, want->lost);
	assert_int_equal(got->inversions, want->inversions);
	assert_int_equal(got->first_seq, want->first_seq);
	assert_int_equal(got->start_ns, want->start_ns);
	for (id = 0; id < TW_METRICS; id++) {
		assert_same_stats(&got->series.row[id].stats,
				  &want->series.row[id].stats);
		assert_same_window(&got->series.row[id].window,
				   &want->series.row[id].window);
		assert_memory_equal(&got->worst[id].cycle,
				    &want->worst[id].cycle, CYCLE_BYTES);
		assert_int_equal(got->worst[id].throttled,
				 want->worst[id].throttled);
	}
}

/* Where the phases are this long, some stalls are counted and some not. */
static void expect_stalls(struct tw_tally *tally)
{
	tally->stall_min_ns = 55000;
	tally->stall_max_ns = 58000;
}

/* @parts tallies of unequal size, merged, against one of all cycles. */
static void check_merge(int parts, uint64_t seed)
{
	struct tw_tally *all = new_tally(&usual, WIDTH);
	struct tw_tally *merged = new_tally(&usual, WIDTH);
	struct tw_cycle cycle = { .seq = 5 };
	int part, i;

	expect_stalls(all);
	for (part = 0; part < parts; part++) {
		struct tw_tally *step = new_tally(&usual, WIDTH);

		expect_stalls(step);
		advance(&cycle, &seed);
		tw_tally_warmup(step, &cycle);
		tw_tally_warmup(all, &cycle);
		/* What is true of any cycle but a step's first. */
		step->last_t3_ns = all->last_t3_ns;
		for (i = 0; i < CYCLES / (part + 1); i++) {
			advance(&cycle, &seed);
			tw_tally_add(step, &cycle);
			tw_tally_add(all, &cycle);
		}
		tw_tally_merge(merged, step);
		drop_tally(step, WIDTH);
	}
	assert_true(all->throttled > 0 && all->throttled < all->cycles);
	assert_same(merged, all);
	drop_tally(merged, WIDTH);
	drop_tally(all, WIDTH);
}

static void test_merge(void **state)
{
	(void)state;
	check_merge(1, 7);
	check_merge(2, 8);
	check_merge(5, 9);
}

/* A step that was interrupted at once adds nothing, wherever it stands. */
static void test_merge_nothing(void **state)
{
	struct tw_tally *all = new_tally(&usual, WIDTH);
	struct tw_tally *merged = new_tally(&usual, WIDTH);
	struct tw_tally *empty = new_tally(&usual, WIDTH);
	struct tw_cycle cycle = { .seq = 5 };
	uint64_t seed = 3;
	int i;

	(void)state;
	for (i = 0; i < 10; i++) {
		advance(&cycle, &seed);
		tw_tally_add(all, &cycle);
	}
	tw_tally_merge(merged, empty);
	assert_int_equal(merged->cycles, 0);
	assert_int_equal(tw_series_status(&merged->series, TW_SEND).count, 0);
	tw_tally_merge(merged, all);
	tw_tally_merge(merged, empty);
	assert_same(merged, all);
	drop_tally(merged, WIDTH);
	drop_tally(empty, WIDTH);
	drop_tally(all, WIDTH);
}

/* Of equal maxima of two steps the first is the worst. */
static void test_merge_worst(void **state)
{
	struct tw_tally *merged = new_tally(&usual, WIDTH);
	struct tw_cycle cycle = { .t3_ns = 7000 };
	int step;

	(void)state;
	for (step = 1; step <= 3; step++) {
		struct tw_tally *tally = new_tally(&usual, WIDTH);

		tally->step = step;
		cycle.seq = step * 10;
		if (step == 3)
			cycle.t1_ns = 7000;
		tw_tally_add(tally, &cycle);
		tw_tally_merge(merged, tally);
		drop_tally(tally, WIDTH);
	}
	assert_int_equal(merged->worst[TW_RESPONSE].cycle.seq, 10);
	assert_int_equal(merged->worst[TW_SEND].cycle.seq, 30);
	/* And it stays known of which step it was. */
	assert_int_equal(merged->worst[TW_RESPONSE].step, 1);
	assert_int_equal(merged->worst[TW_SEND].step, 3);
	drop_tally(merged, WIDTH);
}

#define ROOM	5

/* A step whose @count first cycles are spikes; it has room for @room. */
static struct tw_tally *spiky_tally(int step, int count, uint64_t room)
{
	static struct tw_kept memory[3][ROOM];
	struct tw_tally *tally = new_tally(&usual, WIDTH);
	struct tw_cycle cycle = { .seq = 0 };

	tally->step = step;
	tw_tally_attach_spikes(tally, memory[step], room, TW_TOTAL, 50000);
	for (cycle.seq = 1; cycle.seq <= 9; cycle.seq++) {
		cycle.t0_ns = usual.period_ns;
		cycle.t1_ns = cycle.t0_ns;
		cycle.t2_ns = cycle.t1_ns + usual.sleep_ns;
		cycle.t3_ns = cycle.t2_ns + (count-- > 0 ? 50001 : 50000);
		tw_tally_add(tally, &cycle);
	}
	return tally;
}

static void assert_spikes(const struct tw_tally *tally, uint64_t seen,
			  const int (*want)[2], uint64_t count)
{
	uint64_t i;

	assert_int_equal(tally->spikes.seen, seen);
	assert_int_equal(tally->spikes.count, count);
	for (i = 0; i < count; i++) {
		assert_int_equal(tally->spikes.kept[i].step, want[i][0]);
		assert_int_equal(tally->spikes.kept[i].cycle.seq, want[i][1]);
	}
}

/* In order, as many as there is room for; all are counted. */
static void test_merge_spikes(void **state)
{
	static const int want[ROOM][2] = {
		{ 0, 1 }, { 0, 2 }, { 2, 1 }, { 2, 2 }, { 2, 3 },
	};
	struct tw_kept memory[ROOM];
	struct tw_tally *merged = new_tally(&usual, WIDTH);
	/* The first saw more than it kept, the second none. */
	struct tw_tally *steps[] = {
		spiky_tally(0, 3, 2), spiky_tally(1, 0, ROOM),
		spiky_tally(2, 5, ROOM),
	};

	(void)state;
	tw_tally_attach_spikes(merged, memory, ROOM, TW_TOTAL, 50000);
	tw_tally_merge(merged, steps[0]);
	assert_spikes(merged, 3, want, 2);
	tw_tally_merge(merged, steps[1]);
	assert_spikes(merged, 3, want, 2);
	tw_tally_merge(merged, steps[2]);
	assert_spikes(merged, 8, want, ROOM);
	tw_tally_merge(merged, steps[2]);
	assert_spikes(merged, 13, want, ROOM);
	drop_tally(steps[0], WIDTH);
	drop_tally(steps[1], WIDTH);
	drop_tally(steps[2], WIDTH);
	drop_tally(merged, WIDTH);
}

/* A tally in which stalls of 40 to 75 ms are throttling's. */
static struct tw_tally *throttled_tally(void)
{
	struct tw_tally *tally = new_tally(&usual, 0);

	tally->stall_min_ns = 40 * MS;
	tally->stall_max_ns = 75 * MS;
	return tally;
}

enum phase { LATE, SEND, SLEEP, RECEIVE, PHASES };

/* The cycle at 1 s, of 5, 10, 110 and 10 us but for one stall. */
static struct tw_cycle stalled(enum phase phase, int64_t stall_ns)
{
	int64_t late_ns = phase == LATE ? stall_ns : 5000;
	struct tw_cycle cycle = { .seq = 7, .planned_ns = 1000 * MS };

	cycle.prev_t0_ns = cycle.planned_ns - MS;
	cycle.t0_ns = cycle.planned_ns + late_ns;
	cycle.t1_ns = cycle.t0_ns + (phase == SEND ? stall_ns : 10000);
	cycle.t2_ns = cycle.t1_ns + usual.sleep_ns +
		      (phase == SLEEP ? stall_ns : 10000);
	cycle.t3_ns = cycle.t2_ns + (phase == RECEIVE ? stall_ns : 10000);
	return cycle;
}

static void test_throttled_phases(void **state)
{
	static const struct { int64_t stall_ns; int counted; } want[] = {
		{ 0, 0 }, { 40 * MS - 1, 0 }, { 40 * MS, 1 }, { 50 * MS, 1 },
		{ 75 * MS, 1 }, { 75 * MS + 1, 0 }, { 1000 * MS, 0 },
	};
	int phase;
	size_t i;

	(void)state;
	for (phase = 0; phase < PHASES; phase++)
		for (i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
			const struct tw_cycle cycle =
				stalled(phase, want[i].stall_ns);
			struct tw_tally *tally = throttled_tally();

			tw_tally_add(tally, &cycle);
			assert_int_equal(tally->throttled, want[i].counted);
			drop_tally(tally, 0);
		}
}

/* Where throttling cannot be, nothing is blamed on it. */
static void test_no_throttling(void **state)
{
	const struct tw_cycle cycle = stalled(SEND, 50 * MS);
	struct tw_tally *tally = new_tally(&usual, 0);

	(void)state;
	tw_tally_add(tally, &cycle);
	assert_int_equal(tally->throttled, 0);
	drop_tally(tally, 0);
}

/* A start that is late as the cycle before was stalled is no second stall. */
static void test_throttled_once(void **state)
{
	struct tw_cycle first = stalled(RECEIVE, 60 * MS), second = first;
	struct tw_tally *tally = throttled_tally();

	(void)state;
	second.seq++;
	second.prev_t0_ns = first.t0_ns;
	second.planned_ns = first.planned_ns + MS;
	second.t0_ns = first.t3_ns + 3000;
	second.t1_ns = second.t0_ns + 10000;
	second.t2_ns = second.t1_ns + usual.sleep_ns;
	second.t3_ns = second.t2_ns + 10000;
	assert_true(second.t0_ns - second.planned_ns > 40 * MS);
	tw_tally_add(tally, &first);
	assert_int_equal(tally->throttled, 1);
	tw_tally_add(tally, &second);
	assert_int_equal(tally->throttled, 1);

	/* But one that was stalled anew is. */
	second.seq++;
	second.planned_ns = second.t3_ns + MS;
	second.t0_ns = second.planned_ns + 50 * MS;
	second.t1_ns = second.t0_ns + 10000;
	second.t2_ns = second.t1_ns + usual.sleep_ns;
	second.t3_ns = second.t2_ns + 10000;
	tw_tally_add(tally, &second);
	assert_int_equal(tally->throttled, 2);
	drop_tally(tally, 0);
}

/* Two stalls in one cycle: it is the cycles that are counted. */
static void test_throttled_twice_in_one(void **state)
{
	struct tw_cycle cycle = stalled(SEND, 50 * MS);
	struct tw_tally *tally = throttled_tally();

	(void)state;
	cycle.t3_ns += 50 * MS;
	tw_tally_add(tally, &cycle);
	assert_int_equal(tally->throttled, 1);
	drop_tally(tally, 0);
}

/* The bins of --trltp-log: 10 us each, from 0, up to 200 ms. */
static void test_trltp(void **state)
{
	static const struct { int64_t send_ns; int bin; } want[] = {
		{ 0, 0 }, { 9999, 0 }, { 10000, 1 }, { 25000, 2 },
		{ 199999999, 19999 },
	};
	struct tw_tally *tally = new_tally(&usual, WIDTH);
	uint64_t *memory = calloc(1, TW_TRLTP_SIZE);
	const struct tw_window *send = &tally->trltp[TW_SEND];
	struct tw_cycle cycle = { .seq = 1 };
	size_t i;
	int id;

	(void)state;
	assert_non_null(memory);
	tw_tally_attach_trltp(tally, memory);
	for (i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		uint64_t before = send->counts[want[i].bin];

		cycle.t1_ns = want[i].send_ns;
		tw_tally_add(tally, &cycle);
		assert_int_equal(send->counts[want[i].bin], before + 1);
		assert_int_equal(tw_window_overflows(send), 0);
	}
	cycle.t1_ns = 200000000;
	tw_tally_add(tally, &cycle);
	assert_int_equal(send->above, 1);
	/* Each metric has bins of its own, all within the memory. */
	for (id = 0; id < TW_METRICS; id++) {
		assert_int_equal(tally->trltp[id].base_us, 0);
		assert_int_equal(tally->trltp[id].bin_us, 10);
		assert_int_equal(tally->trltp[id].width_us, 20000);
		assert_ptr_equal(tally->trltp[id].counts, memory + 20000 * id);
	}
	assert_int_equal(TW_TRLTP_SIZE, TW_METRICS * 20000 * sizeof(*memory));
	drop_tally(tally, WIDTH);
	free(memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_merge),
		cmocka_unit_test(test_merge_nothing),
		cmocka_unit_test(test_merge_worst),
		cmocka_unit_test(test_merge_spikes),
		cmocka_unit_test(test_throttled_phases),
		cmocka_unit_test(test_no_throttling),
		cmocka_unit_test(test_throttled_once),
		cmocka_unit_test(test_throttled_twice_in_one),
		cmocka_unit_test(test_trltp),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
