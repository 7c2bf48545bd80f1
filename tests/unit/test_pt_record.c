// SPDX-License-Identifier: GPL-2.0-or-later
#include "pt_unit.h"

#include "core/pt_pace.h"
#include "core/pt_task.h"

static const struct pt_metric metrics[] = {
	{ .token = "took", .label = "Took", .from = 0, .to = 1 },
	{ .token = NULL }
};

static const struct pt_test test = {
	.name = "any", .metrics = metrics, .trials = 10,
};

static const struct pt_config config = { .warmup = 2, .bin_ns = 1000 };

static void record(struct pt_task *task, int64_t from_ns, int64_t to_ns)
{
	pt_record(task, &(struct pt_trial) { .t_ns = { from_ns, to_ns } });
}

static void test_count(void **state)
{
	struct pt_case *c = pt_unit_case(&config, &test, NULL);
	struct pt_task *task = &c->task[0];
	struct tw_status status;
	int64_t n = 0;

	(void)state;
	for (; pt_more(task); n++) {
		assert_int_equal(pt_warms_up(task), n < 2);
		record(task, 100, 200 + n);
	}
	assert_int_equal(n, 12);
	assert_true(pt_over(task));
	status = tw_series_status(c->series, 0);
	assert_int_equal(status.count, 10);
	assert_int_equal(status.min_ns, 102 * PT_PS_PER_NS);
	assert_int_equal(status.max_ns, 111 * PT_PS_PER_NS);
	assert_int_equal(c->first_count, 2);
	assert_int_equal(c->first_ps[1][0], 101 * PT_PS_PER_NS);
	pt_case_unmap(c);
}

/*
 * The others have to answer the trial that is being run, or the task that leads
 * would wait for ever: to them it is over only when that task says so.
 */
static void test_stop_within_a_trial(void **state)
{
	struct pt_case *c = pt_unit_case(&config, &test, NULL);
	struct pt_task *leads = &c->task[0], *other = &c->task[1];

	(void)state;
	assert_true(pt_more(leads));
	atomic_store(&c->stop, 1);
	assert_false(pt_over(other));
	record(leads, 0, 1);
	assert_false(pt_over(other));
	assert_false(pt_more(leads));
	assert_true(pt_over(other));
	pt_case_unmap(c);
}

static void test_break_within_a_trial(void **state)
{
	const struct pt_config breaks = {
		.bin_ns = 1000, .break_ps = 50 * PT_PS_PER_NS,
	};
	struct pt_case *c = pt_unit_case(&breaks, &test, NULL);
	struct pt_task *task = &c->task[0];

	(void)state;
	assert_true(pt_more(task));
	record(task, 0, 50);
	assert_true(pt_more(task));
	record(task, 0, 51);
	assert_false(pt_over(task));
	assert_false(pt_more(task));
	assert_true(pt_over(task));
	assert_int_equal(c->broken_ps, 51 * PT_PS_PER_NS);
	pt_case_unmap(c);
}

static int64_t period_ps(const struct pt_case *c)
{
	(void)c;
	return 1000 * PT_PS_PER_NS;
}

/* An interval is above the limit only by what it exceeds its period. */
static void test_break_beyond_the_target(void **state)
{
	static const struct pt_metric interval[] = {
		{ .token = "interval", .label = "Interval", .from = 0, .to = 1,
		  .target_ps = period_ps },
		{ .token = NULL }
	};
	static const struct pt_test timer = {
		.name = "any", .metrics = interval, .trials = 10,
	};
	const struct pt_config breaks = {
		.bin_ns = 1000, .break_ps = 50 * PT_PS_PER_NS,
	};
	struct pt_case *c = pt_unit_case(&breaks, &timer, NULL);
	struct pt_task *task = &c->task[0];

	(void)state;
	assert_true(pt_more(task));
	record(task, 0, 1050);
	assert_true(pt_more(task));
	record(task, 0, 1051);
	assert_false(pt_more(task));
	assert_int_equal(c->broken_ps, 1051 * PT_PS_PER_NS);
	pt_case_unmap(c);
}

/* A task that sleeps until its next trial is not preempted by it. */
static void test_switches(void **state)
{
	static const struct pt_config paced = {
		.warmup = 2, .bin_ns = 1000, .interval_us = 100,
	};
	static const struct pt_test pair = {
		.name = "pair", .metrics = metrics, .trials = 5, .switches = 2,
		.spare_switches = 1,
	};
	struct pt_case *c = pt_unit_case(&paced, &pair, NULL);
	struct pt_pace pace;
	int i;

	(void)state;
	pt_pace_start(&pace, &c->task[0]);
	for (i = 0; i < 3; i++) {
		pt_pace_wait(&pace);
		record(&c->task[0], 0, 1);
	}
	assert_int_equal(pt_switches_needed(c), 6);
	assert_int_equal(pt_switches_usual(c), 12);
	c->choice.cross = true;
	assert_int_equal(pt_switches_needed(c), 3);
	pt_case_unmap(c);
}

/* Of a short run, what happens before the first trial counts. */
static void test_too_few_switches(void **state)
{
	static const struct pt_test pair = {
		.name = "pair", .metrics = metrics, .trials = 5, .switches = 2,
	};
	static const struct {
		int trials, had;
		bool lack;
	} rows[] = {
		{ 3, 4, false }, { 3, 3, true }, { 3, 0, true },
		{ 1000, 2000, false }, { 1000, 1978, false },
		{ 1000, 1977, true },
	};
	struct pt_case *c = pt_unit_case(&config, &pair, NULL);
	size_t i;

	(void)state;
	c->task_count = 2;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		atomic_store(&c->done, (uint64_t)rows[i].trials);
		c->task[0].used.voluntary = rows[i].had;
		assert_int_equal(pt_switches_lack(c), rows[i].lack);
	}
	pt_case_unmap(c);
}

static void test_check_sum(void **state)
{
	struct pt_case *c = pt_unit_case(&config, &test, NULL);
	struct pt_task *task = &c->task[0];

	(void)state;
	assert_int_equal(pt_check_sum(task, 0), 0);
	assert_int_equal(pt_check_sum(task, 0), 0);
	assert_true(pt_check_sum(task, 1) < 0);
	assert_non_null(task->failed);
	pt_case_unmap(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_count),
		cmocka_unit_test(test_stop_within_a_trial),
		cmocka_unit_test(test_break_within_a_trial),
		cmocka_unit_test(test_break_beyond_the_target),
		cmocka_unit_test(test_switches),
		cmocka_unit_test(test_too_few_switches),
		cmocka_unit_test(test_check_sum),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
