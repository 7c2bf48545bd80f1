// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The distance of two clocks, by clocks whose reads take a known time: this
 * program's own clock_gettime() stands before the C library's.
 */
#include <string.h>

#include "base/tw_clock.h"
#include "base/tw_time.h"
#include "unit.h"

#define START_NS	(1000 * TW_NS_PER_S)
#define PPM		200
#define PERIOD_NS	TW_NS_PER_MS

static int64_t time_ns = START_NS;	/* of CLOCK_MONOTONIC */
static int64_t read_ns = 20;		/* that a read of any clock takes */
static int64_t interrupted_ns;		/* the next read takes longer */
static int reads;

/* The raw clock is fast. */
static int64_t raw_ns(void)
{
	return time_ns + (time_ns - START_NS) * PPM / 1000000;
}

int clock_gettime(clockid_t clockid, struct timespec *ts)
{
	reads++;
	time_ns += read_ns / 2;
	*ts = tw_ns_to_ts(clockid == CLOCK_MONOTONIC_RAW ? raw_ns() : time_ns);
	time_ns += read_ns - read_ns / 2 + interrupted_ns;
	interrupted_ns = 0;
	return 0;
}

static void setup(struct tw_clock *clock, const char *name, int64_t cost_ns)
{
	assert_int_equal(tw_clock_open(clock, name), 0);
	time_ns = START_NS;
	read_ns = cost_ns;
	interrupted_ns = 0;
}

/* A cycle's end: the distance, which may be off by half of a read. */
static void follows(const struct tw_clock *clock, struct tw_ahead *ahead)
{
	int64_t before_ns, got_ns, after_ns;

	time_ns += PERIOD_NS;
	before_ns = raw_ns() - time_ns;
	got_ns = tw_clock_ahead_ns(clock, ahead);
	after_ns = raw_ns() - time_ns;
	assert_true(got_ns >= before_ns - 1);
	assert_true(got_ns <= after_ns + 1);
}

static void check_follows(int64_t cost_ns)
{
	struct tw_ahead ahead = { 0 };
	struct tw_clock clock;
	int i;

	setup(&clock, "monotonic_raw", cost_ns);
	for (i = 0; i < 20000; i++)
		follows(&clock, &ahead);
	/* 200 ppm of 20 s. */
	assert_true(ahead.ns >= 4 * TW_NS_PER_MS - TW_NS_PER_US);
}

static void test_follows(void **state)
{
	static const int64_t costs_ns[] = { 2, 20, 499, 501, 700, 1300, 9000 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(costs_ns) / sizeof(costs_ns[0]); i++)
		check_follows(costs_ns[i]);
}

/* What comes between the reads makes a pair worthless: the last one stays. */
static void check_interrupted(int64_t cost_ns)
{
	struct tw_ahead ahead = { 0 };
	struct tw_clock clock;
	int64_t last_ns;
	int i;

	setup(&clock, "monotonic_raw", cost_ns);
	follows(&clock, &ahead);
	for (i = 0; i < 1000; i++) {
		last_ns = ahead.ns;
		time_ns += PERIOD_NS;
		interrupted_ns = 5 * cost_ns + TW_NS_PER_US;
		assert_int_equal(tw_clock_ahead_ns(&clock, &ahead), last_ns);
		follows(&clock, &ahead);
		assert_int_not_equal(ahead.ns, last_ns);
	}
}

static void test_interrupted(void **state)
{
	(void)state;
	check_interrupted(20);
	check_interrupted(700);
	check_interrupted(1300);
}

/* The very first pair is taken as it is; the next sound one is better. */
static void test_interrupted_first(void **state)
{
	struct tw_ahead ahead = { 0 };
	struct tw_clock clock;

	(void)state;
	setup(&clock, "monotonic_raw", 700);
	interrupted_ns = 100 * TW_NS_PER_US;
	tw_clock_ahead_ns(&clock, &ahead);
	follows(&clock, &ahead);
	time_ns += PERIOD_NS;
	interrupted_ns = 5 * TW_NS_PER_US;
	assert_int_equal(tw_clock_ahead_ns(&clock, &ahead), ahead.ns);
	follows(&clock, &ahead);
}

/* The kernel has found the counter unfit, and goes on with a slow clock. */
static void test_slower_from_now_on(void **state)
{
	struct tw_ahead ahead = { 0 };
	struct tw_clock clock;
	int i;

	(void)state;
	setup(&clock, "monotonic_raw", 20);
	for (i = 0; i < 10; i++)
		follows(&clock, &ahead);
	read_ns = 5000;
	for (i = 0; i < 30; i++) {
		time_ns += PERIOD_NS;
		tw_clock_ahead_ns(&clock, &ahead);
	}
	for (i = 0; i < 1000; i++)
		follows(&clock, &ahead);
}

/* Where the clock is the timer's own, it is not even read. */
static void test_no_cost(void **state)
{
	struct tw_ahead ahead = { 0 };
	struct tw_clock clock;

	(void)state;
	setup(&clock, "realtime", 20);
	reads = 0;
	assert_int_equal(tw_clock_ahead_ns(&clock, &ahead), 0);
	assert_int_equal(reads, 0);
	setup(&clock, "monotonic_raw", 20);
	reads = 0;
	tw_clock_ahead_ns(&clock, &ahead);
	assert_int_equal(reads, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_follows),
		cmocka_unit_test(test_interrupted),
		cmocka_unit_test(test_interrupted_first),
		cmocka_unit_test(test_slower_from_now_on),
		cmocka_unit_test(test_no_cost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
