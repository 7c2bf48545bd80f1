// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "base/tw_time.h"
#include "measure/tw_line.h"
#include "unit.h"

#define FAR_NS	INT64_C(1000000000000000000)

static void offset_changes_with_time(void **state)
{
	const struct tw_line line = {
		.at_ns = FAR_NS, .offset_ns = -FAR_NS, .rate = 50e-6,
	};

	(void)state;
	assert_int_equal(tw_line_ns(&line, FAR_NS), -FAR_NS);
	assert_int_equal(tw_line_ns(&line, FAR_NS + TW_NS_PER_S),
			 -FAR_NS + 50000);
	assert_int_equal(tw_line_ns(&line, FAR_NS - TW_NS_PER_S),
			 -FAR_NS - 50000);
}

static void offset_is_rounded_to_the_nearest(void **state)
{
	const struct tw_line line = { .rate = 0.01 };

	(void)state;
	assert_int_equal(tw_line_ns(&line, 40), 0);
	assert_int_equal(tw_line_ns(&line, 60), 1);
	assert_int_equal(tw_line_ns(&line, -40), 0);
	assert_int_equal(tw_line_ns(&line, -60), -1);
}

static void line_goes_through_points(void **state)
{
	struct tw_fit fit = { .begun = false };
	struct tw_line line;
	int i;

	(void)state;
	for (i = 0; i < 10; i++)
		tw_fit_add(&fit, FAR_NS + i * TW_NS_PER_MS,
			   FAR_NS + i * 100, 1000);
	assert_true(tw_fit_line(&fit, &line));
	assert_int_equal(tw_line_ns(&line, FAR_NS), FAR_NS);
	assert_int_equal(tw_line_ns(&line, FAR_NS + 9 * TW_NS_PER_MS),
			 FAR_NS + 900);
	assert_int_equal(tw_line_ns(&line, FAR_NS + 100 * TW_NS_PER_MS),
			 FAR_NS + 10000);
}

static void squares_are_the_least(void **state)
{
	/* By hand: the rate is 3 / 5, the mean point is 1.5, 1.5. */
	static const int y[] = { 0, 2, 2, 2 };
	struct tw_fit fit = { .begun = false };
	struct tw_line line;
	int i;

	(void)state;
	for (i = 0; i < 4; i++)
		tw_fit_add(&fit, i * 100000, y[i] * 10000, 7);
	assert_true(tw_fit_line(&fit, &line));
	assert_int_equal(line.at_ns, 150000);
	assert_int_equal(line.offset_ns, 15000);
	assert_true(line.rate > 0.0599999 && line.rate < 0.0600001);
}

static void wide_intervals_weigh_little(void **state)
{
	struct tw_fit fit = { .begun = false };
	struct tw_line line;
	int i;

	(void)state;
	for (i = 0; i < 64; i++)
		tw_fit_add(&fit, i * TW_NS_PER_MS, i == 63 ? 2500000 : 0,
			   i == 63 ? 5000000 : 50000);
	assert_true(tw_fit_line(&fit, &line));
	assert_in_range(tw_line_ns(&line, 63 * TW_NS_PER_MS), 0, 50);

	/* A width of 0 weighs as 1 does: the mean of two points. */
	memset(&fit, 0, sizeof(fit));
	tw_fit_add(&fit, 0, 0, 0);
	tw_fit_add(&fit, 0, 1000, 1);
	assert_true(tw_fit_line(&fit, &line));
	assert_int_equal(line.offset_ns, 500);
}

static void points_of_one_time_make_it_level(void **state)
{
	struct tw_fit fit = { .begun = false };
	struct tw_line line;

	(void)state;
	tw_fit_add(&fit, FAR_NS, 100, 10);
	assert_true(tw_fit_line(&fit, &line));
	assert_int_equal(line.at_ns, FAR_NS);
	assert_int_equal(line.offset_ns, 100);
	assert_true(line.rate == 0);
	tw_fit_add(&fit, FAR_NS, 200, 10);
	assert_true(tw_fit_line(&fit, &line));
	assert_int_equal(line.offset_ns, 150);
	assert_true(line.rate == 0);
}

static void refuses(int64_t gain_ns, bool refused)
{
	struct tw_line line = { .at_ns = 1, .offset_ns = 2, .rate = 3 };
	struct tw_fit fit = { .begun = false };

	tw_fit_add(&fit, 0, 0, 1);
	tw_fit_add(&fit, 1000000, gain_ns, 1);
	assert_int_equal(!tw_fit_line(&fit, &line), refused);
	if (refused)
		assert_true(line.at_ns == 1 && line.offset_ns == 2 &&
			    line.rate == 3);
}

static void no_clock_has_such_a_rate(void **state)
{
	struct tw_fit fit = { .begun = false };
	struct tw_line line;

	(void)state;
	refuses(249000, false);
	refuses(251000, true);
	refuses(-249000, false);
	refuses(-251000, true);
	assert_false(tw_fit_line(&fit, &line));
}

/* UBSan sees what overflows. */
static void numbers_may_be_of_any_size(void **state)
{
	static const int64_t sizes[] = {
		INT64_MIN, INT64_MIN + 1, -FAR_NS, -1, 0, 1, FAR_NS,
		INT64_MAX - 1, INT64_MAX,
	};
	const int count = (int)(sizeof(sizes) / sizeof(sizes[0]));
	struct tw_line line = { .rate = 0 };
	uint64_t seed = 1;
	int i, k;

	(void)state;
	for (i = 0; i < 100000; i++) {
		struct tw_fit fit = { .begun = false };

		for (k = 0; k < 3; k++)
			tw_fit_add(&fit,
				   sizes[unit_between(&seed, 0, count - 1)],
				   sizes[unit_between(&seed, 0, count - 1)],
				   sizes[unit_between(&seed, 4, count - 1)]);
		if (tw_fit_line(&fit, &line))
			/* Some machines compare more digits than they store. */
			assert_true(line.rate <= TW_LINE_RATE_MAX &&
				    line.rate >= -TW_LINE_RATE_MAX);
		for (k = 0; k < count; k++)
			tw_line_ns(&line, sizes[k]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(offset_changes_with_time),
		cmocka_unit_test(offset_is_rounded_to_the_nearest),
		cmocka_unit_test(line_goes_through_points),
		cmocka_unit_test(squares_are_the_least),
		cmocka_unit_test(wide_intervals_weigh_little),
		cmocka_unit_test(points_of_one_time_make_it_level),
		cmocka_unit_test(no_clock_has_such_a_rate),
		cmocka_unit_test(numbers_may_be_of_any_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
