// SPDX-License-Identifier: GPL-2.0-or-later
/* Work that is counted, and what delay finds. */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "pt_unit.h"

#include "pt_report.h"
#include "pt_rows.h"

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

#define POINTS	65536

/* The first data after @count iterations of a kind. */
static const double complex *data_of(const char *kind, int64_t count)
{
	struct pt_case *c = pt_unit_case(&pt_work, pt_unit_kind(&pt_work, kind));
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

/* A point has 300 trials, and the sum of their errors, but for the warm-up. */
TEST(test_delay_counted)
{
	struct pt_case *c = pt_unit_case(&pt_delay, NULL);
	const struct delay *room = c->room;
	const struct pt_delay_point *point = room->point;
	double told_ns, ns;

	/* Where the CPU has no such counter, it says so. */
	if (pt_delay.open(c))
		return;
	assert_int_equal(point[0].asked, room->cost + 1);
	assert_int_equal(point[19].asked, room->cost + 191);
	tw_settings.warmup = 2;
	c->trials = 602;
	assert_int_equal(pt_lead(&c->task[0], pt_delay.once), 0);
	assert_int_equal(point[0].count, 300);
	assert_int_equal(point[1].count, 300);
	assert_int_equal(point[2].count, 2);
	assert_int_equal(point[3].count, 0);
	told_ns = (double)c->column[0].stats.sum / PT_PS_PER_NS;
	ns = (double)(point[0].error + point[1].error + point[2].error) *
	     room->ns_per_tick;
	assert_true(fabs(told_ns - ns) <= 602);
	tw_settings.warmup = 0;
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
		assert_int_equal(pt_unit_role(&pt_monopoly, "high")->serve(
					 &c->task[1]), 0);
		took_ns = c->stamp[1].ns - c->stamp[4].ns;
		least_ns = took_ns < least_ns ? took_ns : least_ns;
	}
	assert_true(least_ns >= 200 * TW_NS_PER_US);
}
