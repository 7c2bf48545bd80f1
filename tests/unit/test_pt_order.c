// SPDX-License-Identifier: GPL-2.0-or-later
/* How the order of tasks that were woken is judged. */
#include "rows/pt_order.h"
#include "unit.h"

#define COUNT	4

static void test_inversions(void **state)
{
	static const struct {
		int order[COUNT];
		int inversions;
	} rows[] = {
		{ { 0, 1, 2, 3 }, 0 },
		{ { 1, 0, 2, 3 }, 1 },
		{ { 0, 1, 3, 2 }, 1 },
		{ { 3, 0, 1, 2 }, 1 },
		{ { 1, 0, 3, 2 }, 2 },
		{ { 3, 2, 1, 0 }, 3 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(pt_order_inversions(rows[i].order, COUNT),
				 rows[i].inversions);
	assert_int_equal(pt_order_inversions(rows[5].order, 1), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_inversions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
