// SPDX-License-Identifier: GPL-2.0-or-later
/* The clocks that timestamps come from. */
#include <errno.h>
#include <string.h>
#include <sys/types.h>

#include "tw_clock.h"
#include "tw_time.h"
#include "unit.h"

static const struct {
	const char *name;
	clockid_t clockid, timer_clockid;
	bool own_timer;
} kernel_clocks[] = {
	{ "monotonic", CLOCK_MONOTONIC, CLOCK_MONOTONIC, true },
	{ "realtime", CLOCK_REALTIME, CLOCK_REALTIME, true },
	{ "monotonic_raw", CLOCK_MONOTONIC_RAW, CLOCK_MONOTONIC, false },
	{ "tai", CLOCK_TAI, CLOCK_MONOTONIC, false },
	{ "boottime", CLOCK_BOOTTIME, CLOCK_MONOTONIC, false },
};

#define KERNEL_CLOCKS	(sizeof(kernel_clocks) / sizeof(kernel_clocks[0]))

static void test_names(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < KERNEL_CLOCKS; i++)
		assert_string_equal(tw_clock_name(i), kernel_clocks[i].name);
	assert_string_equal(tw_clock_name(KERNEL_CLOCKS), "tsc");
	assert_null(tw_clock_name(KERNEL_CLOCKS + 1));
	assert_null(tw_clock_name(SIZE_MAX));
}

static struct tw_clock opened(const char *name)
{
	struct tw_clock clock;

	memset(&clock, 0xff, sizeof(clock));
	assert_int_equal(tw_clock_open(&clock, name), 0);
	return clock;
}

/* A read lies between two of the kernel's own, and none goes back. */
static void check_reads(const struct tw_clock *clock, clockid_t clockid)
{
	int64_t last_ns = tw_now_ns(clockid), now_ns;
	int i;

	for (i = 0; i < 10000; i++) {
		now_ns = clock->read_ns(clock);
		assert_true(now_ns >= last_ns);
		last_ns = now_ns;
	}
	assert_true(tw_now_ns(clockid) >= last_ns);
}

static void test_kernel_clocks(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < KERNEL_CLOCKS; i++) {
		struct tw_clock clock = opened(kernel_clocks[i].name);

		assert_string_equal(clock.name, kernel_clocks[i].name);
		assert_int_equal(clock.clockid, kernel_clocks[i].clockid);
		assert_int_equal(clock.timer_clockid,
				 kernel_clocks[i].timer_clockid);
		assert_int_equal(clock.own_timer, kernel_clocks[i].own_timer);
		check_reads(&clock, kernel_clocks[i].clockid);
	}
}

static void test_numbers(void **state)
{
	(void)state;
	assert_string_equal(opened("0").name, "monotonic");
	assert_string_equal(opened("1").name, "realtime");
}

static void test_unknown(void **state)
{
	static const char *const names[] = {
		"", "2", "00", "mono", "monotonic ", "MONOTONIC", "tscx",
	};
	struct tw_clock clock;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_int_equal(tw_clock_open(&clock, names[i]), -EINVAL);
}

/* The counter is there or not, by the machine; a clock it is either way. */
static void test_tsc(void **state)
{
	struct tw_clock clock;
	int64_t now_ns, last_ns;
	int err = tw_clock_open(&clock, "tsc");
	int i;

	(void)state;
	if (err) {
		assert_true(err == -ENOTSUP || err == -ENODEV ||
			    err == -ERANGE);
		print_message("skipped: no usable counter here: %s\n",
			      strerror(-err));
		skip();
	}
	assert_string_equal(clock.name, "tsc");
	assert_false(clock.own_timer);
	assert_int_equal(clock.timer_clockid, CLOCK_MONOTONIC);
	assert_true(clock.ns_per_tick > 0);
	last_ns = clock.read_ns(&clock);
	/* Counted from CLOCK_MONOTONIC at the calibration just made. */
	assert_true(last_ns >= clock.base_ns);
	assert_true(last_ns - clock.base_ns < 3600 * TW_NS_PER_S);
	for (i = 0; i < 10000; i++) {
		now_ns = clock.read_ns(&clock);
		assert_true(now_ns >= last_ns);
		last_ns = now_ns;
	}
}

static int64_t scripted_ns;

static int64_t read_script(const struct tw_clock *clock)
{
	(void)clock;
	return scripted_ns;
}

static void test_ahead_of_itself(void **state)
{
	struct tw_clock clock = opened("realtime");

	(void)state;
	clock.read_ns = read_script;
	scripted_ns = 5;
	assert_int_equal(tw_clock_ahead_ns(&clock, 0), 0);
	assert_int_equal(tw_clock_ahead_ns(&clock, 777), 0);
}

/* Between the two kernel reads that the distance is taken from. */
static void test_ahead(void **state)
{
	struct tw_clock clock = opened("tai");
	int64_t before_ns, ahead_ns, after_ns;
	int i;

	(void)state;
	clock.read_ns = read_script;
	scripted_ns = tw_now_ns(CLOCK_MONOTONIC) + 37 * TW_NS_PER_S;
	for (i = 0; i < 1000; i++) {
		before_ns = tw_now_ns(CLOCK_MONOTONIC);
		ahead_ns = tw_clock_ahead_ns(&clock, 0);
		after_ns = tw_now_ns(CLOCK_MONOTONIC);
		assert_true(ahead_ns <= scripted_ns - before_ns);
		assert_true(ahead_ns >= scripted_ns - after_ns);
	}
}

static int64_t read_slowly(const struct tw_clock *clock)
{
	const struct timespec pause = { .tv_nsec = 20000 };

	nanosleep(&pause, NULL);
	return read_script(clock);
}

/* Reads that are not of one moment are worth less than the last value. */
static void test_ahead_interrupted(void **state)
{
	struct tw_clock clock = opened("monotonic_raw");

	(void)state;
	clock.read_ns = read_slowly;
	scripted_ns = tw_now_ns(CLOCK_MONOTONIC) + TW_NS_PER_S;
	assert_int_equal(tw_clock_ahead_ns(&clock, 777), 777);
	/* But at first there is none. */
	assert_true(tw_clock_ahead_ns(&clock, 0) <= TW_NS_PER_S);
	assert_true(tw_clock_ahead_ns(&clock, 0) != 0);
}

static int64_t read_steps(const struct tw_clock *clock)
{
	(void)clock;
	/* 30, 10, 10, 30, 10, 10, ... ns apart: 50 / 3 on average. */
	scripted_ns++;
	return scripted_ns / 3 * 50 + scripted_ns % 3 * 10;
}

static void test_cost(void **state)
{
	struct tw_clock clock = opened("monotonic");
	int64_t min_ns = -1;
	double avg_ns = -1;

	(void)state;
	tw_clock_cost(&clock, &min_ns, &avg_ns);
	assert_true(min_ns >= 0);
	assert_true(avg_ns >= min_ns);

	clock.read_ns = read_steps;
	scripted_ns = 0;
	tw_clock_cost(&clock, &min_ns, &avg_ns);
	assert_int_equal(min_ns, 10);
	assert_true(avg_ns > 16.5 && avg_ns < 16.8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_kernel_clocks),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_tsc),
		cmocka_unit_test(test_ahead_of_itself),
		cmocka_unit_test(test_ahead),
		cmocka_unit_test(test_ahead_interrupted),
		cmocka_unit_test(test_cost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
