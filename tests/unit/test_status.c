// SPDX-License-Identifier: GPL-2.0-or-later
/* Status lines of a session, to the letter. */
#include "report.h"

static void print(FILE *file, const struct tw_run *run)
{
	const struct tw_columns shown = run->program->columns(run);

	tw_status_print(file, &shown);
}

static void test_status(void **state)
{
	(void)state;
	new_finished_run("-p80 --metrics=interval,send,sleep,receive,response,total,wakeup,planned");
	assert_string_equal(written(print),
		"T: 0 ( 1234) P:80 I:1000 C:      2 Min:    998 Act:  998 Avg: 1001 Max:    1004 Std:     4.5 interval\n"
		"T: 1 ( 1234) P:80 I:1000 C:      2 Min:     10 Act:   12 Avg:   11 Max:      12 Std:     1.1 send\n"
		"T: 2 ( 1234) P:80 I:1000 C:      2 Min:    106 Act:  106 Avg:  111 Max:     116 Std:    17.1 sleep\n"
		"T: 3 ( 1234) P:80 I:1000 C:      2 Min:      8 Act:   10 Avg:    9 Max:      10 Std:     1.1 receive\n"
		"T: 4 ( 1234) P:80 I:1000 C:      2 Min:    128 Act:  128 Avg:  131 Max:     135 Std:     4.9 response\n"
		"T: 5 ( 1234) P:80 I:1000 C:      2 Min:     30 Act:   30 Avg:   34 Max:      39 Std:     6.4 total\n"
		"T: 6 ( 1234) P:80 I:1000 C:      2 Min:      2 Act:    2 Avg:    3 Max:       4 Std:     1.4 wakeup\n"
		"T: 7 ( 1234) P:80 I:1000 C:      2 Min:    130 Act:  130 Avg:  134 Max:     139 Std:     6.4 planned\n");
}

static void test_status_in_ns(void **state)
{
	(void)state;
	new_finished_run("-N --metrics=total,interval");
	assert_string_equal(written(print),
		"T: 0 ( 1234) P: 0 I:1000 C:      2 Min:  30000 Act:   30000 Avg:   34500 Max:   39000 Std:  6364.0 total\n"
		"T: 1 ( 1234) P: 0 I:1000 C:      2 Min: 998000 Act:  998000 Avg: 1001000 Max: 1004000 Std:  4472.1 interval\n");
}

static void test_status_of_nothing(void **state)
{
	(void)state;
	new_run("-i0 --metrics=send");
	assert_string_equal(written(print),
		"T: 0 ( 1234) P: 0 I:0 C:      0 Min:      0 Act:    0 Avg:    0 Max:       0 Std:     0.0 send\n");
}

static void test_values(void **state)
{
	(void)state;
	assert_int_equal(tw_value(false, 1999), 1);
	assert_int_equal(tw_value(false, -1), -1);
	assert_int_equal(tw_value(false, -1000), -1);
	assert_true(tw_real(false, 1500) == 1.5);
	assert_int_equal(tw_value(true, 1999), 1999);
	assert_true(tw_real(true, 1500) == 1500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_status),
		cmocka_unit_test(test_status_in_ns),
		cmocka_unit_test(test_status_of_nothing),
		cmocka_unit_test(test_values),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	drop_run();
	return failed;
}
