// SPDX-License-Identifier: GPL-2.0-or-later
/* The clocks that timestamps come from. */
#include <errno.h>
#include <string.h>
#include <sys/types.h>

#include "base/tw_clock.h"
#include "base/tw_time.h"
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
		assert_string_equal(tw_clock_kinds[i]->name,
				    kernel_clocks[i].name);
	assert_string_equal(tw_clock_kinds[KERNEL_CLOCKS]->name, "tsc");
	assert_null(tw_clock_kinds[KERNEL_CLOCKS + 1]);
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

/* Between the two kernel reads that the distance is taken from. */
static void test_ahead(void **state)
{
	struct tw_clock clock = opened("tai");
	int64_t before_ns, ahead_ns, after_ns;
	struct tw_ahead ahead;
	int i;

	(void)state;
	clock.read_ns = read_script;
	scripted_ns = tw_now_ns(CLOCK_MONOTONIC) + 37 * TW_NS_PER_S;
	for (i = 0; i < 1000; i++) {
		memset(&ahead, 0, sizeof(ahead));
		before_ns = tw_now_ns(CLOCK_MONOTONIC);
		ahead_ns = tw_clock_ahead_ns(&clock, &ahead);
		after_ns = tw_now_ns(CLOCK_MONOTONIC);
		assert_true(ahead_ns <= scripted_ns - before_ns);
		assert_true(ahead_ns >= scripted_ns - after_ns);
	}
}

/* The best of some tries is taken: only one of them is of one moment. */
static int tries;

static int64_t read_seldom(const struct tw_clock *clock)
{
	const struct timespec pause = { .tv_nsec = 2000000 };
	int64_t now_ns = tw_now_ns(CLOCK_MONOTONIC);

	(void)clock;
	if (++tries == 7)
		return now_ns + TW_NS_PER_S;
	nanosleep(&pause, NULL);
	return now_ns + 100 * TW_NS_PER_S;
}

static void test_ahead_of(void **state)
{
	struct tw_clock clock = opened("monotonic");
	int64_t before_ns, ahead_ns, after_ns;
	int round;

	(void)state;
	clock.read_ns = read_script;
	scripted_ns = tw_now_ns(CLOCK_REALTIME) - 37 * TW_NS_PER_S;
	before_ns = tw_now_ns(CLOCK_REALTIME);
	ahead_ns = tw_clock_ahead_of_ns(&clock, CLOCK_REALTIME);
	after_ns = tw_now_ns(CLOCK_REALTIME);
	assert_true(ahead_ns <= scripted_ns - before_ns);
	assert_true(ahead_ns >= scripted_ns - after_ns);

	clock.read_ns = read_seldom;
	/* Held up for longer than a pause just then, it is tried again. */
	for (round = 0; round < 50; round++) {
		tries = 0;
		ahead_ns = tw_clock_ahead_of_ns(&clock, CLOCK_MONOTONIC);
		assert_true(tries > 7);
		if (ahead_ns < 2 * TW_NS_PER_S)
			break;
	}
	assert_true(round < 50);
}

static void test_no_drift(void **state)
{
	int64_t drift_ns = 5, over_ns = 7;
	size_t i;

	(void)state;
	for (i = 0; i < KERNEL_CLOCKS; i++) {
		struct tw_clock clock = opened(kernel_clocks[i].name);

		assert_false(tw_clock_drift(&clock, &drift_ns, &over_ns));
		assert_int_equal(drift_ns, 5);
		assert_int_equal(over_ns, 7);
	}
}

/* Of a counter whose calibration was wrong by an hour, an hour ago. */
static void test_drift(void **state)
{
	const int64_t hour_ns = 3600 * TW_NS_PER_S;
	int64_t drift_ns, over_ns, before_ns, after_ns;
	struct tw_clock clock;
	int err = tw_clock_open(&clock, "tsc");

	(void)state;
	if (err) {
		print_message("skipped: no usable counter here: %s\n",
			      strerror(-err));
		skip();
	}
	before_ns = tw_now_ns(CLOCK_MONOTONIC);
	assert_true(tw_clock_drift(&clock, &drift_ns, &over_ns));
	after_ns = tw_now_ns(CLOCK_MONOTONIC);
	assert_true(over_ns >= before_ns - clock.base_ns);
	assert_true(over_ns <= after_ns - clock.base_ns);
	clock.base_ns -= hour_ns;
	assert_true(tw_clock_drift(&clock, &drift_ns, &over_ns));
	assert_true(over_ns >= hour_ns);
	assert_true(drift_ns < -hour_ns + 60 * TW_NS_PER_S);
	assert_true(drift_ns > -hour_ns - 60 * TW_NS_PER_S);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_kernel_clocks),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_tsc),
		cmocka_unit_test(test_ahead),
		cmocka_unit_test(test_ahead_of),
		cmocka_unit_test(test_no_drift),
		cmocka_unit_test(test_drift),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
