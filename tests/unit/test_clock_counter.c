// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The CPU's counter as a clock, by script: the counter, the kernel's clock
 * and the pauses stand here in place of the machine's. To read the counter is
 * an instruction, not a call, so the source is compiled here.
 */
#include <errno.h>
#include <string.h>

#include "base/tw_clock.h"
#include "base/tw_counter.h"
#include "base/tw_time.h"
#include "unit.h"

#define START_NS	(1000 * TW_NS_PER_S)
#define TICKS_PER_US	2500

static struct {
	int64_t now_ns;
	int64_t read_ns;	/* that a read of the kernel's clock takes */
	int64_t late_ns;	/* more, all but each ninth of them */
	int reads, counter_reads, pauses;
	uint64_t ticks;		/* at START_NS */
	int64_t change_ns;	/* from then on it is ... */
	int64_t ppm;		/* ... so much faster */
	bool stuck;
	int trusted;
} machine;

int clock_gettime(clockid_t clockid, struct timespec *ts)
{
	(void)clockid;
	machine.now_ns += machine.read_ns / 2;
	*ts = tw_ns_to_ts(machine.now_ns);
	machine.now_ns += machine.read_ns - machine.read_ns / 2;
	if (machine.late_ns && ++machine.reads % 9)
		machine.now_ns += machine.late_ns;
	return 0;
}

int nanosleep(const struct timespec *span, struct timespec *left)
{
	(void)left;
	machine.pauses++;
	machine.now_ns += tw_ts_to_ns(span);
	return 0;
}

static uint64_t counter_by_script(void)
{
	int64_t passed_ns = machine.now_ns - START_NS;
	int64_t fast_ns = machine.now_ns - machine.change_ns;

	machine.counter_reads++;
	if (machine.stuck)
		return machine.ticks;
	if (machine.ppm && fast_ns > 0)
		passed_ns += fast_ns * machine.ppm / 1000000;
	return machine.ticks + (uint64_t)(passed_ns * TICKS_PER_US / 1000);
}

int tw_counter_trusted(void)
{
	return machine.trusted;
}

#define tw_counter_read counter_by_script
#include "base/tw_clock_tsc.c"

static int set_up(void **state)
{
	(void)state;
	memset(&machine, 0, sizeof(machine));
	machine.now_ns = START_NS;
	machine.read_ns = 20;
	machine.ticks = 123456789;
	return 0;
}

static int open_it(struct tw_clock *clock)
{
	memset(clock, 0xff, sizeof(*clock));
	return tw_clock_open(clock, "tsc");
}

/* How far it is from the kernel's, in its own terms. */
static int64_t error_ns(const struct tw_clock *clock)
{
	return clock->read_ns(clock) - machine.now_ns;
}

/* Nothing may be off by more than half of the reads around the counter's. */
static void check_exact(int64_t read_ns, uint64_t ticks)
{
	struct tw_clock clock;
	int64_t opened_ns;
	int i;

	set_up(NULL);
	machine.read_ns = read_ns;
	machine.ticks = ticks;
	assert_int_equal(open_it(&clock), 0);
	opened_ns = machine.now_ns;
	assert_true(opened_ns - START_NS >= 50 * TW_NS_PER_MS);
	assert_int_equal(machine.pauses, 2);
	assert_true(clock.ns_per_tick > 0.399 && clock.ns_per_tick < 0.401);
	for (i = 0; i < 100; i++) {
		assert_in_range(error_ns(&clock) + read_ns + 2, 0,
				2 * read_ns + 4);
		machine.now_ns += 10 * TW_NS_PER_MS;
	}
	/* From before the calibration, too. */
	machine.now_ns = START_NS;
	assert_in_range(error_ns(&clock) + read_ns + 2, 0, 2 * read_ns + 4);
}

static void test_exact(void **state)
{
	(void)state;
	check_exact(20, 123456789);
	check_exact(2, 0);
	/* It wraps. */
	check_exact(20, UINT64_MAX - 1000000);
}

/* Of the reads of a point, the one that nothing came between counts. */
static void test_interrupted(void **state)
{
	struct tw_clock clock;

	(void)state;
	machine.late_ns = 300 * TW_NS_PER_US;
	assert_int_equal(open_it(&clock), 0);
	assert_in_range(error_ns(&clock) + 400, 0, 800);
	machine.now_ns += 10 * TW_NS_PER_S;
	/* Some 100 ns of 60 ms. */
	assert_in_range(error_ns(&clock) + 100000, 0, 200000);
}

static void check_rate(int64_t ppm, int want)
{
	struct tw_clock clock;

	set_up(NULL);
	machine.read_ns = 2;
	machine.change_ns = START_NS + 25 * TW_NS_PER_MS;
	machine.ppm = ppm;
	assert_int_equal(open_it(&clock), want);
}

/* A counter whose rate changes is no clock. */
static void test_rate(void **state)
{
	(void)state;
	check_rate(0, 0);
	check_rate(80, 0);
	check_rate(-80, 0);
	check_rate(120, -ERANGE);
	check_rate(-120, -ERANGE);
	check_rate(100000, -ERANGE);
	check_rate(-100000, -ERANGE);
}

static void test_stuck(void **state)
{
	struct tw_clock clock;

	(void)state;
	machine.stuck = true;
	assert_int_equal(open_it(&clock), -ERANGE);
}

/* What the kernel does not trust is not even tried. */
static void test_not_trusted(void **state)
{
	struct tw_clock clock;

	(void)state;
	machine.trusted = -ENODEV;
	assert_int_equal(open_it(&clock), -ENODEV);
	assert_int_equal(machine.counter_reads, 0);
	/* Of no concern to the kernel's clocks. */
	assert_int_equal(tw_clock_open(&clock, "monotonic"), 0);
}

static void test_drift(void **state)
{
	struct tw_clock clock;
	int64_t drift_ns, over_ns;

	(void)state;
	assert_int_equal(open_it(&clock), 0);
	machine.change_ns = machine.now_ns;
	machine.ppm = 50;
	machine.now_ns += 100 * TW_NS_PER_S;
	assert_true(tw_clock_drift(&clock, &drift_ns, &over_ns));
	/* 50 ppm of 100 s. */
	assert_in_range(drift_ns, 4990 * TW_NS_PER_US, 5010 * TW_NS_PER_US);
	assert_in_range(over_ns, 100 * TW_NS_PER_S, 101 * TW_NS_PER_S);
}

/* A cycle that is kept may cost three pairs, and one if that is good. */
static void test_about(void **state)
{
	struct tw_clock clock;

	(void)state;
	assert_int_equal(open_it(&clock), 0);
	machine.counter_reads = 0;
	assert_in_range(tw_clock_about_ahead_ns(&clock, CLOCK_MONOTONIC) +
			100, 0, 200);
	assert_int_equal(machine.counter_reads, 1);
	machine.counter_reads = 0;
	machine.read_ns = 5000;
	tw_clock_about_ahead_ns(&clock, CLOCK_MONOTONIC);
	assert_int_equal(machine.counter_reads, 3);
	machine.counter_reads = 0;
	machine.read_ns = 2;
	tw_clock_ahead_of_ns(&clock, CLOCK_MONOTONIC);
	assert_true(machine.counter_reads > 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_exact, set_up),
		cmocka_unit_test_setup(test_interrupted, set_up),
		cmocka_unit_test_setup(test_rate, set_up),
		cmocka_unit_test_setup(test_stuck, set_up),
		cmocka_unit_test_setup(test_not_trusted, set_up),
		cmocka_unit_test_setup(test_drift, set_up),
		cmocka_unit_test_setup(test_about, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
