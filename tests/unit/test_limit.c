// SPDX-License-Identifier: GPL-2.0-or-later
/* Limits: what is met, exceeded, or cannot be told. */
#include <string.h>

#include "result/tw_limit.h"
#include "unit_tally.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))
#define UNTOUCHED	INT64_C(-4711)

static struct tw_limit limit_of(int about, double percent, int64_t most)
{
	return (struct tw_limit) {
		.text = "text", .about = about, .percent = percent,
		.most = most,
	};
}

/* @cycles of them, whose send time is 1, 2, 3 ... us. */
static struct tw_tally *rising(uint64_t cycles)
{
	struct tw_tally *tally = new_tally(&usual, 0);
	struct tw_cycle cycle = { .seq = 0 };

	while (cycle.seq < cycles) {
		cycle.seq++;
		cycle.t1_ns = (int64_t)cycle.seq * 1000;
		tw_tally_add(tally, &cycle);
	}
	return tally;
}

/* The verdict on what was measured. */
static enum tw_verdict judge(const struct tw_limit *limit,
			     const struct tw_tally *tally, int64_t *value)
{
	int row = tw_limit_counts(limit) ? TW_WAKEUP : limit->about;
	const struct tw_column column = {
		.missed = tally->missed, .throttled = tally->throttled,
		.lost = tally->lost,
		.status = tw_series_status(&tally->series, row),
		.series = &tally->series, .row = row,
	};

	return tw_limit_judge(limit, &column, value);
}

static void judged(const struct tw_tally *tally, struct tw_limit limit,
		   enum tw_verdict want, int64_t want_value)
{
	int64_t value = UNTOUCHED;

	assert_int_equal(judge(&limit, tally, &value), want);
	assert_int_equal(value, want_value);
}

/* The maximum may be what the limit is, and not a nanosecond more. */
static void test_maximum(void **state)
{
	struct tw_tally *tally = new_tally(&usual, 0);
	struct tw_cycle cycle = { .seq = 0 };
	uint64_t seed = 21;
	int id;

	(void)state;
	while (cycle.seq < 100) {
		advance(&cycle, &seed);
		tw_tally_add(tally, &cycle);
	}
	for (id = 0; id < TW_METRICS; id++) {
		int64_t max_ns = tally->series.row[id].stats.max_ns;

		judged(tally, limit_of(id, 0, max_ns - 1), TW_EXCEEDED,
		       max_ns);
		judged(tally, limit_of(id, 0, max_ns), TW_MET, max_ns);
		judged(tally, limit_of(id, 0, max_ns + 1), TW_MET, max_ns);
		judged(tally, limit_of(id, 0, INT64_MAX), TW_MET, max_ns);
	}
	drop_tally(tally, 0);
}

/* 1, 2 ... 10 us: 5.5 on average. */
static void test_average(void **state)
{
	struct tw_limit limit = limit_of(TW_SEND, 0, 5499);
	struct tw_tally *tally = rising(10);

	(void)state;
	limit.average = true;
	judged(tally, limit, TW_EXCEEDED, 5500);
	limit.most = 5500;
	judged(tally, limit, TW_MET, 5500);
	drop_tally(tally, 0);
}

/* 1, 2, 2 ns: 1.67, rounded to the nearest; 1, 2: half is rounded up. */
static void test_average_is_rounded(void **state)
{
	static const int counts[] = { 2, 3 };
	struct tw_limit limit = limit_of(TW_SEND, 0, 1);
	struct tw_cycle cycle;
	struct tw_tally *tally;
	size_t i;

	(void)state;
	limit.average = true;
	for (i = 0; i < COUNT(counts); i++) {
		tally = new_tally(&usual, 0);
		memset(&cycle, 0, sizeof(cycle));
		while ((int)cycle.seq < counts[i]) {
			cycle.t1_ns = cycle.seq++ ? 2 : 1;
			tw_tally_add(tally, &cycle);
		}
		judged(tally, limit, TW_EXCEEDED, 2);
		drop_tally(tally, 0);
	}
}

static void test_percentile(void **state)
{
	static const double percents[] = { 0.5, 10, 50, 90, 98.5, 99 };
	struct tw_tally *tally = rising(1000);
	const struct tw_stats *stats = &tally->series.row[TW_SEND].stats;
	int64_t value_ns;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(percents); i++) {
		assert_true(tw_stats_percentile(stats, percents[i],
						&value_ns));
		judged(tally, limit_of(TW_SEND, percents[i], value_ns - 1),
		       TW_EXCEEDED, value_ns);
		judged(tally, limit_of(TW_SEND, percents[i], value_ns),
		       TW_MET, value_ns);
		/* Beyond it there is more, which does not count. */
		assert_true(stats->max_ns > value_ns);
	}
	drop_tally(tally, 0);
}

/*
 * A limit amid a bucket, and as its next: whatever the buckets tell, as many
 * values as there are lie on either side. The value told is on that side,
 * for --percentiles, too.
 */
static void check_amid(int64_t base_ns, uint64_t at_most, double percent)
{
	struct tw_limit limit = limit_of(TW_SEND, percent, base_ns);
	struct tw_tally *tally = new_tally(&usual, 0);
	bool met = tw_stats_covers(at_most, 1000, percent);
	struct tw_cycle cycle = { .seq = 0 };
	int64_t value_ns, told_ns;

	tw_limit_prepare(&limit, 1, tally);
	for (cycle.seq = 1; cycle.seq <= 1000; cycle.seq++) {
		cycle.t1_ns = base_ns + (cycle.seq > at_most);
		tw_tally_add(tally, &cycle);
	}
	assert_int_equal(judge(&limit, tally, &value_ns),
			 met ? TW_MET : TW_EXCEEDED);
	assert_int_equal(value_ns, base_ns + !met);
	assert_true(tw_series_percentile(&tally->series, TW_SEND, percent,
					 &told_ns));
	assert_int_equal(told_ns, value_ns);
	/* Of the metric that was counted, and of no other. */
	assert_true(tw_series_percentile(&tally->series, TW_SLEEP, percent,
					 &told_ns));
	assert_true(told_ns < 0);
	drop_tally(tally, 0);
}

static void test_amid_a_bucket(void **state)
{
	static const struct { uint64_t at_most; double percent; } rows[] = {
		{ 499, 50 }, { 500, 50 }, { 501, 50 }, { 1000, 50 }, { 0, 50 },
		{ 989, 99 }, { 990, 99 }, { 4, 0.5 }, { 5, 0.5 },
	};
	static const int64_t bases_ns[] = {
		999999, 1000000, 1001472, 12345678901,
	};
	size_t i, j;

	(void)state;
	for (i = 0; i < COUNT(rows); i++)
		for (j = 0; j < COUNT(bases_ns); j++)
			check_amid(bases_ns[j], rows[i].at_most,
				   rows[i].percent);
}

/* Several limits on one metric: each narrows what is told of the others. */
static void test_between_two(void **state)
{
	const struct tw_limit limits[] = {
		limit_of(TW_SEND, 50, 1000000), limit_of(TW_SEND, 90, 1000003),
		limit_of(TW_SEND, 0, 5), limit_of(TW_LIMIT_MISSED, 0, 5),
	};
	struct tw_tally *tally = new_tally(&usual, 0);
	struct tw_tally *sum = new_tally(&usual, 0);
	struct tw_cycle cycle = { .seq = 0 };
	int64_t value_ns;
	int step;

	(void)state;
	tw_limit_prepare(limits, COUNT(limits), tally);
	tw_limit_prepare(limits, COUNT(limits), sum);
	/* Those of percentiles only. */
	assert_int_equal(tally->series.mark_count, 2);
	for (cycle.seq = 1; cycle.seq <= 100; cycle.seq++) {
		cycle.t1_ns = 1000000 + (int64_t)cycle.seq % 4;
		tw_tally_add(tally, &cycle);
	}
	for (step = 0; step < 3; step++)
		tw_tally_merge(sum, tally);
	assert_int_equal(sum->series.marks[0].above, 225);
	assert_int_equal(sum->series.marks[1].above, 0);
	assert_true(tw_series_percentile(&sum->series, TW_SEND, 25, &value_ns));
	assert_int_equal(value_ns, 1000000);
	assert_true(tw_series_percentile(&sum->series, TW_SEND, 26, &value_ns));
	assert_in_range(value_ns, 1000001, 1000003);
	judged(sum, limits[0], TW_EXCEEDED, value_ns);
	assert_int_equal(judge(&limits[1], sum, &value_ns), TW_MET);
	assert_in_range(value_ns, 1000001, 1000003);
	drop_tally(tally, 0);
	drop_tally(sum, 0);
}

/* One cycle less than is needed, and it cannot be told, nor is it printed. */
static void test_too_few(void **state)
{
	static const struct { double percent; uint64_t needs; } rows[] = {
		{ 0.5, 11 }, { 50, 20 }, { 90, 100 }, { 99, 1000 },
		{ 99.9, 10000 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		const struct tw_limit limit =
			limit_of(TW_SEND, rows[i].percent, INT64_MAX);
		struct tw_tally *tally = rising(rows[i].needs - 1);
		const struct tw_cycle cycle = { .seq = 0 };
		int64_t value = UNTOUCHED;

		assert_int_equal(tw_limit_needs(&limit), rows[i].needs);
		judged(tally, limit, TW_UNDECIDED, UNTOUCHED);
		assert_false(tw_series_percentile(&tally->series, TW_SEND,
						 rows[i].percent, &value));
		tw_tally_add(tally, &cycle);
		assert_int_equal(judge(&limit, tally, &value), TW_MET);
		assert_int_not_equal(value, UNTOUCHED);
		assert_true(tw_series_percentile(&tally->series, TW_SEND,
						rows[i].percent, &value));
		drop_tally(tally, 0);
	}
}

static void test_missed(void **state)
{
	struct tw_tally *tally = new_tally(&usual, 0);
	struct tw_cycle cycle = { .seq = 1, .missed = 3 };

	(void)state;
	/* What the warm-up missed is not held against anybody. */
	tw_tally_warmup(tally, &cycle);
	cycle.missed = 0;
	tw_tally_add(tally, &cycle);
	judged(tally, limit_of(TW_LIMIT_MISSED, 0, 0), TW_MET, 0);
	cycle.missed = 3;
	tw_tally_add(tally, &cycle);
	tw_tally_add(tally, &cycle);
	judged(tally, limit_of(TW_LIMIT_MISSED, 0, 0), TW_EXCEEDED, 6);
	judged(tally, limit_of(TW_LIMIT_MISSED, 0, 5), TW_EXCEEDED, 6);
	judged(tally, limit_of(TW_LIMIT_MISSED, 0, 6), TW_MET, 6);
	judged(tally, limit_of(TW_LIMIT_MISSED, 0, 7), TW_MET, 6);
	/* However many: no number is so large that it is negative. */
	tally->missed = UINT64_MAX;
	judged(tally, limit_of(TW_LIMIT_MISSED, 0, 7), TW_EXCEEDED, INT64_MAX);
	drop_tally(tally, 0);
}

static void test_throttled(void **state)
{
	struct tw_tally *tally = rising(5);

	(void)state;
	judged(tally, limit_of(TW_LIMIT_THROTTLED, 0, 0), TW_MET, 0);
	tally->throttled = 3;
	tally->missed = 7;
	judged(tally, limit_of(TW_LIMIT_THROTTLED, 0, 2), TW_EXCEEDED, 3);
	judged(tally, limit_of(TW_LIMIT_THROTTLED, 0, 3), TW_MET, 3);
	drop_tally(tally, 0);
}

/* Also before there is a cycle: that all were lost is a result. */
static void test_lost(void **state)
{
	struct tw_tally *none = new_tally(&usual, 0);
	struct tw_tally *tally = rising(5);
	struct tw_limit limit;
	int64_t value;

	(void)state;
	judged(tally, limit_of(TW_LIMIT_LOST, 0, 0), TW_MET, 0);
	tally->lost = 4;
	tally->missed = 7;
	tally->throttled = 9;
	judged(tally, limit_of(TW_LIMIT_LOST, 0, 3), TW_EXCEEDED, 4);
	judged(tally, limit_of(TW_LIMIT_LOST, 0, 4), TW_MET, 4);
	none->lost = 4;
	judged(none, limit_of(TW_LIMIT_LOST, 0, 3), TW_EXCEEDED, 4);
	limit = limit_of(TW_LIMIT_LOST, 0, 4);
	assert_int_equal(judge(&limit, none, &value), TW_UNDECIDED);
	assert_true(tw_limit_parse("lost:17", &limit));
	assert_int_equal(limit.about, TW_LIMIT_LOST);
	assert_int_equal(limit.most, 17);
	drop_tally(none, 0);
	drop_tally(tally, 0);
}

static void test_abouts(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < TW_METRICS; i++)
		assert_string_equal(tw_limit_about(i), tw_metrics[i].token);
	assert_string_equal(tw_limit_about(TW_LIMIT_MISSED), "missed");
	assert_string_equal(tw_limit_about(TW_LIMIT_THROTTLED), "throttled");
	assert_string_equal(tw_limit_about(TW_LIMIT_LOST), "lost");
	assert_null(tw_limit_about(TW_LIMIT_ABOUTS));
	assert_null(tw_limit_about(SIZE_MAX));
}

/* A run without a cycle has not shown anything. */
static void test_no_cycle(void **state)
{
	struct tw_tally *tally = new_tally(&usual, 0);

	(void)state;
	judged(tally, limit_of(TW_RESPONSE, 0, INT64_MAX), TW_UNDECIDED,
	       UNTOUCHED);
	judged(tally, limit_of(TW_RESPONSE, 50, INT64_MAX), TW_UNDECIDED,
	       UNTOUCHED);
	judged(tally, limit_of(TW_LIMIT_MISSED, 0, INT64_MAX), TW_UNDECIDED,
	       UNTOUCHED);
	drop_tally(tally, 0);
}

/* What it needs is the first count that will do; all before will not. */
static void test_needs(void **state)
{
	static const double percents[] = {
		0.0001, 0.1, 1, 10, 33.3, 50, 66.7, 75, 90, 95, 99, 99.5,
		99.9, 99.95, 99.99, 99.995, 99.999,
	};
	uint64_t count;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(percents); i++) {
		const struct tw_limit limit =
			limit_of(TW_TOTAL, percents[i], 1);
		uint64_t needs = tw_limit_needs(&limit);

		assert_true(tw_stats_supports(needs, percents[i]));
		for (count = 0; count < needs; count++)
			assert_false(tw_stats_supports(count, percents[i]));
	}
}

/* Even what no run will ever have is found, and at once. */
static void test_needs_of_the_rest(void **state)
{
	static const double percents[] = {
		99.9999, 99.99999999, 99.9999999999,
	};
	struct tw_limit limit = limit_of(TW_TOTAL, 0, 1);
	size_t i;

	(void)state;
	assert_int_equal(tw_limit_needs(&limit), 1);
	limit.about = TW_LIMIT_MISSED;
	assert_int_equal(tw_limit_needs(&limit), 1);
	for (i = 0; i < COUNT(percents); i++) {
		uint64_t needs;

		limit.percent = percents[i];
		needs = tw_limit_needs(&limit);
		assert_true(tw_stats_supports(needs, percents[i]));
		assert_false(tw_stats_supports(needs - 1, percents[i]));
	}
}

static void test_names(void **state)
{
	(void)state;
	assert_string_equal(tw_verdict_names[TW_MET], "met");
	assert_string_equal(tw_verdict_names[TW_EXCEEDED], "exceeded");
	assert_string_equal(tw_verdict_names[TW_UNDECIDED], "undecided");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_maximum),
		cmocka_unit_test(test_average),
		cmocka_unit_test(test_average_is_rounded),
		cmocka_unit_test(test_percentile),
		cmocka_unit_test(test_amid_a_bucket),
		cmocka_unit_test(test_between_two),
		cmocka_unit_test(test_too_few),
		cmocka_unit_test(test_missed),
		cmocka_unit_test(test_throttled),
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_abouts),
		cmocka_unit_test(test_no_cycle),
		cmocka_unit_test(test_needs),
		cmocka_unit_test(test_needs_of_the_rest),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
