// SPDX-License-Identifier: GPL-2.0-or-later
/* Buckets and ranks: within 1/1024, in order, to the last value. */
#include "unit.h"
#include "tw_buckets.h"

struct rank {
	uint64_t count;		/* 0: the end */
	double percent;
	uint64_t rank;
};

static const struct rank ranks[] = {
	{ 1, 50, 1 }, { 2, 50, 1 }, { 3, 50, 2 }, { 100, 99, 99 },
	{ 101, 99, 100 }, { 10000, 99.9, 9990 }, { 10000, 99.99, 9999 },
	{ 1000000, 99.999, 999990 }, { 1000, 0.1, 1 }, { 7, 0.1, 1 },
	{ 1000000000000, 99.9, 999000000000 }, { 3, 99.999, 3 }, { 0, 0, 0 },
};

/* How many values a percentile needs. */
static const struct rank needs[] = {
	{ 20, 50, 0 }, { 100, 90, 0 }, { 1000, 99, 0 }, { 10000, 99.9, 0 },
	{ 100000, 99.99, 0 }, { 1000000, 99.999, 0 }, { 11, 0.1, 0 },
	{ 0, 0, 0 },
};

TEST(test_ranks)
{
	const struct rank *row;

	for (row = ranks; row->count; row++)
		assert_int_equal(tw_buckets_rank(row->count, row->percent),
				 row->rank);
	for (row = needs; row->count; row++)
		assert_int_equal(tw_buckets_needed(row->percent), row->count);
}

/* What is known of a single value. */
static int64_t known(int64_t value_ns)
{
	static uint64_t buckets[TW_BUCKETS];
	int at = tw_buckets_of(value_ns);
	int64_t found_ns;

	assert_true(at >= 0 && at < TW_BUCKETS);
	buckets[at] = 1;
	found_ns = tw_buckets_value(buckets, 1);
	buckets[at] = 0;
	return found_ns;
}

TEST(test_values)
{
	const int64_t top_ns = (INT64_C(1) << TW_BUCKETS_TOP) - 1;
	int64_t ns, before_ns = 0;

	for (ns = 0; ns <= top_ns; ns += 1 + ns / 700) {
		int64_t found_ns = known(ns), off_ns = found_ns - ns;

		assert_true(found_ns >= before_ns);
		before_ns = found_ns;
		assert_true(off_ns * 1024 <= ns && -off_ns * 1024 <= ns);
		assert_true(ns >= 1024 || !off_ns);
	}
	assert_int_equal(known(-5), 0);
	assert_int_equal(known(INT64_MIN), 0);
	assert_int_equal(known(INT64_MAX), known(top_ns));
}
