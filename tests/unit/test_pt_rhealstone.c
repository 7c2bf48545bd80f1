// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "pt_unit.h"

#include "rows/pt_rhealstone.h"

#define PARTS	PT_RHEALSTONES

/* The tests whose results are the parts; each has one metric here. */
static const struct pt_kind kinds[PARTS] = {
	{ .name = "2x0" }, { .name = NULL }, { .name = "1000" },
	{ .name = NULL }, { .name = "inherit" }, { .name = "8" },
};

static const struct pt_metric metrics[PARTS][2] = {
	{ { .token = "switch" } }, { { .token = "preempt" } },
	{ { .token = "wakeup" } }, { { .token = "shuffle" } },
	{ { .token = "inversion" } }, { { .token = "out" } },
};

static const struct pt_test tests_of[PARTS] = {
	{ .name = "yield", .metrics = metrics[0] },
	{ .name = "preempt", .metrics = metrics[1] },
	{ .name = "timer", .metrics = metrics[2], .flags = PT_ALONE },
	{ .name = "shuffle", .metrics = metrics[3] },
	{ .name = "sync3", .metrics = metrics[4] },
	{ .name = "message", .metrics = metrics[5] },
};

static const struct pt_config config = { .bin_ns = 1000 };
static struct pt_result results[PARTS];
static struct pt_session session = { .result = results };
static struct pt_derived told;
static char name[64], formula[200];
static int times;

static void tell(void *to, const struct pt_derived *derived)
{
	(void)to;
	told = *derived;
	snprintf(name, sizeof(name), "%s", derived->name);
	snprintf(formula, sizeof(formula), "%s", derived->formula);
	times++;
}

/* The first @count parts were measured: 1000 ns, 2000 ns ... on average. */
static void derive(int count)
{
	const struct pt_sums sums = { &session, tell, NULL };
	int i;

	for (i = 0; i < count; i++) {
		struct pt_case *c = pt_unit_case(&config, &tests_of[i],
						 kinds[i].name ? &kinds[i] :
								 NULL);
		const struct pt_trial trial = { .t_ns = { 0 } };

		c->trials = 2;
		assert_true(pt_more(&c->task[0]));
		pt_record(&c->task[0], &trial);
		tw_stats_add(&c->series->row[0].stats,
			     2 * (i + 1) * 1000 * PT_PS_PER_NS, 0.5);
		results[i] = (struct pt_result) { .c = c };
	}
	session.count = count;
	times = 0;
	pt_rhealstone_derive(&sums);
	for (i = 0; i < count; i++)
		pt_case_unmap(results[i].c);
}

static void test_figure(void **state)
{
	const double equal[PARTS] = { 1000, 1000, 1000, 1000, 1000, 1000 };
	const double none[PARTS] = { 0 };

	(void)state;
	assert_float_equal(pt_rhealstone(equal), 1e6, 1e-3);
	assert_float_equal(pt_rhealstone(none), 0, 1e-9);
}

static void test_all_parts(void **state)
{
	(void)state;
	derive(PARTS);
	assert_int_equal(times, 1);
	assert_string_equal(told.title, "Rhealstone");
	assert_string_equal(told.unit, "/s");
	assert_string_equal(name, "rhealstone.process");
	assert_float_equal(told.value, 6e9 / 21000, 1e-3);
	assert_string_equal(formula, "6 / (switch 1000.0 + preemption 2000.0 + interrupt 3000.0 + shuffle 4000.0 + deadlock 5000.0 + message 6000.0 ns)");
}

static void test_a_part_lacks(void **state)
{
	(void)state;
	derive(PARTS - 1);
	assert_int_equal(times, 0);
	derive(0);
	assert_int_equal(times, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_figure),
		cmocka_unit_test(test_all_parts),
		cmocka_unit_test(test_a_part_lacks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
