// SPDX-License-Identifier: GPL-2.0-or-later
/* clock: what its metrics make of the timestamps. */
#include <string.h>

#include "core/pt_record.h"
#include "rows/pt_rows.h"
#include "unit.h"

#define CLOCK_PS	20000

static struct pt_case one = {
	.choice.test = &pt_clock, .clock_ps = CLOCK_PS,
};

static int64_t value_ps(const char *token, struct pt_trial trial)
{
	const struct pt_metric *metric = pt_clock.metrics;

	while (strcmp(metric->token, token))
		metric++;
	return pt_value_ps(&one, metric, &trial, NULL);
}

/* 100 readings and the clock's own one. */
static void test_cost(void **state)
{
	const struct pt_trial trial = { .t_ns = { 1000, 3520 } };

	(void)state;
	assert_int_equal(value_ps("cost", trial),
			 (2520000 - CLOCK_PS) / 100);
}

static void test_step(void **state)
{
	const struct pt_trial at_once = { .t_ns = { 0, 0, 50, 70, 70 } };
	const struct pt_trial later = { .t_ns = { 0, 0, 50, 50, 4050 } };

	(void)state;
	assert_int_equal(value_ps("difference", at_once), 20000);
	assert_int_equal(value_ps("resolution", at_once), 20000);
	assert_int_equal(value_ps("difference", later), 0);
	assert_int_equal(value_ps("resolution", later), 4000000);
}

/* Not awaited: no step of 0 ns. */
static void test_no_step(void **state)
{
	const struct pt_trial trial = { .t_ns = { 0, 0, 50, 50, 50 } };

	(void)state;
	assert_true(value_ps("resolution", trial) == PT_NO_VALUE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cost),
		cmocka_unit_test(test_step),
		cmocka_unit_test(test_no_step),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
