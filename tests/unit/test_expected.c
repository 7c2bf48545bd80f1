// SPDX-License-Identifier: GPL-2.0-or-later
/* How long a run will take, as far as its options tell. */
#include "parse.h"
#include "run/tw_columns.h"

static void test_expected(void **state)
{
	static const struct {
		const char *line;
		double seconds;
	} rows[] = {
		{ "-D121", 121 },
		{ "-D1h -l100", 0.1 },
		{ "-D5 -l1000000", 5 },
		{ "-l120000 -i1000", 120 },
		{ "-l7 -i2500", 0.0175 },
		/* No cycle is shorter than its sleep. */
		{ "-i0 --sleep=500 -l240000", 120 },
		{ "-i0 --sleep=0 -l240000", 0 },
		{ "-D60 --steps=2 --load=fft", 120 },
		{ "-l5000 --steps=3 --load=fft", 15 },
		{ "--trltp", 1600 },
	};
	double seconds;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		accepted(rows[i].line);
		seconds = parse_run.step_s * parse_run.steps;
		if (seconds < rows[i].seconds - 1e-9 ||
		    seconds > rows[i].seconds + 1e-9)
			fail_msg("%s: %g s", rows[i].line, seconds);
	}
}

static void test_no_end(void **state)
{
	static const char *const lines[] = { "", "-q", "-i0", "-D0 -l0" };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		accepted(lines[i]);
		assert_true(parse_run.step_s * parse_run.steps >=
			    1e300);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_expected),
		cmocka_unit_test(test_no_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
