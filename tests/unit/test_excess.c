// SPDX-License-Identifier: GPL-2.0-or-later
/* What a value is made of: the parts add up to it, whatever the cycle. */
#include <math.h>
#include <stdlib.h>

#include "measure/tw_excess.h"
#include "unit_tally.h"

#define CYCLES	2000
#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

static const struct tw_metric_params set_ups[] = {
	{ .period_ns = 1000000, .sleep_ns = 100000 },
	{ .period_ns = 1000000, .sleep_ns = 100000, .total_trltp3 = true },
	{ .period_ns = 300000, .sleep_ns = 0, .total_trltp3 = true },
	{ .period_ns = 0, .sleep_ns = 100000 },
	{ .period_ns = 0, .sleep_ns = 0 },
	{ .period_ns = 1000000, .sleep_ns = 100000, .two_clocks = true },
	{ .period_ns = 0, .sleep_ns = 100000, .two_clocks = true },
};

static bool close_to(double a, double b)
{
	return fabs(a - b) <= 1e-9 * (1 + fmax(fabs(a), fabs(b)));
}

static void means_of(const struct tw_tally *tally,
		     double means_ns[TW_METRICS])
{
	int id;

	for (id = 0; id < TW_METRICS; id++)
		means_ns[id] = tw_stats_mean(&tally->series.row[id].stats);
}

static void check_sums(const struct tw_share *parts, int count,
		       int64_t value_ns, double mean_ns)
{
	const double excess_ns = (double)value_ns - mean_ns;
	double means_ns = 0, shares = 0;
	uint64_t values_ns = 0;
	int i;

	assert_true(count >= 1 && count <= TW_PARTS);
	for (i = 0; i < count; i++) {
		values_ns += (uint64_t)parts[i].value_ns;
		means_ns += parts[i].mean_ns;
		shares += parts[i].share;
		assert_true(close_to(parts[i].excess_ns,
				     (double)parts[i].value_ns -
				     parts[i].mean_ns));
		assert_true(excess_ns > 0 || parts[i].share == 0);
	}
	assert_int_equal(values_ns, value_ns);
	assert_true(fabs(means_ns - mean_ns) <= 1e-6);
	/* Where hardly anything is in excess, shares are all rounding. */
	if (excess_ns > 1)
		assert_true(fabs(shares - 1) <= 1e-6);
}

/* Of a metric that is one phase, or several, one after the other. */
static void check_phases(const struct tw_cycle *cycle,
			 const struct tw_metric_params *params,
			 const struct tw_share *parts, int count,
			 enum tw_metric_id id)
{
	static const struct tw_metric_list ways[TW_METRICS][TW_CLOCKINGS] = {
		[TW_PLANNED] = {
			{ 4, { TW_WAKEUP, TW_SEND, TW_SLEEP, TW_RECEIVE } },
			{ 3, { TW_WAKEUP, TW_NETWORK, TW_SLEEP } },
		},
		[TW_RESPONSE] = {
			{ 3, { TW_SEND, TW_SLEEP, TW_RECEIVE } },
			{ 2, { TW_NETWORK, TW_SLEEP } },
		},
		[TW_NETWORK] = { { 2, { TW_SEND, TW_RECEIVE } } },
	};
	const struct tw_metric_list *way = &ways[id][params->two_clocks];
	int i;

	if (!way->count) {
		assert_int_equal(count, 1);
		assert_int_equal(parts[0].phase, id);
		return;
	}
	assert_int_equal(count, way->count);
	for (i = 0; i < count; i++) {
		assert_int_equal(parts[i].phase, way->id[i]);
		assert_int_equal(parts[i].value_ns,
				 tw_metrics[way->id[i]].value_ns(cycle,
								 params));
	}
}

/* In total, sleep and interval are what they are off by. */
static void check_total(const struct tw_cycle *cycle,
			const struct tw_metric_params *params,
			const struct tw_share *parts, int count)
{
	int64_t interval_ns = cycle->t0_ns - cycle->prev_t0_ns;
	int64_t asked_ns = params->period_ns;

	if (params->total_trltp3) {
		interval_ns = cycle->t1_ns - cycle->prev_t0_ns;
		asked_ns = INT64_C(1000000000000) / params->period_ns;
	}
	assert_int_equal(count, params->two_clocks ? 3 : 4);
	if (params->two_clocks) {
		assert_int_equal(parts[0].phase, TW_NETWORK);
		assert_int_equal(parts[0].value_ns,
				 cycle->t3_ns - cycle->t0_ns -
				 (cycle->t2_ns - cycle->t1_ns));
	} else {
		assert_int_equal(parts[0].phase, TW_SEND);
		assert_int_equal(parts[0].value_ns,
				 cycle->t1_ns - cycle->t0_ns);
		assert_int_equal(parts[2].phase, TW_RECEIVE);
		assert_int_equal(parts[2].value_ns,
				 cycle->t3_ns - cycle->t2_ns);
	}
	assert_int_equal(parts[1].phase, TW_SLEEP);
	assert_int_equal(parts[1].value_ns,
			 llabs(cycle->t2_ns - cycle->t1_ns -
			       params->sleep_ns));
	assert_int_equal(parts[count - 1].phase, TW_INTERVAL);
	assert_int_equal(parts[count - 1].value_ns, asked_ns ?
			 llabs(interval_ns - asked_ns) : 0);
}

static void check_cycle(const struct tw_cycle *cycle,
			const struct tw_metric_params *params,
			const double means_ns[TW_METRICS])
{
	struct tw_share parts[TW_PARTS];
	int id;

	for (id = 0; id < TW_METRICS; id++) {
		int count = tw_excess(cycle, params, means_ns, id, parts);

		if (tw_metric_lacks(id, params))
			continue;
		check_sums(parts, count,
			   tw_metrics[id].value_ns(cycle, params),
			   means_ns[id]);
		if (id == TW_TOTAL)
			check_total(cycle, params, parts, count);
		else
			check_phases(cycle, params, parts, count, id);
	}
}

static void test_random(void **state)
{
	static struct tw_cycle cycles[CYCLES];
	double means_ns[TW_METRICS];
	struct tw_tally *tally;
	uint64_t seed = 11;
	size_t i, j;

	(void)state;
	for (i = 0; i < COUNT(set_ups); i++) {
		struct tw_cycle cycle = { .seq = 0 };

		tally = new_tally(&set_ups[i], 0);
		for (j = 0; j < CYCLES; j++) {
			advance(&cycle, &seed);
			if (!set_ups[i].period_ns)
				cycle.planned_ns = cycle.t0_ns;
			cycles[j] = cycle;
			tw_tally_add(tally, &cycle);
		}
		means_of(tally, means_ns);
		for (j = 0; j < CYCLES; j++)
			check_cycle(&cycles[j], &set_ups[i], means_ns);
		drop_tally(tally, 0);
	}
}

static void assert_part(const struct tw_share *part, enum tw_metric_id phase,
			int64_t value_ns, double mean_ns, double share)
{
	assert_int_equal(part->phase, phase);
	assert_int_equal(part->value_ns, value_ns);
	assert_true(close_to(part->mean_ns, mean_ns));
	assert_true(close_to(part->excess_ns, (double)value_ns - mean_ns));
	assert_true(close_to(part->share, share));
}

/* By hand: 4 us of send and 36 of sleep too many, 4 of receive too few. */
static void test_by_hand(void **state)
{
	const struct tw_cycle cycle = {
		.planned_ns = 2000000, .prev_t0_ns = 1000000,
		.t0_ns = 2002000, .t1_ns = 2016000, .t2_ns = 2156000,
		.t3_ns = 2162000,
	};
	const double means_ns[TW_METRICS] = {
		[TW_INTERVAL] = 1000000, [TW_SEND] = 10000,
		[TW_SLEEP] = 104000, [TW_RECEIVE] = 10000,
		[TW_RESPONSE] = 124000, [TW_TOTAL] = 26000,
		[TW_WAKEUP] = 2000, [TW_PLANNED] = 126000,
	};
	struct tw_share parts[TW_PARTS];

	(void)state;
	assert_int_equal(tw_excess(&cycle, &usual, means_ns, TW_RESPONSE,
				   parts), 3);
	assert_part(&parts[0], TW_SEND, 14000, 10000, 4.0 / 36);
	assert_part(&parts[1], TW_SLEEP, 140000, 104000, 1);
	assert_part(&parts[2], TW_RECEIVE, 6000, 10000, -4.0 / 36);
	assert_int_equal(tw_excess(&cycle, &usual, means_ns, TW_PLANNED,
				   parts), 4);
	assert_part(&parts[0], TW_WAKEUP, 2000, 2000, 0);
	assert_part(&parts[1], TW_SEND, 14000, 10000, 4.0 / 36);
	assert_int_equal(tw_excess(&cycle, &usual, means_ns, TW_TOTAL,
				   parts), 4);
	assert_part(&parts[0], TW_SEND, 14000, 10000, 4.0 / 36);
	assert_part(&parts[1], TW_SLEEP, 40000, 4000, 1);
	assert_part(&parts[2], TW_RECEIVE, 6000, 10000, -4.0 / 36);
	/* Of total's mean, 26, the others have 24: 2 are the interval's. */
	assert_part(&parts[3], TW_INTERVAL, 2000, 2000, 0);
	assert_int_equal(tw_excess(&cycle, &usual, means_ns, TW_SEND, parts),
			 1);
	assert_part(&parts[0], TW_SEND, 14000, 10000, 1);
}

/* Set back, a clock may show sleeps shorter than asked for, at all or once. */
static void test_short_sleeps(void **state)
{
	const struct tw_cycle cycle = {
		.planned_ns = 2000000, .prev_t0_ns = 1000000,
		.t0_ns = 2000000, .t1_ns = 2010000, .t2_ns = 2080000,
		.t3_ns = 2090000,
	};
	const double means_ns[TW_METRICS] = {
		[TW_SEND] = 10000, [TW_SLEEP] = 96000, [TW_RECEIVE] = 10000,
		[TW_TOTAL] = 25000,
	};
	struct tw_share parts[TW_PARTS];

	(void)state;
	assert_int_equal(tw_excess(&cycle, &usual, means_ns, TW_TOTAL, parts),
			 4);
	assert_part(&parts[0], TW_SEND, 10000, 10000, 0);
	assert_part(&parts[1], TW_SLEEP, 30000, 4000, 26.0 / 25);
	assert_part(&parts[2], TW_RECEIVE, 10000, 10000, 0);
	assert_part(&parts[3], TW_INTERVAL, 0, 1000, -1.0 / 25);
}

/* What does not exceed its mean has no shares, though its parts differ. */
static void test_no_excess(void **state)
{
	const struct tw_cycle cycle = {
		.t1_ns = 20000, .t2_ns = 120000, .t3_ns = 125000,
	};
	double means_ns[TW_METRICS] = {
		[TW_SEND] = 10000, [TW_SLEEP] = 100000, [TW_RECEIVE] = 15000,
		[TW_RESPONSE] = 125000,
	};
	struct tw_share parts[TW_PARTS];

	(void)state;
	for (; means_ns[TW_RESPONSE] < 130000; means_ns[TW_RESPONSE] += 2500) {
		tw_excess(&cycle, &usual, means_ns, TW_RESPONSE, parts);
		assert_part(&parts[0], TW_SEND, 20000, 10000, 0);
		assert_part(&parts[1], TW_SLEEP, 100000, 100000, 0);
		assert_part(&parts[2], TW_RECEIVE, 5000, 15000, 0);
	}
}

/* t1 and t2 come over the wire: any times give sums, modulo 2^64. */
static void test_any_times(void **state)
{
	static const int64_t times_ns[] = {
		INT64_MIN, INT64_MIN + 1, -1, 0, 100000, INT64_MAX,
	};
	const double means_ns[TW_METRICS] = { 0 };
	struct tw_share parts[TW_PARTS];
	struct tw_cycle cycle = { .t0_ns = 5, .t3_ns = 9 };
	size_t i, j, k;
	int id;

	(void)state;
	for (i = 0; i < COUNT(times_ns); i++)
		for (j = 0; j < COUNT(times_ns); j++)
			for (k = 0; k < COUNT(set_ups); k++) {
				cycle.t1_ns = times_ns[i];
				cycle.t2_ns = times_ns[j];
				for (id = 0; id < TW_METRICS; id++) {
					uint64_t sum_ns = 0;
					int n = tw_excess(&cycle, &set_ups[k],
							  means_ns, id, parts);

					while (n--)
						sum_ns += parts[n].value_ns;
					assert_int_equal(sum_ns,
						tw_metrics[id].value_ns(
							&cycle, &set_ups[k]));
				}
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_by_hand),
		cmocka_unit_test(test_short_sleeps),
		cmocka_unit_test(test_no_excess),
		cmocka_unit_test(test_any_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
