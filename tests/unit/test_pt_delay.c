// SPDX-License-Identifier: GPL-2.0-or-later
/* The shortest delay that can be had. */
#include "rows/pt_delay.h"
#include "unit.h"

#define COST	47

static void test_first_within(void **state)
{
	const struct pt_delay_point point[] = {
		{ 48, 300 * COST + 1, 300 },
		{ 58, 300 * COST, 300 },
		{ 68, 0, 300 },
	};

	(void)state;
	assert_ptr_equal(pt_delay_shortest(point, 3, COST), &point[1]);
}

/* One that was not tried has no error, but is no result either. */
static void test_not_tried(void **state)
{
	const struct pt_delay_point point[] = {
		{ 48, 1000, 20 }, { 58, 0, 0 }, { 68, 940, 20 },
	};

	(void)state;
	assert_ptr_equal(pt_delay_shortest(point, 3, COST), &point[2]);
}

static void test_none(void **state)
{
	const struct pt_delay_point point[] = {
		{ 48, 48, 1 }, { 58, 0, 0 },
	};

	(void)state;
	assert_null(pt_delay_shortest(point, 2, COST));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_within),
		cmocka_unit_test(test_not_tried),
		cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
