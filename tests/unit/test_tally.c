// SPDX-License-Identifier: GPL-2.0-or-later
/* The tally: what folds add up to. */
#include <string.h>

#include "unit_tally.h"

static void test_size(void **state)
{
	(void)state;
	assert_int_equal(tw_tally_size(3500),
			 offsetof(struct tw_tally, series) +
			 tw_series_size(TW_METRICS, 3500));
	assert_int_equal(tw_tally_size(INT64_MAX), SIZE_MAX);
}

static void check_set_up(const struct tw_metric_params *params)
{
	struct tw_tally *tally = new_tally(params, WIDTH);
	int id;

	assert_int_equal(tally->series.count, TW_METRICS);
	for (id = 0; id < TW_METRICS; id++) {
		const struct tw_metric *metric = &tw_metrics[id];
		const struct tw_stats *stats = &tally->series.row[id].stats;
		const struct tw_window *window = &tally->series.row[id].window;
		int64_t target_ns = 0;

		assert_int_equal(stats->has_target, metric->target &&
				 metric->target(params, &target_ns));
		assert_int_equal(stats->target_ns, target_ns);
		assert_int_equal(window->width_us, WIDTH);
		assert_int_equal(window->base_us, metric->base_us ?
				 metric->base_us(params, WIDTH) : 0);
	}
	drop_tally(tally, WIDTH);
}

static void test_init(void **state)
{
	const struct tw_metric_params closed = { .sleep_ns = 5000 };

	(void)state;
	check_set_up(&usual);
	check_set_up(&closed);
}

#define CYCLES	5000

static void check_metric(const struct tw_tally *tally, enum tw_metric_id id,
			 const struct tw_cycle *cycles)
{
	const struct tw_window *window = &tally->series.row[id].window;
	static struct tw_stats want;
	uint64_t sum = 0;
	int64_t target_ns;
	int worst = 0, i;
	bool targeted = tw_metrics[id].target &&
			tw_metrics[id].target(&tally->params, &target_ns);

	tw_stats_init(&want, targeted ? &target_ns : NULL);
	for (i = 0; i < CYCLES; i++) {
		int64_t value = tw_metrics[id].value_ns(&cycles[i],
							&tally->params);

		if (value > want.max_ns)
			worst = i;
		tw_stats_add(&want, value, 1.0 / (i + 1));
	}
	assert_memory_equal(&tally->series.row[id].stats, &want, sizeof(want));
	assert_memory_equal(&tally->worst[id].cycle, &cycles[worst],
			    CYCLE_BYTES);
	for (i = 0; i < WIDTH; i++)
		sum += window->counts[i];
	assert_int_equal(sum + tw_window_overflows(window), CYCLES);
}

static void test_fold(void **state)
{
	static struct tw_cycle cycles[CYCLES];
	struct tw_tally *tally = new_tally(&usual, WIDTH);
	struct tw_cycle cycle = { .seq = 2 };
	uint64_t seed = 4, missed = 0, inversions = 0;
	int i, id;

	(void)state;
	for (i = 0; i < CYCLES; i++) {
		advance(&cycle, &seed);
		cycles[i] = cycle;
		missed += cycle.missed;
		inversions += cycle.inversions;
		tw_tally_add(tally, &cycle);
		assert_int_equal(tally->series.version % 2, 0);
	}
	assert_int_equal(tally->cycles, CYCLES);
	assert_int_equal(tally->missed, missed);
	assert_int_equal(tally->inversions, inversions);
	assert_int_equal(tally->warmup, 0);
	assert_int_equal(tally->first_seq, 3);
	assert_int_equal(tally->start_ns, cycles[0].t0_ns);
	for (id = 0; id < TW_METRICS; id++)
		check_metric(tally, id, cycles);
	drop_tally(tally, WIDTH);
}

/* A cycle has 32 bits of them, their sum has more; the warm-up has none. */
static void test_many_inversions(void **state)
{
	const struct tw_cycle cycle = { .seq = 1, .inversions = UINT32_MAX };
	struct tw_tally *tally = new_tally(&usual, 0);
	struct tw_tally *other = new_tally(&usual, 0);

	(void)state;
	tw_tally_warmup(tally, &cycle);
	assert_int_equal(tally->inversions, 0);
	tw_tally_add(tally, &cycle);
	tw_tally_add(tally, &cycle);
	assert_int_equal(tally->inversions, 2 * (uint64_t)UINT32_MAX);
	tw_tally_add(other, &cycle);
	tw_tally_merge(other, tally);
	assert_int_equal(other->inversions, 3 * (uint64_t)UINT32_MAX);
	/* What was lost tells nothing of the server. */
	tw_tally_lose(tally, &cycle);
	assert_int_equal(tally->inversions, 2 * (uint64_t)UINT32_MAX);
	drop_tally(other, 0);
	drop_tally(tally, 0);
}

static void test_worst_is_first(void **state)
{
	struct tw_tally *tally = new_tally(&usual, 0);
	struct tw_cycle cycle = { .t3_ns = 5 };
	static const int64_t responses[] = { 5, 9, 7, 9, 9, 1 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(responses) / sizeof(responses[0]); i++) {
		cycle.seq++;
		cycle.t3_ns = responses[i];
		tw_tally_add(tally, &cycle);
	}
	assert_int_equal(tally->worst[TW_RESPONSE].cycle.seq, 2);
	assert_int_equal(tally->worst[TW_RESPONSE].cycle.t3_ns, 9);
	assert_int_equal(tally->worst[TW_SEND].cycle.seq, 1);
	drop_tally(tally, 0);
}

static void test_warmup(void **state)
{
	struct tw_tally *tally = new_tally(&usual, WIDTH);
	struct tw_cycle cycle = { .seq = 0 };
	uint64_t seed = 5, missed = 0;
	int i;

	(void)state;
	for (i = 0; i < 20; i++) {
		advance(&cycle, &seed);
		missed += cycle.missed;
		tw_tally_warmup(tally, &cycle);
	}
	assert_int_equal(tally->warmup, 20);
	assert_true(missed > 0);
	assert_int_equal(tally->warmup_missed, missed);
	assert_int_equal(tally->cycles, 0);
	assert_int_equal(tally->missed, 0);
	assert_int_equal(tally->series.row[TW_SEND].stats.count, 0);
	advance(&cycle, &seed);
	tw_tally_add(tally, &cycle);
	assert_int_equal(tally->first_seq, 21);
	assert_int_equal(tally->cycles, 1);
	drop_tally(tally, WIDTH);
}

/* The first measured cycle is number 0, whatever came before. */
/* In no statistic, but in the numbers of cycles and the missed expiries. */
static void test_lost(void **state)
{
	struct tw_tally *tally = new_tally(&usual, 0);
	struct tw_cycle cycle = { .seq = 2 };
	uint64_t seed = 5;
	int i;

	(void)state;
	for (i = 0; i < 6; i++) {
		advance(&cycle, &seed);
		cycle.missed = 10;
		if (i % 2)
			tw_tally_add(tally, &cycle);
		else
			tw_tally_lose(tally, &cycle);
		assert_int_equal(tally->last_t3_ns, cycle.t3_ns);
	}
	assert_int_equal(tally->lost, 3);
	assert_int_equal(tally->cycles, 3);
	assert_int_equal(tally->missed, 60);
	assert_int_equal(tally->first_seq, 3);
	assert_true(tally->start_ns < tally->last_t3_ns - 4000000);
	assert_int_equal(tally->series.row[TW_SEND].stats.count, 3);
	drop_tally(tally, 0);
}

static void test_overflow_numbers(void **state)
{
	struct tw_tally *tally = new_tally(&usual, WIDTH);
	const struct tw_window *window = &tally->series.row[TW_SEND].window;
	struct tw_cycle cycle = { .seq = 1 };

	(void)state;
	tw_tally_warmup(tally, &cycle);
	while (tally->cycles < 10) {
		/* Cycles 2, 5 and 8 are above the window. */
		cycle.t1_ns = tally->cycles % 3 == 2 ? 1000 * WIDTH : 0;
		cycle.seq++;
		tw_tally_add(tally, &cycle);
	}
	assert_int_equal(window->above, 3);
	assert_int_equal(window->below, 0);
	assert_int_equal(window->counts[0], 7);
	assert_int_equal(window->overflow_cycles[0], 2);
	assert_int_equal(window->overflow_cycles[1], 5);
	assert_int_equal(window->overflow_cycles[2], 8);
	drop_tally(tally, WIDTH);
}

/* A cycle of which all is zero but its total: late by as much. */
static struct tw_cycle with_total(uint64_t seq, int64_t total_ns)
{
	return (struct tw_cycle) {
		.seq = seq, .prev_t0_ns = 0, .planned_ns = usual.period_ns,
		.t0_ns = usual.period_ns,
		.t1_ns = usual.period_ns + total_ns,
		.t2_ns = usual.period_ns + total_ns + usual.sleep_ns,
		.t3_ns = usual.period_ns + total_ns + usual.sleep_ns,
		.client_cpu = (int32_t)seq, .server_cpu = -(int32_t)seq,
	};
}

/* What is kept of a worst cycle besides its times. */
static void test_kept(void **state)
{
	const int64_t ms = 1000000;
	const struct tw_cycle fast = with_total(5, 1000);
	const struct tw_cycle slow = with_total(6, 2 * ms);
	const struct tw_cycle stalled = with_total(7, 50 * ms);
	struct tw_tally *tally = new_tally(&usual, 0);
	const struct tw_kept *kept = &tally->worst[TW_SEND];

	(void)state;
	tally->step = 3;
	tally->stall_min_ns = 40 * ms;
	tally->stall_max_ns = 60 * ms;
	tw_tally_add(tally, &fast);
	tw_tally_add(tally, &slow);
	assert_memory_equal(&kept->cycle, &slow, CYCLE_BYTES);
	assert_int_equal(kept->step, 3);
	assert_false(kept->throttled);
	assert_true(tw_tally_is_throttled(tally, &stalled));
	assert_false(tw_tally_is_throttled(tally, &slow));
	tw_tally_add(tally, &stalled);
	assert_memory_equal(&kept->cycle, &stalled, CYCLE_BYTES);
	assert_int_equal(kept->step, 3);
	assert_true(kept->throttled);
	assert_int_equal(tally->throttled, 1);
	drop_tally(tally, 0);
}

/* t1 and t2 come over the wire: any times are taken, whatever they mean. */
static void test_any_times(void **state)
{
	static const int64_t times_ns[] = {
		INT64_MIN, INT64_MIN + 1, -1, 0, INT64_MAX,
	};
	const size_t count = sizeof(times_ns) / sizeof(times_ns[0]);
	struct tw_tally *tally = new_tally(&usual, WIDTH);
	struct tw_cycle cycle = { .t0_ns = 5, .t3_ns = 9 };
	struct tw_kept kept[1];

	(void)state;
	tw_tally_attach_spikes(tally, kept, 1, TW_TOTAL, 1);
	tally->stall_min_ns = 1;
	tally->stall_max_ns = 1000000;
	while (cycle.seq < count * count) {
		cycle.t1_ns = times_ns[cycle.seq % count];
		cycle.t2_ns = times_ns[cycle.seq / count];
		cycle.seq++;
		tw_tally_add(tally, &cycle);
	}
	assert_int_equal(tally->cycles, count * count);
	assert_int_equal(tally->series.row[TW_RESPONSE].stats.max_ns, 4);
	drop_tally(tally, WIDTH);
}

#define ROOM	4

/* Of those above the limit, not at it, the first are kept. */
static void test_spikes(void **state)
{
	static const int64_t totals_ns[] = {
		10, 5000, 5001, 4999, 7000, 0, 900000, 5002, 8000, 6000, 5000,
	};
	static const uint64_t want[ROOM] = { 2, 4, 6, 7 };
	struct tw_kept kept[ROOM + 1];
	struct tw_tally *tally = new_tally(&usual, 0);
	size_t i;

	(void)state;
	memset(kept, 0x55, sizeof(kept));
	tally->step = 2;
	tally->stall_min_ns = 900000;
	tally->stall_max_ns = 900000;
	tw_tally_attach_spikes(tally, kept, ROOM, TW_TOTAL, 5000);
	for (i = 0; i < sizeof(totals_ns) / sizeof(totals_ns[0]); i++) {
		const struct tw_cycle cycle = with_total(i, totals_ns[i]);

		tw_tally_add(tally, &cycle);
	}
	assert_int_equal(tally->spikes.seen, 6);
	assert_int_equal(tally->spikes.count, ROOM);
	for (i = 0; i < ROOM; i++) {
		const struct tw_cycle cycle =
			with_total(want[i], totals_ns[want[i]]);

		assert_memory_equal(&kept[i].cycle, &cycle, CYCLE_BYTES);
		assert_int_equal(kept[i].step, 2);
		assert_int_equal(kept[i].throttled, want[i] == 6);
	}
	/* Nothing beyond the room. */
	assert_int_equal(kept[ROOM].cycle.seq, UINT64_C(0x5555555555555555));
	drop_tally(tally, 0);
}

/* Without --spike none are even counted; a warm-up cycle never is one. */
static void test_no_spikes(void **state)
{
	const struct tw_cycle cycle = with_total(1, 1000000000);
	struct tw_tally *tally = new_tally(&usual, 0);
	struct tw_kept kept;

	(void)state;
	tw_tally_add(tally, &cycle);
	assert_int_equal(tally->spikes.seen, 0);
	tw_tally_attach_spikes(tally, &kept, 1, TW_TOTAL, 5000);
	tw_tally_warmup(tally, &cycle);
	assert_int_equal(tally->spikes.seen, 0);
	assert_int_equal(tally->spikes.count, 0);
	drop_tally(tally, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_size),
		cmocka_unit_test(test_init),
		cmocka_unit_test(test_fold),
		cmocka_unit_test(test_many_inversions),
		cmocka_unit_test(test_worst_is_first),
		cmocka_unit_test(test_warmup),
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_overflow_numbers),
		cmocka_unit_test(test_kept),
		cmocka_unit_test(test_any_times),
		cmocka_unit_test(test_spikes),
		cmocka_unit_test(test_no_spikes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
