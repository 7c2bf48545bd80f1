// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A server's clock of its own: what is defined is as with one clock, and what
 * is not leaves no trace in the statistics.
 */
#include <math.h>
#include <stdlib.h>

#include "clocks.h"
#include "measure/tw_excess.h"
#include "unit_tally.h"

#define CYCLES	2000
#define PPM	100
/* What 100 ppm make of the longest sleep, 200 us, and of rounding. */
#define DRIFT_NS	(200 * PPM / 1000 + 2)

static const struct tw_metric_params two = {
	.period_ns = 1000000, .sleep_ns = 100000, .two_clocks = true,
};

static const struct tw_metric_params two_closed = {
	.sleep_ns = 100000, .two_clocks = true,
};

/* Both tallies get the same cycles, each by its clocks. */
static void fill(struct tw_tally *one, struct tw_tally *other,
		 double fast_ppm)
{
	struct tw_cycle cycle = { .seq = 0 }, far;
	uint64_t seed = 12;
	int i;

	for (i = 0; i < CYCLES; i++) {
		advance(&cycle, &seed);
		if (!other->params.period_ns)
			cycle.planned_ns = cycle.t0_ns;
		far = on_two_clocks(&cycle, fast_ppm);
		tw_tally_add(one, &cycle);
		tw_tally_add(other, &far);
	}
}

static void check_near(double a, double b, double most)
{
	if (fabs(a - b) > most)
		fail_msg("%f is not %f within %f", a, b, most);
}

static void check_defined(const struct tw_tally *one,
			  const struct tw_tally *other, int id, double most)
{
	const struct tw_status a = tw_series_status(&one->series, id);
	const struct tw_status b = tw_series_status(&other->series, id);
	int64_t low_ns, high_ns;

	assert_int_equal(b.count, CYCLES);
	check_near((double)a.min_ns, (double)b.min_ns, most);
	check_near((double)a.max_ns, (double)b.max_ns, most);
	check_near((double)a.last_ns, (double)b.last_ns, most);
	check_near(a.mean_ns, b.mean_ns, most);
	check_near(a.deviation_ns, b.deviation_ns, most);
	assert_true(tw_series_percentile(&one->series, id, 90, &low_ns));
	assert_true(tw_series_percentile(&other->series, id, 90, &high_ns));
	/* They are middles of buckets, which are up to 1/512 wide. */
	check_near((double)low_ns, (double)high_ns,
		   most + (double)low_ns / (most > 0 ? 256 : 1e18));
}

static void check_undefined(const struct tw_tally *tally, int id)
{
	const struct tw_series_row *row = &tally->series.row[id];
	static const struct tw_kept none;
	int64_t value_ns;
	int i;

	assert_int_equal(row->stats.count, 0);
	assert_int_equal(row->stats.max_ns, INT64_MIN);
	assert_true(tw_stats_mean(&row->stats) == 0);
	assert_false(tw_series_percentile(&tally->series, id, 50, &value_ns));
	assert_int_equal(tw_window_overflows(&row->window), 0);
	assert_int_equal(tw_window_overflows(&tally->trltp[id]), 0);
	for (i = 0; i < WIDTH; i++)
		assert_int_equal(row->window.counts[i], 0);
	for (i = 0; i < TW_TRLTP_BINS; i++)
		assert_int_equal(tally->trltp[id].counts[i], 0);
	assert_int_equal(tally->worst[id].cycle.seq, none.cycle.seq);
}

static void compare(const struct tw_metric_params *params, double fast_ppm,
		    double most)
{
	struct tw_metric_params near = *params;
	struct tw_tally *one, *other;
	uint64_t *bins = calloc(1, TW_TRLTP_SIZE);
	int id, defined = 0;

	assert_non_null(bins);
	near.two_clocks = false;
	one = new_tally(&near, WIDTH);
	other = new_tally(params, WIDTH);
	tw_tally_attach_trltp(other, bins);
	fill(one, other, fast_ppm);
	assert_int_equal(other->cycles, CYCLES);
	assert_int_equal(other->missed, one->missed);
	for (id = 0; id < TW_METRICS; id++) {
		if (tw_metric_lacks(id, params)) {
			check_undefined(other, id);
			continue;
		}
		/* Total has the server's time twice. */
		check_defined(one, other, id, id == TW_TOTAL ? 2 * most : most);
		defined++;
	}
	assert_int_equal(defined, params->period_ns ? 7 : 5);
	assert_int_equal(other->rows.count, defined);
	drop_tally(one, WIDTH);
	drop_tally(other, WIDTH);
	free(bins);
}

static void test_ahead(void **state)
{
	(void)state;
	compare(&two, 0, 0);
	compare(&two_closed, 0, 0);
}

static void test_fast(void **state)
{
	(void)state;
	compare(&two, PPM, DRIFT_NS);
	compare(&two, -PPM, DRIFT_NS);
	compare(&two_closed, PPM, DRIFT_NS);
}

/* One clock has all rows, a closed loop all that need no timer. */
static void test_rows(void **state)
{
	const struct tw_metric_params closed = { .sleep_ns = 100000 };
	struct tw_tally *tally = new_tally(&usual, 0);
	struct tw_cycle cycle = { .seq = 1, .t3_ns = 9 };

	(void)state;
	assert_int_equal(tally->rows.count, TW_METRICS);
	drop_tally(tally, 0);
	tally = new_tally(&closed, 0);
	tw_tally_add(tally, &cycle);
	assert_int_equal(tally->rows.count, TW_METRICS - 2);
	assert_int_equal(tw_series_status(&tally->series, TW_WAKEUP).count, 0);
	assert_int_equal(tw_series_status(&tally->series, TW_NETWORK).count,
			 1);
	drop_tally(tally, 0);
}

static void test_identity(void **state)
{
	struct tw_cycle cycle = { .seq = 0 }, far;
	struct tw_share parts[TW_PARTS];
	double means_ns[TW_METRICS] = { 0 };
	uint64_t seed = 13;
	int64_t network_ns;
	int i;

	(void)state;
	for (i = 0; i < CYCLES; i++) {
		advance(&cycle, &seed);
		far = on_two_clocks(&cycle, 0);
		network_ns = tw_metrics[TW_NETWORK].value_ns(&far, &two);
		assert_int_equal(network_ns, cycle.t3_ns - cycle.t0_ns -
				 (cycle.t2_ns - cycle.t1_ns));
		assert_int_equal(network_ns, cycle.t1_ns - cycle.t0_ns +
				 cycle.t3_ns - cycle.t2_ns);
		assert_int_equal(tw_excess(&far, &two, means_ns, TW_RESPONSE,
					   parts), 2);
		assert_int_equal(parts[0].value_ns, network_ns);
		assert_int_equal(parts[1].value_ns,
				 cycle.t2_ns - cycle.t1_ns);
	}
}

/* A stall of 50 ms in each of the phases in turn. */
static struct tw_cycle stalled(int phase)
{
	struct tw_cycle cycle = {
		.seq = 2, .planned_ns = 2000000, .t0_ns = 2010000,
		.t1_ns = 2020000, .t2_ns = 2120000, .t3_ns = 2130000,
		.prev_t0_ns = 1000000,
	};
	int64_t *const stamps[] = {
		&cycle.t0_ns, &cycle.t1_ns, &cycle.t2_ns, &cycle.t3_ns,
	};

	for (; phase < 4; phase++)
		*stamps[phase] += 50000000;
	return cycle;
}

/* Only the client's own start is known to be this kernel's doing. */
static void test_stalls(void **state)
{
	struct tw_tally *one = new_tally(&usual, 0);
	struct tw_tally *other = new_tally(&two, 0);
	struct tw_cycle cycle, far;
	int phase;

	(void)state;
	one->stall_min_ns = other->stall_min_ns = 37500000;
	one->stall_max_ns = other->stall_max_ns = 75000000;
	for (phase = 0; phase < 5; phase++) {
		cycle = stalled(phase);
		far = on_two_clocks(&cycle, 0);
		assert_int_equal(tw_tally_is_throttled(one, &cycle),
				 phase < 4);
		assert_int_equal(tw_tally_is_throttled(other, &far),
				 phase == 0);
	}
	/* A start that the cycle before has made late is none, as ever. */
	other->last_t3_ns = 52000000;
	cycle = stalled(0);
	assert_false(tw_tally_is_throttled(other, &cycle));
	drop_tally(one, 0);
	drop_tally(other, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ahead),
		cmocka_unit_test(test_fast),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_identity),
		cmocka_unit_test(test_stalls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
