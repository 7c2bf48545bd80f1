// SPDX-License-Identifier: GPL-2.0-or-later
/* alarm: intervals need two signals. */
#include "core/pt_record.h"
#include "rows/pt_rows.h"
#include "unit.h"

static struct pt_case one = { .choice.test = &pt_alarm };

static void test_interval(void **state)
{
	const struct pt_trial before = { .t_ns = { 7000000 } };
	const struct pt_trial now = { .t_ns = { 8000123 } };
	const struct pt_metric *interval = &pt_alarm.metrics[0];

	(void)state;
	assert_int_equal(pt_value_ps(&one, interval, &now, &before),
			 INT64_C(1000123000));
	assert_true(pt_value_ps(&one, interval, &now, NULL) == PT_NO_VALUE);
}

static void test_target(void **state)
{
	(void)state;
	assert_int_equal(pt_alarm.metrics[0].target_ps(&one),
			 INT64_C(1000000000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_interval),
		cmocka_unit_test(test_target),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
