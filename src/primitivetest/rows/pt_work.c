// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * work: how long the same work takes each time. An iteration is a million
 * additions, a megabyte copied, a million of Whetstone's instructions, or a
 * Fourier transform forward and back.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pt_report.h"
#include "pt_rows.h"
#include "tw_fft.h"

#define TARGET_NS	(10 * TW_NS_PER_MS)
#define BEST_OF		3
#define ADDITIONS	1000000
#define POINTS		65536
#define LOOPS		10	/* of Whetstone: 100,000 instructions each */

struct work {
	double complex *roots;	/* of the task that works */
	double complex data[2][POINTS];
};

/* A kind. The data depend on all that was calculated. */
struct type {
	void (*work)(struct work *work, int64_t count);
};

static uint64_t sum_of(const struct work *work)
{
	const char *bytes = (const char *)work->data;
	uint64_t bits, sum = 0;
	size_t at;

	for (at = 0; at < sizeof(work->data); at += sizeof(bits)) {
		memcpy(&bits, bytes + at, sizeof(bits));
		sum = sum * 31 + bits;
	}
	return sum;
}

static void prepare(struct work *work)
{
	size_t j;

	for (j = 0; j < POINTS; j++)
		work->data[0][j] = (double)(j * 40503 % 1024) +
				   (double)(j % 7) * I;
	memset(work->data[1], 0, sizeof(work->data[1]));
}

/* Each addition needs the one before: Fibonacci's numbers. */
static void add(struct work *work, int64_t count)
{
	uint64_t a = 0, b = 1;
	int i;

	for (; count; count--)
		for (i = 0; i < ADDITIONS / 2; i++) {
			a += b;
			b += a;
		}
	b ^= a;
	memcpy(work->data, &b, sizeof(b));
}

static void copy(struct work *work, int64_t count)
{
	double sum = 0;

	for (; count; count--) {
		work->data[0][count % POINTS] += 1;
		memcpy(work->data[1], work->data[0], sizeof(work->data[1]));
		sum += creal(work->data[1][count % POINTS]);
	}
	work->data[0][0] = sum;
}

static void elements(double e[4], double t, double end, int rounds)
{
	for (; rounds; rounds--) {
		e[0] = (e[0] + e[1] + e[2] - e[3]) * t;
		e[1] = (e[0] + e[1] - e[2] + e[3]) * t;
		e[2] = (e[0] - e[1] + e[2] + e[3]) * t;
		e[3] = (-e[0] + e[1] + e[2] + e[3]) / end;
	}
}

static double turn(double t, double x, double y)
{
	return t * atan(2 * sin(x) * cos(x) / (cos(x + y) + cos(x - y) - 1));
}

static __attribute__((noinline)) double procedure(double t, double x, double y)
{
	x = t * (x + y);
	y = t * (x + y);
	return (x + y) / 2;
}

/* The modules of Curnow and Wichmann that work with floating point. */
static void whetstone(struct work *work, int64_t count)
{
	const double t = 0.499975, t1 = 0.50025;
	double e[4] = { 1, -1, -1, -1 }, x = 0.5, y = 0.5, z = 1, f = 0.75;
	int64_t loop;
	int i;

	for (loop = 0; loop < count * LOOPS; loop++) {
		elements(e, t, 1 / t, 12);
		elements(e, t, 2, 14 * 6);
		for (i = 0; i < 32; i++) {
			x = turn(t, x, y);
			y = turn(t, x, y);
		}
		for (i = 0; i < 899; i++)
			z = procedure(t, 1 + x, z);
		for (i = 0; i < 93; i++)
			f = sqrt(exp(log(f) / t1));
	}
	memcpy(work->data, (const double[]) { e[0], e[1], e[2], e[3], x, y, z,
					      f }, 8 * sizeof(double));
}

static void fft(struct work *work, int64_t count)
{
	for (; count; count--) {
		tw_fft_forward(work->data[0], POINTS, work->roots);
		tw_fft_inverse(work->data[0], POINTS, work->roots);
	}
}

int64_t pt_iterations(int64_t count, int64_t took_ns, int64_t wanted_ns)
{
	int64_t wanted = llround((double)wanted_ns * (double)count /
				 (double)(took_ns > 0 ? took_ns : 1));

	return wanted > 0 ? wanted : 1;
}

/* Nothing that disturbs makes work shorter: the least time counts. */
int64_t pt_calibrate(int64_t (*work_ns)(struct pt_task *task, int64_t count),
		     struct pt_task *task, int64_t wanted_ns)
{
	int64_t count, took_ns, least_ns = 0;
	int i;

	for (count = 1; least_ns <= wanted_ns / 4; count *= 2)
		for (i = 0; i < BEST_OF; i++) {
			took_ns = work_ns(task, count);
			if (!i || took_ns < least_ns)
				least_ns = took_ns;
		}
	return pt_iterations(count / 2, least_ns, wanted_ns);
}

/* How long it took. */
static int64_t try_once(struct pt_task *task, int64_t count)
{
	const struct type *type = pt_kind_ops(task->in);
	struct work *work = pt_room(task);
	int64_t begin_ns;

	prepare(work);
	begin_ns = pt_stamp(task, 0);
	type->work(work, count);
	return pt_stamp(task, 1) - begin_ns;
}

static int work_once(struct pt_task *task)
{
	try_once(task, task->in->number);
	return pt_check_sum(task, sum_of(pt_room(task)));
}

static int run(struct pt_task *task)
{
	struct work *work = pt_room(task);
	int err;

	work->roots = tw_fft_roots(POINTS);
	if (!work->roots)
		return -ENOMEM;
	task->in->number = pt_config.work ? pt_config.work :
			   pt_calibrate(try_once, task, TARGET_NS);
	err = pt_lead(task, work_once);
	free(work->roots);
	return err;
}

static void verify(struct pt_case *c)
{
	pt_verdict(c, false, "%lld iterations a trial, %s",
		   (long long)c->number,
		   pt_config.work ? "as --work says" :
		   "calibrated to 10 ms here: no other system can be compared");
}

static void derive(const struct pt_case *c)
{
	const struct tw_stats *time = &c->column[0].stats;

	if (time->count)
		pt_derive(100.0 * (double)(time->max - time->min) /
			  (double)time->min, "%",
			  "(max - min) / min of time", "%s.stretch", c->name);
}

PT_TEST(work, "the same work again and again; --work fixes how much",
	.groups = PT_AEGIS | PT_SAMPLES,
	.flags = PT_ALONE | PT_SPINS,
	.kinds = PT_TABLE(kind,
		{ "add", .ops = &(const struct type) { add } },
		{ "copy", .ops = &(const struct type) { copy } },
		{ "whetstone", .ops = &(const struct type) { whetstone } },
		{ "fft", .ops = &(const struct type) { fft } }),
	.metrics = PT_TABLE(metric,
		PT_METRIC("time", "Time of the same work", 0, 1, PT_RUNS)),
	.run = run,
	.trials = 100, .room = sizeof(struct work),
	.verify = verify, .derive = derive);
