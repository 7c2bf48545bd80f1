// SPDX-License-Identifier: GPL-2.0-or-later
/* What came to statistics between two looks, against plain references. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/tw_lapse.h"
#include "unit.h"

#define MOST	3000
#define MS	1000000

static struct tw_stats stats;
static struct tw_past before, now;
static int64_t values[MOST];

static int setup(void **state)
{
	(void)state;
	tw_stats_init(&stats, NULL);
	tw_past_start(&before);
	/* What a look at other statistics has left there. */
	memset(&now, 0xa5, sizeof(now));
	return 0;
}

/* Of the next @count of values. */
static struct tw_lapse lapse_of(const int64_t *from, size_t count)
{
	struct tw_lapse lapse;
	size_t i;

	for (i = 0; i < count; i++)
		tw_stats_add(&stats, from[i], 1.0 / (double)(stats.count + 1));
	tw_past_copy(&now, &stats);
	tw_lapse_take(&lapse, &before, &now, 99);
	return lapse;
}

static void assert_close(int64_t got, int64_t want)
{
	if (llabs(got - want) * 1024 > llabs(want))
		fail_msg("got %lld, want %lld within 1/1024", (long long)got,
			 (long long)want);
}

static int compare(const void *a, const void *b)
{
	const int64_t *one = a, *other = b;

	return *one < *other ? -1 : *one > *other;
}

/* Sorts the values. */
static void assert_is(const struct tw_lapse *lapse, int64_t *of, size_t count)
{
	long double sum = 0;
	size_t i;

	qsort(of, count, sizeof(*of), compare);
	for (i = 0; i < count; i++)
		sum += of[i];
	assert_int_equal(lapse->count, count);
	assert_true(lapse->has_values);
	assert_true(fabs(lapse->mean_ns - (double)(sum / count)) < 0.01);
	assert_close(lapse->min_ns, of[0]);
	assert_close(lapse->max_ns, of[count - 1]);
	assert_int_equal(lapse->has_percentile, count >= TW_LAPSE_LEAST);
	if (lapse->has_percentile)
		assert_close(lapse->percentile_ns,
			     of[(count * 99 + 99) / 100 - 1]);
}

static void test_nothing(void **state)
{
	struct tw_lapse lapse = lapse_of(values, 0);
	const int64_t one = 7 * MS;

	(void)state;
	assert_int_equal(lapse.count, 0);
	assert_false(lapse.has_values || lapse.has_percentile);
	lapse_of(&one, 1);
	lapse = lapse_of(&one, 0);
	assert_int_equal(lapse.count, 0);
	assert_false(lapse.has_values || lapse.has_percentile);
}

/* Each lapse has a range of its own, above, below or within the others. */
static void test_lapses(void **state)
{
	static const struct {
		size_t count;
		int64_t low_ns, high_ns;
	} rows[] = {
		{ 1000, 90000, 200000 }, { 999, 100000, 110000 },
		{ 100, 120000, 5 * MS }, { 99, 1000, 130000 },
		{ 1, 50000, 50000 }, { 2500, 0, 600 },
		{ 101, 7 * MS, 8 * MS }, { 1001, 90000, 200000 },
	};
	uint64_t seed = 42;
	size_t i, k;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tw_lapse lapse;

		for (k = 0; k < rows[i].count; k++)
			values[k] = unit_between(&seed, rows[i].low_ns,
						 rows[i].high_ns);
		lapse = lapse_of(values, rows[i].count);
		assert_is(&lapse, values, rows[i].count);
	}
}

/* The extremes of all are those of their lapses, to the ns. */
static void test_exact(void **state)
{
	const int64_t first[] = { 1234567, 2345678 };
	const int64_t wider[] = { 1234001, 2399999 };
	const int64_t within[] = { 1234002, 2399998 };
	struct tw_lapse lapse;

	(void)state;
	lapse = lapse_of(first, 2);
	assert_int_equal(lapse.min_ns, first[0]);
	assert_int_equal(lapse.max_ns, first[1]);
	lapse = lapse_of(wider, 2);
	assert_int_equal(lapse.min_ns, wider[0]);
	assert_int_equal(lapse.max_ns, wider[1]);
	lapse = lapse_of(within, 2);
	assert_in_range(lapse.min_ns, wider[0], within[0] + MS / 512);
	assert_in_range(lapse.max_ns, within[1] - MS / 200, wider[1]);
}

/* The 991st of 1000 is none of the 990 that are not above the percentile. */
static void test_rank(void **state)
{
	struct tw_lapse lapse;
	size_t i;

	(void)state;
	for (i = 0; i < 1000; i++)
		values[i] = i < 990 ? 100 : 400;
	lapse = lapse_of(values, 1000);
	assert_int_equal(lapse.percentile_ns, 100);
	values[0] = 400;
	lapse = lapse_of(values, 1000);
	assert_int_equal(lapse.percentile_ns, 400);
}

static void test_negative(void **state)
{
	const int64_t negative[] = { -500, 300 }, later[] = { -400, 200 };
	struct tw_lapse lapse;

	(void)state;
	lapse = lapse_of(negative, 2);
	assert_int_equal(lapse.min_ns, -500);
	lapse = lapse_of(later, 2);
	assert_int_equal(lapse.min_ns, 0);
	assert_int_equal(lapse.max_ns, 200);
	assert_true(lapse.mean_ns == -100);
}

/* A count or a sum that has passed its largest value. */
static void test_wraps(void **state)
{
	const int64_t value = 250;
	struct tw_lapse lapse;

	(void)state;
	lapse_of(&value, 1);
	stats.buckets[250] += UINT32_MAX;
	stats.sum_ns = INT64_MAX - 100;
	lapse_of(&value, 0);
	assert_int_equal(before.buckets[250], 0);
	lapse = lapse_of(&value, 1);
	assert_int_equal(lapse.count, 1);
	assert_true(lapse.mean_ns == 250);
	assert_int_equal(lapse.max_ns, 250);
}

/* So many that a bucket may have come round: which it is cannot be told. */
static void test_too_many_for_percentile(void **state)
{
	const int64_t value = 250;
	struct tw_lapse lapse;
	int i;

	(void)state;
	for (i = 0; i < 2; i++) {
		lapse_of(&value, 0);
		stats.min_ns = value;
		stats.max_ns = value;
		stats.buckets[250] += UINT32_MAX;
		stats.count += (uint64_t)UINT32_MAX + i;
		lapse = lapse_of(&value, 0);
		assert_true(lapse.has_values);
		assert_int_equal(lapse.has_percentile, !i);
	}
}

/* Copied amid a write: counted, and in no bucket yet. */
static void test_torn(void **state)
{
	const int64_t value = 250;
	struct tw_lapse lapse;

	(void)state;
	lapse_of(&value, 1);
	stats.count++;
	lapse = lapse_of(&value, 0);
	assert_int_equal(lapse.count, 1);
	assert_false(lapse.has_values);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_nothing, setup),
		cmocka_unit_test_setup(test_lapses, setup),
		cmocka_unit_test_setup(test_exact, setup),
		cmocka_unit_test_setup(test_rank, setup),
		cmocka_unit_test_setup(test_negative, setup),
		cmocka_unit_test_setup(test_wraps, setup),
		cmocka_unit_test_setup(test_too_many_for_percentile, setup),
		cmocka_unit_test_setup(test_torn, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
