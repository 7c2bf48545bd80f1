// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include "base/tw_time.h"
#include "rows/pt_work.h"

static void test_iterations(void **state)
{
	(void)state;
	assert_int_equal(pt_work_iterations(1, 10 * TW_NS_PER_MS), 1);
	assert_int_equal(pt_work_iterations(16, 4 * TW_NS_PER_MS), 40);
	assert_int_equal(pt_work_iterations(8, 3 * TW_NS_PER_MS), 27);
	/* One that takes longer than it should is one. */
	assert_int_equal(pt_work_iterations(1, 500 * TW_NS_PER_MS), 1);
	assert_true(pt_work_iterations(1, 0) > 0);
}

static void test_stretch(void **state)
{
	(void)state;
	assert_float_equal(pt_work_stretch(100, 100), 0, 1e-9);
	assert_float_equal(pt_work_stretch(100, 103), 3, 1e-9);
	assert_float_equal(pt_work_stretch(200, 500), 150, 1e-9);
	assert_float_equal(pt_work_stretch(0, 500), 0, 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_iterations),
		cmocka_unit_test(test_stretch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
