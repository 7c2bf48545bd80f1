// SPDX-License-Identifier: GPL-2.0-or-later
/* Counted work. */
#include <time.h>

#include "base/tw_time.h"
#include "rows/pt_spin.h"
#include "unit.h"

/* Each iteration is in the result, and nothing else is. */
static void test_result(void **state)
{
	const uint64_t first = UINT64_C(6364136223846793005) +
			       UINT64_C(1442695040888963407);

	(void)state;
	assert_int_equal(pt_spin(0), 1);
	assert_int_equal(pt_spin(1), first);
	assert_int_equal(pt_spin(2), first * UINT64_C(6364136223846793005) +
				     UINT64_C(1442695040888963407));
	assert_int_equal(pt_spin(1000), pt_spin(1000));
	assert_int_not_equal(pt_spin(1000), pt_spin(1001));
}

static int64_t least_took_ns(int64_t iterations)
{
	int64_t took_ns, least_ns = INT64_MAX;
	int i;

	for (i = 0; i < 50; i++) {
		took_ns = -tw_now_ns(CLOCK_MONOTONIC);
		assert_int_not_equal(pt_spin(iterations), 0);
		took_ns += tw_now_ns(CLOCK_MONOTONIC);
		if (took_ns < least_ns)
			least_ns = took_ns;
	}
	return least_ns;
}

/* It takes the time asked for; a CPU may change its speed by half. */
static void test_iterations(void **state)
{
	int64_t took_ns = least_took_ns(pt_spin_iterations(200));

	(void)state;
	assert_true(took_ns > 100 * TW_NS_PER_US);
	assert_true(pt_spin_iterations(1) >= 1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_result),
		cmocka_unit_test(test_iterations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
