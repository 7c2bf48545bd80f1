// SPDX-License-Identifier: GPL-2.0-or-later
/* A line through points. */
#include <math.h>

#include "rows/pt_linear.h"
#include "unit.h"

static void check(const double *x, const double *y, int count, double slope,
		  double intercept)
{
	struct pt_line line = pt_linear_fit(x, y, count);

	assert_true(fabs(line.slope - slope) < 1e-9);
	assert_true(fabs(line.intercept - intercept) < 1e-6);
}

static void test_exact(void **state)
{
	const double x[] = { 10, 100, 1000, 10000 };
	double y[4];
	int i;

	(void)state;
	for (i = 0; i < 4; i++)
		y[i] = 1.625 * x[i] + 24;
	check(x, y, 4, 1.625, 24);
	check(x, y, 2, 1.625, 24);
}

/* By hand: of (0, 0), (1, 3), (2, 0), the best line is y = 1. */
static void test_least_squares(void **state)
{
	const double x[] = { 0, 1, 2 }, y[] = { 0, 3, 0 };

	(void)state;
	check(x, y, 3, 0, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exact),
		cmocka_unit_test(test_least_squares),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
