// SPDX-License-Identifier: GPL-2.0-or-later
/* preempt and shuffle, without the task that they need: both say so. */
#include <string.h>

#include "pt_unit.h"

#include "rows/pt_rows.h"

static const struct pt_config config = {
	.loops = 10, .warmup = 2, .bin_ns = 1000, .policy = SCHED_FIFO,
};

static const struct pt_role *role_of(const struct pt_test *test,
				     const char *name)
{
	const struct pt_role *role = test->roles;

	while (strcmp(role->name, name))
		role++;
	return role;
}

static void test_nobody_is_woken(void **state)
{
	struct pt_case *c = pt_unit_case(&config, &pt_preempt, NULL);

	(void)state;
	assert_int_equal(pt_preempt.open(c), 0);
	assert_int_equal(role_of(&pt_preempt, "low")->run(&c->task[0]), 0);
	pt_preempt.verify(c);
	assert_int_equal(c->verdicts, 1);
	assert_true(c->verdict[0].failed);
	assert_non_null(strstr(c->verdict[0].text, "12 posts"));
	pt_case_unmap(c);
}

/* Each trial: the two parts are the whole, and holding is in neither. */
static void test_shuffle(void **state)
{
	const struct pt_metric *metric = pt_shuffle.metrics;
	struct pt_case *c = pt_unit_case(&config, &pt_shuffle, NULL);
	struct pt_trial trial = { .t_ns = { 1000, 1300, 99000, 99070 } };

	(void)state;
	assert_string_equal(metric[2].token, "shuffle");
	assert_int_equal(pt_value_ps(c, &metric[0], &trial, NULL), 300000);
	assert_int_equal(pt_value_ps(c, &metric[1], &trial, NULL), 70000);
	assert_int_equal(pt_value_ps(c, &metric[2], &trial, NULL), 370000);
	pt_case_unmap(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nobody_is_woken),
		cmocka_unit_test(test_shuffle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
