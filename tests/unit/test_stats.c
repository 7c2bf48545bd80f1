// SPDX-License-Identifier: GPL-2.0-or-later
/* Statistics and percentiles against plain references. */
#include <math.h>
#include <stdlib.h>

#include "base/tw_stats.h"
#include "unit.h"

#define SAMPLES	20000

static double deviation_of(const struct tw_stats *stats)
{
	return tw_deviation(stats->count, stats->m2_ns2);
}

static int64_t samples[SAMPLES];
static struct tw_stats stats, other;

static void add(struct tw_stats *to, int64_t value_ns)
{
	tw_stats_add(to, value_ns, 1.0 / (double)(to->count + 1));
}

static void add_all(struct tw_stats *to, const int64_t *from, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		add(to, from[i]);
}

static void draw(uint64_t seed, int64_t lowest, int64_t highest)
{
	size_t i;

	for (i = 0; i < SAMPLES; i++)
		samples[i] = unit_between(&seed, lowest, highest);
}

static void assert_near(double got, double want, double tolerance)
{
	if (!(fabs(got - want) <= tolerance))
		fail_msg("got %.17g, want %.17g within %g", got, want,
			 tolerance);
}

/* Two passes over all samples; @target_ns NULL: about the mean. */
static double plain_deviation(const int64_t *from, size_t n,
			      const int64_t *target_ns)
{
	long double sum = 0, squares = 0, centre;
	size_t i;

	for (i = 0; i < n; i++)
		sum += from[i];
	centre = target_ns ? (long double)*target_ns : sum / n;
	for (i = 0; i < n; i++)
		squares += (from[i] - centre) * (from[i] - centre);
	return (double)sqrtl(squares / (n - 1));
}

static void check_all(const struct tw_stats *got, const int64_t *from,
		      size_t n, const int64_t *target_ns)
{
	double deviation = plain_deviation(from, n, target_ns);
	int64_t min = from[0], max = from[0], sum = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		min = from[i] < min ? from[i] : min;
		max = from[i] > max ? from[i] : max;
		sum += from[i];
	}
	assert_int_equal(got->count, n);
	assert_int_equal(got->last_ns, from[n - 1]);
	assert_int_equal(got->min_ns, min);
	assert_int_equal(got->max_ns, max);
	assert_int_equal(got->sum_ns, sum);
	assert_near(tw_stats_mean(got), (double)sum / n,
		    fabs((double)sum / n) * 1e-15);
	assert_near(deviation_of(got), deviation, deviation * 1e-6);
}

static void test_empty(void **state)
{
	int64_t value_ns = 4711;

	(void)state;
	tw_stats_init(&stats, NULL);
	assert_int_equal(stats.count, 0);
	assert_int_equal(stats.min_ns, INT64_MAX);
	assert_int_equal(stats.max_ns, INT64_MIN);
	assert_true(tw_stats_mean(&stats) == 0);
	assert_true(deviation_of(&stats) == 0);
	assert_false(tw_stats_percentile(&stats, 50, &value_ns));
	assert_int_equal(value_ns, 4711);
}

static void test_few(void **state)
{
	const int64_t target_ns = 100;

	(void)state;
	tw_stats_init(&stats, NULL);
	add(&stats, -7);
	assert_int_equal(stats.min_ns, -7);
	assert_int_equal(stats.max_ns, -7);
	assert_true(tw_stats_mean(&stats) == -7);
	assert_true(deviation_of(&stats) == 0);
	add(&stats, 3);
	/* 5 and 5 from the mean of -2: sqrt(50 / 1) */
	assert_true(tw_stats_mean(&stats) == -2);
	assert_near(deviation_of(&stats), sqrt(50), 1e-12);

	tw_stats_init(&stats, &target_ns);
	add(&stats, 103);
	assert_true(deviation_of(&stats) == 0);
	add(&stats, 104);
	/* 3 and 4 from the target: sqrt(25 / 1) */
	assert_near(deviation_of(&stats), 5, 1e-12);
}

/* The larger the offset, the more a naive sum of squares would lose. */
static void test_against_two_passes(void **state)
{
	static const struct { int64_t lowest, highest; } ranges[] = {
		{ 0, 1 }, { -1000, 1000 }, { 0, 1000000 },
		{ 50000, 50003 },
		{ INT64_C(1000000000), INT64_C(1000001000) },
		{ INT64_C(1000000000000), INT64_C(1000000001000) },
		{ INT64_C(-1000000001000), INT64_C(-1000000000000) },
		{ INT64_C(-100000000000000), INT64_C(100000000000000) },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		int64_t target_ns = ranges[i].lowest - 17;

		draw(i + 1, ranges[i].lowest, ranges[i].highest);
		tw_stats_init(&stats, NULL);
		add_all(&stats, samples, SAMPLES);
		check_all(&stats, samples, SAMPLES, NULL);
		tw_stats_init(&stats, &target_ns);
		add_all(&stats, samples, SAMPLES);
		check_all(&stats, samples, SAMPLES, &target_ns);
	}
}

static void test_extreme_values(void **state)
{
	(void)state;
	tw_stats_init(&stats, NULL);
	add(&stats, INT64_MAX);
	add(&stats, INT64_MAX);
	add(&stats, INT64_MIN);
	assert_int_equal(stats.min_ns, INT64_MIN);
	assert_int_equal(stats.max_ns, INT64_MAX);
	assert_int_equal(stats.buckets[0], 1);
	assert_int_equal(stats.buckets[TW_LOG_BUCKETS - 1], 2);
}

/* The one bucket that @value_ns goes to. */
static unsigned int bucket(int64_t value_ns)
{
	unsigned int found = TW_LOG_BUCKETS, i;

	tw_stats_init(&other, NULL);
	add(&other, value_ns);
	for (i = 0; i < TW_LOG_BUCKETS; i++) {
		if (!other.buckets[i])
			continue;
		assert_int_equal(other.buckets[i], 1);
		assert_int_equal(found, TW_LOG_BUCKETS);
		found = i;
	}
	assert_true(found < TW_LOG_BUCKETS);
	return found;
}

static void test_buckets(void **state)
{
	int64_t value;
	int bit;

	(void)state;
	for (value = 0; value < 1024; value++)
		assert_int_equal(bucket(value), value);
	assert_int_equal(bucket(1024), 1024);
	assert_int_equal(bucket(1025), 1024);
	assert_int_equal(bucket(1026), 1025);
	for (bit = TW_LOG_SUB_BITS; bit < TW_LOG_MAX_BITS; bit++) {
		unsigned int want = (bit - TW_LOG_SUB_BITS + 1) <<
				    TW_LOG_SUB_BITS;

		value = INT64_C(1) << bit;
		assert_int_equal(bucket(value), want);
		assert_int_equal(bucket(value - 1), want - 1);
		assert_int_equal(bucket(value + value / 512), want + 1);
		assert_int_equal(bucket(value + value / 512 - 1), want);
	}
	value = INT64_C(1) << TW_LOG_MAX_BITS;
	assert_int_equal(bucket(value - 1), TW_LOG_BUCKETS - 1);
	assert_int_equal(bucket(value), TW_LOG_BUCKETS - 1);
	assert_int_equal(bucket(-1), 0);
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static const double percents[] = {
	0.1, 1, 12.5, 50, 75, 90, 99, 99.5, 99.9, 99.95,
};

static const unsigned int permyriads[] = {	/* the same, exactly */
	10, 100, 1250, 5000, 7500, 9000, 9900, 9950, 9990, 9995,
};

static void check_percentiles(size_t n)
{
	size_t i;

	tw_stats_init(&stats, NULL);
	add_all(&stats, samples, n);
	qsort(samples, n, sizeof(samples[0]), compare);
	for (i = 0; i < sizeof(percents) / sizeof(percents[0]); i++) {
		size_t rank = (n * permyriads[i] + 9999) / 10000;
		int64_t got = -1, want;

		if (n - rank < TW_PERCENTILE_BEYOND) {
			assert_false(tw_stats_percentile(&stats, percents[i],
							 &got));
			assert_int_equal(got, -1);
			continue;
		}
		want = samples[rank - 1];
		assert_true(tw_stats_percentile(&stats, percents[i], &got));
		assert_near((double)got, (double)want, want / 1024.0);
		assert_in_range(got, samples[0], samples[n - 1]);
	}
}

static void test_percentiles(void **state)
{
	static const int64_t highest[] = {
		0, 1, 100, 511, 512, 5000, 123456, 1000000000,
		(INT64_C(1) << TW_LOG_MAX_BITS) - 1,
	};
	static const size_t counts[] = {
		1, 10, 11, 20, 100, 999, 1000, 9999, 10000, SAMPLES,
	};
	size_t i, j;

	(void)state;
	for (i = 0; i < sizeof(highest) / sizeof(highest[0]); i++)
		for (j = 0; j < sizeof(counts) / sizeof(counts[0]); j++) {
			draw(i + 1, 0, highest[i]);
			check_percentiles(counts[j]);
		}
	/* All in one bucket: only min and max tell where. */
	draw(1, 1000000, 1000003);
	check_percentiles(SAMPLES);
}

/* Outside the buckets' range a percentile still lies among the samples. */
static void test_percentiles_outside(void **state)
{
	int64_t value_ns, want;

	(void)state;
	for (want = -5; want >= -5000000; want *= 1000) {
		draw(1, want, want);
		tw_stats_init(&stats, NULL);
		add_all(&stats, samples, 100);
		assert_true(tw_stats_percentile(&stats, 50, &value_ns));
		assert_int_equal(value_ns, want);
	}
	want = INT64_C(1) << 50;
	draw(1, want, want);
	tw_stats_init(&stats, NULL);
	add_all(&stats, samples, 100);
	assert_true(tw_stats_percentile(&stats, 90, &value_ns));
	assert_int_equal(value_ns, want);
}

/* Ten samples beyond: the first count that is enough, and one less. */
static void test_percentile_support(void **state)
{
	static const struct { double percent; uint64_t enough; } rule[] = {
		{ 50, 20 }, { 90, 100 }, { 99, 1000 }, { 99.9, 10000 },
		{ 99.99, 100000 }, { 99.999, 1000000 },
	};
	int64_t value_ns;
	size_t i;

	(void)state;
	tw_stats_init(&stats, NULL);
	for (i = 0; i < sizeof(rule) / sizeof(rule[0]); i++) {
		while (stats.count < rule[i].enough - 1)
			add(&stats, 1000);
		value_ns = 4711;
		assert_false(tw_stats_percentile(&stats, rule[i].percent,
						 &value_ns));
		assert_int_equal(value_ns, 4711);
		add(&stats, 1000);
		assert_true(tw_stats_percentile(&stats, rule[i].percent,
						&value_ns));
		assert_int_equal(value_ns, 1000);
	}
}

/* In doubles 99.9 % of 41000 is a little more than 40959. */
static void test_percentile_rounding(void **state)
{
	int64_t value_ns;
	int i;

	(void)state;
	tw_stats_init(&stats, NULL);
	for (i = 0; i < 41000; i++)
		add(&stats, i < 40959 ? 100 : 200);
	assert_true(tw_stats_percentile(&stats, 99.9, &value_ns));
	assert_int_equal(value_ns, 100);
}

static void check_merge(size_t split, const int64_t *target_ns)
{
	tw_stats_init(&stats, target_ns);
	tw_stats_init(&other, target_ns);
	add_all(&stats, samples, split);
	add_all(&other, samples + split, SAMPLES - split);
	tw_stats_merge(&stats, &other);
	check_all(&stats, samples, SAMPLES, target_ns);
	tw_stats_init(&other, target_ns);
	add_all(&other, samples, SAMPLES);
	assert_near(stats.mean_ns, other.mean_ns, fabs(other.mean_ns) * 1e-9);
	assert_memory_equal(stats.buckets, other.buckets,
			    sizeof(stats.buckets));
	/* A merge can be added to like any other. */
	add(&stats, 1);
	add(&other, 1);
	assert_near(deviation_of(&stats), deviation_of(&other),
		    deviation_of(&other) * 1e-9);
}

static void test_merge(void **state)
{
	static const size_t splits[] = {
		0, 1, 2, SAMPLES / 3, SAMPLES - 1, SAMPLES,
	};
	const int64_t target_ns = 1000000;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(splits) / sizeof(splits[0]); i++) {
		draw(i + 1, 990000, 1050000);
		/* Two quite different halves. */
		samples[0] = -5;
		samples[SAMPLES - 1] = 9000000;
		check_merge(splits[i], NULL);
		check_merge(splits[i], &target_ns);
	}
}

static void test_merge_empty(void **state)
{
	(void)state;
	tw_stats_init(&stats, NULL);
	tw_stats_init(&other, NULL);
	tw_stats_merge(&stats, &other);
	assert_memory_equal(&stats, &other, sizeof(stats));
	assert_true(deviation_of(&stats) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_few),
		cmocka_unit_test(test_against_two_passes),
		cmocka_unit_test(test_extreme_values),
		cmocka_unit_test(test_buckets),
		cmocka_unit_test(test_percentiles),
		cmocka_unit_test(test_percentiles_outside),
		cmocka_unit_test(test_percentile_support),
		cmocka_unit_test(test_percentile_rounding),
		cmocka_unit_test(test_merge),
		cmocka_unit_test(test_merge_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
