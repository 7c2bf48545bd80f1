// SPDX-License-Identifier: GPL-2.0-or-later
/* Limits: what is met, exceeded, or cannot be told. */
#include <string.h>

#include "tw_limit.h"
#include "unit_tally.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))
#define UNTOUCHED	INT64_C(-4711)

static struct tw_limit limit_of(int metric, double percent, int64_t most)
{
	return (struct tw_limit) {
		.text = "text", .metric = metric, .percent = percent,
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

static void judged(const struct tw_tally *tally, struct tw_limit limit,
		   enum tw_verdict want, int64_t want_value)
{
	int64_t value = UNTOUCHED;

	assert_int_equal(tw_limit_judge(&limit, tally, &value), want);
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
		int64_t max_ns = tally->stats[id].max_ns;

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

static void test_percentile(void **state)
{
	static const double percents[] = { 0.5, 10, 50, 90, 98.5, 99 };
	struct tw_tally *tally = rising(1000);
	int64_t value_ns;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(percents); i++) {
		assert_true(tw_stats_percentile(&tally->stats[TW_SEND],
						percents[i], &value_ns));
		judged(tally, limit_of(TW_SEND, percents[i], value_ns - 1),
		       TW_EXCEEDED, value_ns);
		judged(tally, limit_of(TW_SEND, percents[i], value_ns),
		       TW_MET, value_ns);
		/* Beyond it there is more, which does not count. */
		assert_true(tally->stats[TW_SEND].max_ns > value_ns);
	}
	drop_tally(tally, 0);
}

/* Up to a twentieth less than is needed; one cycle less, and it cannot be told. */
static void test_too_few(void **state)
{
	static const struct { double percent; uint64_t needs, enough; } rows[] = {
		{ 0.5, 11, 11 }, { 50, 20, 19 }, { 90, 100, 95 },
		{ 99, 1000, 950 }, { 99.9, 10000, 9500 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		const struct tw_limit limit =
			limit_of(TW_SEND, rows[i].percent, INT64_MAX);
		struct tw_tally *tally = rising(rows[i].enough - 1);
		const struct tw_cycle cycle = { .seq = 0 };
		int64_t value = UNTOUCHED;

		assert_int_equal(tw_limit_needs(&limit), rows[i].needs);
		assert_int_equal(tw_limit_enough(&limit), rows[i].enough);
		judged(tally, limit, TW_UNDECIDED, UNTOUCHED);
		tw_tally_add(tally, &cycle);
		assert_int_equal(tw_limit_judge(&limit, tally, &value),
				 TW_MET);
		assert_int_not_equal(value, UNTOUCHED);
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
	judged(tally, limit_of(TW_METRICS, 0, 0), TW_MET, 0);
	cycle.missed = 3;
	tw_tally_add(tally, &cycle);
	tw_tally_add(tally, &cycle);
	judged(tally, limit_of(TW_METRICS, 0, 0), TW_EXCEEDED, 6);
	judged(tally, limit_of(TW_METRICS, 0, 5), TW_EXCEEDED, 6);
	judged(tally, limit_of(TW_METRICS, 0, 6), TW_MET, 6);
	judged(tally, limit_of(TW_METRICS, 0, 7), TW_MET, 6);
	drop_tally(tally, 0);
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
	judged(tally, limit_of(TW_METRICS, 0, INT64_MAX), TW_UNDECIDED,
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
	limit.metric = TW_METRICS;
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
		cmocka_unit_test(test_percentile),
		cmocka_unit_test(test_too_few),
		cmocka_unit_test(test_missed),
		cmocka_unit_test(test_no_cycle),
		cmocka_unit_test(test_needs),
		cmocka_unit_test(test_needs_of_the_rest),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
