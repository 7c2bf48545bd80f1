// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of tests: each row is one that the core can run. */
#include <string.h>

#include "pt_unit.h"

static const struct pt_config config = { .bin_ns = 1000 };

static void check_metrics(const struct pt_test *test)
{
	const struct pt_metric *metric = test->metrics;
	int count = 0;

	for (; metric->token; metric++, count++) {
		assert_true(metric->from < PT_STAMPS);
		assert_true(metric->to < PT_STAMPS);
		assert_true(metric->value_ps || metric->from != metric->to);
		assert_non_null(metric->label);
	}
	assert_in_range(count, 1, PT_METRICS);
}

static int count_roles(const struct pt_test *test)
{
	int count = 0;

	while (test->roles[count].name)
		count++;
	return count;
}

/* A kind, or none. */
static void check_tasks(const struct pt_test *test, const struct pt_kind *kind)
{
	struct pt_case *c = pt_unit_case(&config, test, kind);
	int tasks = count_roles(test);

	if (test->copies)
		tasks += test->copies(c) - 1;
	assert_in_range(tasks, 1, PT_TASKS);
	assert_true(c->trials);
	assert_true(strlen(c->name) < PT_NAME - 1);
	pt_case_unmap(c);
}

static void check_kinds(const struct pt_test *test)
{
	const struct pt_kind *kind = test->kinds, *other;

	if (!kind)
		check_tasks(test, NULL);
	for (; kind && kind->name; kind++) {
		check_tasks(test, kind);
		for (other = test->kinds; other != kind; other++)
			assert_string_not_equal(kind->name, other->name);
	}
	if (test->own)
		assert_non_null(test->kinds);
}

static void test_rows(void **state)
{
	const struct pt_test *const *test = pt_tests;
	const struct pt_test *const *other;

	(void)state;
	for (; *test; test++) {
		check_metrics(*test);
		check_kinds(*test);
		for (other = pt_tests; other != test; other++)
			assert_string_not_equal((*test)->name, (*other)->name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
