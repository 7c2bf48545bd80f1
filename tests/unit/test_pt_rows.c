// SPDX-License-Identifier: GPL-2.0-or-later
/* What the rows of primitivetest compute, and what their table says. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pt_unit.h"

#include "pt_exchange.h"
#include "pt_report.h"
#include "pt_rows.h"

static struct pt_case one;

TEST(test_alarm)
{
	const struct pt_trial before = { .t_ns = { 7000000 } };
	const struct pt_trial now = { .t_ns = { 8000123 } };
	const struct pt_metric *interval = &pt_alarm.metrics[0];

	assert_int_equal(pt_value_ps(interval, &now, &before),
			 INT64_C(1000123000));
	assert_true(pt_value_ps(interval, &now, &pt_no_trial) == PT_NO_VALUE);
}

TEST(test_alarm_target)
{
	assert_int_equal(pt_alarm.metrics[0].target_ps(&one),
			 INT64_C(1000000000));
}

#define CLOCK_PS	20000

static int64_t value_ps(const char *token, struct pt_trial trial)
{
	const struct pt_metric *metric = pt_clock.metrics;

	pt_clock_ps = CLOCK_PS;
	while (strcmp(metric->token, token))
		metric++;
	return pt_value_ps(metric, &trial, &pt_no_trial);
}

/* 100 readings and the clock's own one. */
TEST(test_cost)
{
	const struct pt_trial trial = { .t_ns = { 1000, 3520 } };

	assert_int_equal(value_ps("cost", trial),
			 (2520000 - CLOCK_PS) / 100);
}

TEST(test_step)
{
	const struct pt_trial at_once = { .t_ns = { 0, 0, 50, 70, 70 } };
	const struct pt_trial later = { .t_ns = { 0, 0, 50, 50, 4050 } };

	assert_int_equal(value_ps("difference", at_once), 20000);
	assert_int_equal(value_ps("resolution", at_once), 20000);
	assert_int_equal(value_ps("difference", later), 0);
	assert_int_equal(value_ps("resolution", later), 4000000);
}

/* Not awaited: no step of 0 ns. */
TEST(test_no_step)
{
	const struct pt_trial trial = { .t_ns = { 0, 0, 50, 50, 50 } };

	assert_true(value_ps("resolution", trial) == PT_NO_VALUE);
}

static const size_t sizes[] = { 1, 7, 8, 9, 64, 8192, PT_SIZE_MAX };

static unsigned char message[PT_SIZE_MAX + 1];

#define EACH_SIZE(i)	(i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)

/* A byte of it that is another one is found, wherever it is. */
TEST(test_content_changed)
{
	size_t i, at;

	for EACH_SIZE(i) {
		pt_content_fill(message, sizes[i], 300);
		assert_true(pt_content_is(message, sizes[i], 300));
		for (at = 0; at < sizes[i]; at += 1 + sizes[i] / 100) {
			message[at] ^= 0x10;
			assert_false(pt_content_is(message, sizes[i],
							300));
			message[at] ^= 0x10;
		}
		message[sizes[i] - 1] ^= 1;
		assert_false(pt_content_is(message, sizes[i], 300));
	}
}

/* That of another trial has another number, of as many bytes as fit. */
TEST(test_content_number)
{
	size_t i, head;

	for EACH_SIZE(i) {
		pt_content_fill(message, sizes[i], 300);
		assert_false(pt_content_is(message, sizes[i], 301));
		head = pt_content_head(sizes[i]);
		assert_true(pt_content_is(message, head, 300));
		assert_false(pt_content_is(message, head, 299));
		assert_int_equal(pt_content_is(message, head, 300 - 256),
				 sizes[i] == 1);
		pt_content_fill(message, head, UINT64_C(1) << 40);
		assert_true(pt_content_is(message, sizes[i],
					       UINT64_C(1) << 40));
	}
}

/* Nothing is written behind it. */
TEST(test_content_end)
{
	size_t i;

	for EACH_SIZE(i) {
		message[sizes[i]] = 0xa5;
		pt_content_fill(message, sizes[i], UINT64_MAX);
		assert_int_equal(message[sizes[i]], 0xa5);
	}
}

/* One that was cut, or longer, has another pattern. */
TEST(test_content_size)
{
	pt_content_fill(message, 64, 1);
	assert_false(pt_content_is(message, 63, 1));
	assert_false(pt_content_is(message, 65, 1));
}

/* What a kind has, or else the test. */
TEST(test_kind_is_completed)
{
	static const struct {
		const struct pt_test *test;
		const char *kind;
		int64_t trials;
		int switches, columns, tasks;
	} rows[] = {
		{ &pt_timer, "100000", 100, 0, 2, 1 },
		{ &pt_sleep, "usleep.100", 100, 1, 1, 1 },
		{ &pt_sleep, "usleep.100000", 50, 1, 1, 1 },
		{ &pt_sync2, "futex", 10000, 2, 3, 2 },
		{ &pt_sync2, "mutex", 10000, 4, 1, 2 },
		{ &pt_sync3, "none", 1000, 6, 1, 3 },
		{ &pt_sync3, "inherit", 1000, 5, 2, 3 },
		{ &pt_copy, "8", 1000, 14, 1, 8 },
		{ &pt_alarm, NULL, 10000, 0, 1, 1 },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct pt_case *c = pt_unit_case(rows[i].test,
			pt_unit_kind(rows[i].test, rows[i].kind));

		assert_int_equal(c->trials, rows[i].trials);
		assert_int_equal(c->kind.switches, rows[i].switches);
		assert_int_equal(c->columns, rows[i].columns);
		assert_int_equal(c->tasks, rows[i].tasks);
	}
}

static void check_metrics(const struct pt_test *test)
{
	const struct pt_metric *metric = test->metrics;
	int count = 0;

	for (; metric->token; metric++, count++) {
		assert_true(metric->span[0] < PT_TIMES);
		assert_true(metric->span[1] < PT_STAMPS);
		assert_int_not_equal(metric->span[0], metric->span[1]);
		assert_true(metric->span[2] < PT_STAMPS);
		assert_true(metric->span[3] < PT_STAMPS);
		assert_non_null(metric->label);
	}
	assert_in_range(count, 1, PT_METRICS);
}

static int count_roles(const struct pt_test *test)
{
	int count = 0;

	while (test->roles && test->roles[count].name)
		count++;
	return test->roles ? count : 1;
}

/* A kind, or none. */
static void check_tasks(const struct pt_test *test, const struct pt_kind *kind)
{
	struct pt_case *c = pt_unit_case(test, kind);
	int tasks = count_roles(test);

	if (kind && kind->copies)
		tasks += kind->copies - 1;
	assert_in_range(tasks, 1, PT_TASKS);
	assert_true(c->trials);
	assert_true(strlen(c->name) < PT_NAME - 1);
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

TEST(test_rows)
{
	const struct pt_test *const *test = pt_tests;
	const struct pt_test *const *other;

	for (; *test; test++) {
		check_metrics(*test);
		check_kinds(*test);
		for (other = pt_tests; other != test; other++)
			assert_string_not_equal((*test)->name, (*other)->name);
	}
}

TEST(test_nobody_is_woken)
{
	struct pt_case *c;

	tw_settings.loops = 10;
	tw_settings.warmup = 2;
	c = pt_unit_case(&pt_preempt, NULL);

	assert_int_equal(pt_lead(&c->task[1], pt_unit_role(&pt_preempt, "low")->once),
			 0);
	assert_int_equal(c->wrong, 12);
	tw_settings.loops = 0;
}

/* Each trial: the two parts are the whole, and holding is in neither. */
TEST(test_shuffle)
{
	const struct pt_metric *metric = pt_shuffle.metrics;
	struct pt_trial trial = { .t_ns = { 1000, 1300, 99000, 99070 } };

	assert_string_equal(metric[2].token, "shuffle");
	assert_int_equal(pt_value_ps(&metric[0], &trial, &pt_no_trial), 300000);
	assert_int_equal(pt_value_ps(&metric[1], &trial, &pt_no_trial), 70000);
	assert_int_equal(pt_value_ps(&metric[2], &trial, &pt_no_trial), 370000);
}

/* A hundred calls of which one fails are no trial. */
TEST(test_calls_that_fail)
{
	static const struct {
		const struct pt_test *test;
		const char *kind;
	} rows[] = {
		{ &pt_syscall, "read" }, { &pt_syscall, "write" },
		{ &pt_syscall, "fstat" }, { &pt_sync1, "eventfd" },
	};
	int kept = dup(0);
	size_t i;

	/* Nothing was opened: their descriptor is 0. */
	close(0);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pt_case *c = pt_unit_case(rows[i].test,
			pt_unit_kind(rows[i].test, rows[i].kind));

		errno = 0;
		assert_int_equal(rows[i].test->once(&c->task[0]), -EBADF);
	}
	dup2(kept, 0);
	close(kept);
}

/* From which timestamps each value follows; PT_NO_VALUE: from none before. */
TEST(test_values)
{
	static const struct {
		const struct pt_test *test;
		const char *kind, *token;
		int64_t ns, alone_ns;
	} rows[] = {
		{ &pt_sync3, "inherit", "handover", 100 - 10000, 100 - 10000 },
		{ &pt_sync3, "inherit", "inversion", 100, 100 },
		{ &pt_timer, "1000", "wakeup", 100, 100 },
		{ &pt_timer, "1000", "interval", 5100, PT_NO_VALUE },
		{ &pt_sleep, "usleep.100", "excess", 900, 900 },
		{ &pt_sync2, "futex", "out", 100, 100 },
		{ &pt_sync2, "futex", "back", 900, 900 },
		{ &pt_sync2, "futex", "roundtrip", 1000, 1000 },
		{ &pt_monopoly, "", "high", 100, 100 },
		{ &pt_monopoly, "", "low", 1000, 1000 },
		{ &pt_thread, "", "first", 1000, 1000 },
		{ &pt_thread, "", "join", 9000, 9000 },
		{ &pt_preempt, "", "preempt", 100, 100 },
		{ &pt_preempt, "", "resume", 900, 900 },
		{ &pt_preempt, "", "post", 1000, 1000 },
		{ &pt_thread, "", "create", 100, 100 },
		{ &pt_thread, "", "life", 10000, 10000 },
		{ &pt_switch, "", "handover", 100, 100 },
		{ &pt_yield, "2x0", "switch", 100, 100 },
		{ &pt_yield, "2x0", "touched", 1000, 1000 },
		{ &pt_order, "cond", "first", 100, 100 },
		{ &pt_order, "cond", "last", 1000, 1000 },
		{ &pt_trap, "fault", "enter", 100, 100 },
		{ &pt_trap, "fault", "leave", 900, 900 },
		{ &pt_trap, "fault", "roundtrip", 1000, 1000 },
		{ &pt_copy, "1", "time", 100, 100 },
		{ &pt_work, "add", "time", 100, 100 },
		{ &pt_bintime, "vdso", "delta", 100, 100 },
		{ &pt_delay, "", "error", 900, 900 },
	};
	const struct pt_trial before = { .t_ns = { 1000, 0, 0, 0, 0 } };
	const struct pt_trial now = {
		.t_ns = { 5000, 5100, 6000, 15000, 25000 },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct pt_metric *metric = rows[i].test->metrics;
		int64_t alone_ps = rows[i].alone_ns;

		while (strcmp(metric->token, rows[i].token))
			metric++;
		if (alone_ps != PT_NO_VALUE)
			alone_ps *= PT_PS_PER_NS;
		assert_int_equal(pt_value_ps(metric, &now, &before),
				 rows[i].ns * PT_PS_PER_NS);
		assert_int_equal(pt_value_ps(metric, &now, &pt_no_trial),
				 alone_ps);
	}
}
