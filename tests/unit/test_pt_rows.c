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
	assert_true(pt_value_ps(interval, &now, NULL) == PT_NO_VALUE);
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
	return pt_value_ps(metric, &trial, NULL);
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

#define COST	47

TEST(test_first_within)
{
	const struct pt_delay_point point[] = {
		{ 48, 300 * COST + 1, 300 },
		{ 58, 300 * COST, 300 },
		{ 68, 0, 300 },
	};

	assert_ptr_equal(pt_delay_shortest(point, 3, COST), &point[1]);
}

/* One that was not tried has no error, but is no result either. */
TEST(test_not_tried)
{
	const struct pt_delay_point point[] = {
		{ 48, 1000, 20 }, { 58, 0, 0 }, { 68, 940, 20 },
	};

	assert_ptr_equal(pt_delay_shortest(point, 3, COST), &point[2]);
}

TEST(test_none)
{
	const struct pt_delay_point point[] = {
		{ 48, 48, 1 }, { 58, 0, 0 },
	};

	assert_null(pt_delay_shortest(point, 2, COST));
}

static int64_t iterations(int64_t count, int64_t took_ns)
{
	return pt_iterations(count, took_ns, 10 * TW_NS_PER_MS);
}

TEST(test_work_iterations)
{
	assert_int_equal(iterations(1, 10 * TW_NS_PER_MS), 1);
	assert_int_equal(iterations(16, 4 * TW_NS_PER_MS), 40);
	assert_int_equal(iterations(8, 3 * TW_NS_PER_MS), 27);
	/* One that takes longer than it should is one. */
	assert_int_equal(iterations(1, 500 * TW_NS_PER_MS), 1);
	assert_true(iterations(1, 0) > 0);
}

/* Each iteration is in the result, and nothing else is. */
TEST(test_spin)
{
	const uint64_t first = UINT64_C(6364136223846793005) +
			       UINT64_C(1442695040888963407);

	assert_int_equal(pt_spin(0), 1);
	assert_int_equal(pt_spin(1), first);
	assert_int_equal(pt_spin(2), first * UINT64_C(6364136223846793005) +
				     UINT64_C(1442695040888963407));
	assert_int_equal(pt_spin(1000), pt_spin(1000));
	assert_int_not_equal(pt_spin(1000), pt_spin(1001));
}

static const struct pt_kind *kind_of(const struct pt_test *test,
				     const char *name)
{
	const struct pt_kind *kind = test->kinds;

	while (kind && strcmp(kind->name, name))
		kind++;
	return kind;
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
			kind_of(rows[i].test, rows[i].kind));

		assert_int_equal(c->trials, rows[i].trials);
		assert_int_equal(c->kind.switches, rows[i].switches);
		assert_int_equal(c->columns, rows[i].columns);
		assert_int_equal(c->tasks, rows[i].tasks);
	}
}

#define POINTS	65536

/* The first data after @count iterations of a kind. */
static const double complex *data_of(const char *kind, int64_t count)
{
	struct pt_case *c = pt_unit_case(&pt_work, kind_of(&pt_work, kind));
	const double complex *end;

	c->trials = 1;
	pt_config.work = count;
	assert_int_equal(pt_work.run(&c->task[0]), 0);
	pt_config.work = 0;
	end = (void *)((char *)c->room + pt_work.room);
	return end - 2 * POINTS;
}

/* Forward and back again: the data are what they were. */
TEST(test_work_fft)
{
	const double complex *data = data_of("fft", 1);
	size_t j;

	for (j = 0; j < POINTS; j++) {
		assert_true(fabs(creal(data[j]) - j * 40503 % 1024) < 1e-6);
		assert_true(fabs(cimag(data[j]) - j % 7) < 1e-6);
	}
}

/* Fibonacci's numbers, a million an iteration. */
TEST(test_work_add)
{
	uint64_t a = 0, b = 1, done = 0, sum;
	int count;

	for (count = 1; count <= 3; count++) {
		for (; done < UINT64_C(500000) * count; done++) {
			a += b;
			b += a;
		}
		memcpy(&sum, data_of("add", count), sizeof(sum));
		assert_int_equal(sum, a ^ b);
	}
}

/* Of each iteration, a number that is one more than it was. */
TEST(test_work_copy)
{
	double sum = 0;
	int count;

	for (count = 1; count <= 3; count++) {
		sum += count * 40503 % 1024 + 1;
		assert_true(creal(data_of("copy", count)[0]) == sum);
	}
}

/* As struct room of pt_delay.c. */
struct delay {
	double ns_per_tick;
	int64_t cost;
	struct pt_delay_point point[20];
};

TEST(test_delay_told)
{
	struct pt_case *c = pt_unit_case(&pt_delay, NULL);

	assert_int_equal(pt_delay.room, sizeof(struct delay));
	*(struct delay *)c->room = (struct delay) {
		0.5, 48, { [2] = { 69, 49 * 20, 20 }, [19] = { 240, 9, 0 } },
	};
	pt_delay.verify(c);
	assert_string_equal(c->verdict[0].text,
			    "no delay of up to 120.0 ns has a mean error within a reading, 24.0 ns");
	((struct delay *)c->room)->point[19] =
		(struct pt_delay_point) { 240, 19 * 20, 40 };
	pt_delay.verify(c);
	assert_string_equal(c->verdict[1].text,
			    "shortest: 240 ticks, with a mean error of 9.5 ticks; a reading takes 48, and a tick 0.500 ns");
	assert_int_equal(c->number, 120 * PT_PS_PER_NS);
}

static const struct pt_role *role_of(const struct pt_test *test,
				     const char *name)
{
	const struct pt_role *role = test->roles;

	while (strcmp(role->name, name))
		role++;
	return role;
}

static int64_t half_us(struct pt_task *task, int64_t count)
{
	assert_null(task);
	return count * 500;
}

/* The least that takes a quarter of the time is what all follows from. */
TEST(test_calibrate)
{
	assert_int_equal(pt_calibrate(half_us, NULL, 200000), 400);
	assert_int_equal(pt_calibrate(half_us, NULL, 0), 1);
}

/* It takes the time asked for; a CPU may change its speed by half. */
TEST(test_spin_calibrated)
{
	struct pt_case *c = pt_unit_case(&pt_monopoly, NULL);
	int64_t took_ns, least_ns = INT64_MAX;
	int i;

	assert_int_equal(pt_monopoly.open(c), 0);
	c->task[1].number = 1;
	assert_int_equal(pt_monopoly.enter(&c->task[1]), 0);
	for (i = 0; i < 50; i++) {
		assert_int_equal(role_of(&pt_monopoly, "high")->serve(
					 &c->task[1]), 0);
		took_ns = c->stamp[1].ns - c->stamp[4].ns;
		least_ns = took_ns < least_ns ? took_ns : least_ns;
	}
	assert_true(least_ns >= 200 * TW_NS_PER_US);
}

static void check_metrics(const struct pt_test *test)
{
	const struct pt_metric *metric = test->metrics;
	int count = 0;

	for (; metric->token; metric++, count++) {
		assert_true(metric->from < PT_STAMPS);
		assert_true(metric->to < PT_STAMPS);
		assert_true(metric->interval || metric->from != metric->to);
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

	tw_config.loops = 10;
	tw_config.warmup = 2;
	c = pt_unit_case(&pt_preempt, NULL);

	assert_int_equal(pt_lead(&c->task[1], role_of(&pt_preempt, "low")->once),
			 0);
	assert_int_equal(c->wrong, 12);
	tw_config.loops = 0;
}

/* Each trial: the two parts are the whole, and holding is in neither. */
TEST(test_shuffle)
{
	const struct pt_metric *metric = pt_shuffle.metrics;
	struct pt_trial trial = { .t_ns = { 1000, 1300, 99000, 99070 } };

	assert_string_equal(metric[2].token, "shuffle");
	assert_int_equal(pt_value_ps(&metric[0], &trial, NULL), 300000);
	assert_int_equal(pt_value_ps(&metric[1], &trial, NULL), 70000);
	assert_int_equal(pt_value_ps(&metric[2], &trial, NULL), 370000);
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
			kind_of(rows[i].test, rows[i].kind));

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
		{ &pt_preempt, "", "resume", 900, 900 },
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
		assert_int_equal(pt_value_ps(metric, &now, NULL),
				 alone_ps);
	}
}
