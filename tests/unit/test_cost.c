// SPDX-License-Identifier: GPL-2.0-or-later
/* What the measurement costs, by clocks that are scripted. */
#include <string.h>

#include "base/tw_time.h"
#include "measure/tw_cost.h"
#include "unit.h"

static const struct tw_metric_params params = {
	.period_ns = 1000000, .sleep_ns = 100000,
};

static int64_t now_ns;
static unsigned int reads;

static int64_t read_steady(const struct tw_clock *clock)
{
	(void)clock;
	return now_ns += 40;
}

static int64_t read_stopped(const struct tw_clock *clock)
{
	(void)clock;
	return now_ns;
}

/* Steps of 10, 20, 10, 60 ns, ... */
static int64_t read_uneven(const struct tw_clock *clock)
{
	static const int64_t steps_ns[] = { 10, 20, 10, 60 };

	(void)clock;
	return now_ns += steps_ns[reads++ % 4];
}

/* Set back by 5 ns at every other read. */
static int64_t read_back(const struct tw_clock *clock)
{
	(void)clock;
	return now_ns += reads++ % 2 ? -5 : 15;
}

static struct tw_cost measured(int64_t (*read_ns)(const struct tw_clock *))
{
	const struct tw_clock clock = { .name = "x", .read_ns = read_ns };
	struct tw_cost cost;

	now_ns = 1000;
	reads = 0;
	memset(&cost, 0x5a, sizeof(cost));
	tw_cost_measure(&cost, &clock, &params);
	return cost;
}

static void assert_spread(const struct tw_spread *spread, int64_t min_ns,
			  double avg_ns, int64_t max_ns)
{
	assert_int_equal(spread->min_ns, min_ns);
	assert_int_equal(spread->max_ns, max_ns);
	assert_true(spread->avg_ns > avg_ns - 1e-6 &&
		    spread->avg_ns < avg_ns + 1e-6);
}

static void test_steady(void **state)
{
	struct tw_cost cost = measured(read_steady);

	(void)state;
	assert_spread(&cost.clock, 40, 40, 40);
	assert_int_equal(cost.resolution_ns, 40);
	assert_spread(&cost.sleep, 40, 40, 40);
	/* Two reads of its own, and the one that ends it. */
	assert_spread(&cost.cycle, 120, 120, 120);
}

static void test_uneven(void **state)
{
	struct tw_cost cost = measured(read_uneven);

	(void)state;
	/* Every other step is between the two reads of one pair. */
	assert_spread(&cost.clock, 20, 40, 60);
	assert_int_equal(cost.resolution_ns, 20);
}

/* A clock coarser than all this: there is no step that was seen. */
static void test_stopped(void **state)
{
	struct tw_cost cost = measured(read_stopped);

	(void)state;
	assert_spread(&cost.clock, 0, 0, 0);
	assert_int_equal(cost.resolution_ns, 0);
	assert_spread(&cost.cycle, 0, 0, 0);
}

static void test_back(void **state)
{
	struct tw_cost cost = measured(read_back);

	(void)state;
	assert_spread(&cost.clock, -5, -5, -5);
	assert_int_equal(cost.resolution_ns, 0);
}

static void assert_ordered(const struct tw_spread *spread, int64_t least_ns)
{
	assert_true(spread->min_ns >= least_ns);
	/* An average of equal values may be off by its rounding. */
	assert_true(spread->avg_ns > (double)spread->min_ns - 1);
	assert_true(spread->avg_ns < (double)spread->max_ns + 1);
	assert_true(spread->min_ns <= spread->max_ns);
}

/* In a closed loop too, which has no period. */
static void test_real(void **state)
{
	const struct tw_metric_params closed = { .sleep_ns = 0 };
	struct tw_clock clock;
	struct tw_cost cost;

	(void)state;
	assert_int_equal(tw_clock_open(&clock, "monotonic"), 0);
	tw_cost_measure(&cost, &clock, &closed);
	assert_ordered(&cost.clock, 0);
	assert_ordered(&cost.sleep, 1);
	assert_ordered(&cost.cycle, 0);
	assert_true(cost.resolution_ns > 0);
	assert_true(cost.clock.max_ns >= cost.resolution_ns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_steady),
		cmocka_unit_test(test_uneven),
		cmocka_unit_test(test_stopped),
		cmocka_unit_test(test_back),
		cmocka_unit_test(test_real),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
