// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * clock, bintime: clocks that are measured themselves; the timestamps' is
 * another, which the user chooses (-c). clock: what a reading costs, by the
 * timestamps' clock, as a coarse one does not see its own cost; and how finely
 * it counts. linear: loops of 10 to 10,000 iterations with a reading between
 * two: what a clock adds to what it measures. bintime: the highest task reads a
 * clock back to back; a long delta is time that something else has taken; a
 * block of readings is recorded after it.
 */
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <unistd.h>

#include "pt_report.h"
#include "pt_rows.h"
#include "tw_clocks.h"

#define READINGS	100
#define FEW		1000	/* readings: more are a clock of ticks */
#define TICKS		20	/* trials that await such a clock's step */
#define TICK_NS		(TW_NS_PER_S / 100)	/* of times() */
#define MOST		100000000
#define LOOPS		4
#define BLOCK		1024

struct room {
	int64_t told_ns;	/* the resolution, as the system tells it */
	int64_t ticks;		/* trials that awaited a step of a slow clock */
	uint64_t zero;		/* but the compiler does not know */
	int64_t at_ns[BLOCK + 1];
};

struct face {
	int64_t (*read_ns)(const struct face *face);
	clockid_t clockid;
	int64_t told_ns;	/* 0: as clock_getres() does */
	bool settable;		/* somebody may set it back */
};

static int64_t read_kernel(const struct face *face)
{
	return tw_now_ns(face->clockid);
}

static int64_t read_tsc(const struct face *face)
{
	return tw_clock_tsc.now_ns();
}

static int64_t read_gettimeofday(const struct face *face)
{
	struct timeval now;

	gettimeofday(&now, NULL);
	return now.tv_sec * TW_NS_PER_S + now.tv_usec * TW_NS_PER_US;
}

static int64_t read_times(const struct face *face)
{
	struct tms now;

	return times(&now) * TICK_NS;
}

/* With a struct timespec of 64 bits, whatever the C library's is. */
#ifndef SYS_clock_gettime64
#define SYS_clock_gettime64	SYS_clock_gettime
#endif

/* Enters the kernel, as clock_gettime() of the vDSO does not. */
static int64_t read_syscall(const struct face *face)
{
	int64_t now[2] = { 0, 0 };

	syscall(SYS_clock_gettime64, face->clockid, now);
	return now[0] * TW_NS_PER_S + now[1];
}

/* Takes 50 ms for tsc. */
static int open_face(struct pt_case *c)
{
	const struct face *face = pt_kind_ops(c);
	struct room *room = c->room;
	const char *why = NULL;
	struct timespec told, now;

	if (!face)
		return 0;
	if (face->read_ns == read_tsc)
		why = tw_clock_tsc_try();
	else if (clock_getres(face->clockid, &told) ||
		 clock_gettime(face->clockid, &now))
		why = strerror(errno);
	if (why)
		return pt_refuse(c, -ENOTSUP, "the system cannot read this clock: %s",
				 why);
	room->told_ns = face->told_ns ? face->told_ns :
			told.tv_sec * TW_NS_PER_S + told.tv_nsec;
	return 0;
}

/* A step that takes long is awaited in a few trials only. */
static int read_once(struct pt_task *task)
{
	const struct face *face = pt_kind_ops(task->in);
	struct pt_stamp *t = task->in->stamp;
	struct room *room = pt_room(task);
	int i, readings = 0;

	pt_stamp(task, 0);
	for (i = 0; i < READINGS; i++)
		face->read_ns(face);
	pt_stamp(task, 1);
	t[2].ns = face->read_ns(face);
	t[3].ns = t[4].ns = face->read_ns(face);
	while (room->ticks < TICKS && t[4].ns == t[2].ns && readings++ < MOST)
		t[4].ns = face->read_ns(face);
	room->ticks += readings > FEW;
	return readings > MOST ?
	       pt_failed(task, "a clock stands still", -ETIME) : 0;
}

static const int iterations[LOOPS] = { 10, 100, 1000, 10000 };
#define MEAN	((10 + 100 + 1000 + 10000) / (double)LOOPS)

/* Each iteration needs the result of the one before it (xorshift). */
static uint64_t loop(uint64_t x, int count)
{
	int i;

	for (i = 0; i < count; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
	}
	return x;
}

static int loop_once(struct pt_task *task)
{
	const uint64_t zero = ((struct room *)pt_room(task))->zero;
	int64_t at_ns = pt_stamp(task, 0);
	uint64_t x = ~zero;
	int i;

	for (i = 0; i < LOOPS; i++) {
		/* The CPU cannot begin before it has the time. */
		x = loop(x ^ ((uint64_t)at_ns & zero), iterations[i]);
		at_ns = pt_stamp(task, i + 1);
	}
	return pt_check_sum(task, x);
}

static const struct pt_metric linear_metrics[] = {
	PT_METRIC("loop10", "10 iterations", 0, 1, PT_RUNS),
	PT_METRIC("loop100", "100 iterations", 1, 2, PT_RUNS),
	PT_METRIC("loop1000", "1000 iterations", 2, 3, PT_RUNS),
	PT_METRIC("loop10000", "10000 iterations", 3, 4, PT_RUNS),
	{ .token = NULL }
};

/* The line of least squares. */
static void tell_line(struct pt_case *c, const char *what, const double *y)
{
	double x, slope, mean_y = 0, xx = 0, xy = 0;
	int i;

	for (i = 0; i < LOOPS; i++) {
		x = iterations[i] - MEAN;
		xx += x * x;
		xy += x * y[i];
		mean_y += y[i] / LOOPS;
	}
	slope = xy / xx;
	pt_verdict(c, false, "of the %s: slope %.4f ns an iteration, intercept %.1f ns",
		   what, slope, mean_y - slope * MEAN);
}

static void verify_linear(struct pt_case *c)
{
	double mean[LOOPS], min[LOOPS];
	struct pt_sum sum;
	int i;

	for (i = 0; i < LOOPS; i++) {
		if (!pt_sum_in(c, linear_metrics[i].token, &sum))
			return;
		mean[i] = sum.mean_ns;
		min[i] = sum.min_ns;
	}
	tell_line(c, "means", mean);
	tell_line(c, "minima", min);
	pt_verdict(c, false, "a reading takes %.1f ns",
		   (double)pt_clock_ps / PT_PS_PER_NS);
}

static void verify_backward(struct pt_case *c, const char *metric)
{
	const struct face *face = pt_kind_ops(c);
	struct pt_sum sum;

	if (pt_sum_in(c, metric, &sum) && sum.min_ns < 0 && !face->settable)
		pt_verdict(c, true, "the clock went back by %.0f ns",
			   -sum.min_ns);
}

static void verify_clock(struct pt_case *c)
{
	const struct room *room = c->room;
	struct pt_sum cost, step;

	if (!pt_kind_ops(c)) {
		verify_linear(c);
		return;
	}
	/* What is finer than a reading takes cannot be seen. */
	if (pt_sum_in(c, "cost", &cost) && pt_sum_in(c, "resolution", &step))
		pt_verdict(c, false, "resolution: least step %.0f ns, with readings of %.1f ns; the system tells %lld ns",
			   step.min_ns, cost.min_ns,
			   (long long)room->told_ns);
	verify_backward(c, "difference");
}

#define FACE(function, id, ...) \
	.ops = &(const struct face) { .read_ns = read_##function, \
				      .clockid = CLOCK_##id, __VA_ARGS__ }

PT_TEST(clock, "a reading of a clock; linear: what it adds to loops",
	.groups = PT_NOTES | PT_OVERHEADS,
	.flags = PT_ALONE | PT_SPINS,
	.kinds = PT_TABLE(kind,
		{ "gettimeofday", FACE(gettimeofday, REALTIME, .told_ns = 1000,
				       .settable = true) },
		{ "realtime", FACE(kernel, REALTIME, .settable = true) },
		{ "monotonic", FACE(kernel, MONOTONIC) },
		{ "monotonic_raw", FACE(kernel, MONOTONIC_RAW) },
		{ "boottime", FACE(kernel, BOOTTIME) },
		{ "tai", FACE(kernel, TAI, .settable = true) },
		{ "realtime_coarse",
		  FACE(kernel, REALTIME_COARSE, .settable = true) },
		{ "monotonic_coarse", FACE(kernel, MONOTONIC_COARSE) },
		{ "process_cpu", FACE(kernel, PROCESS_CPUTIME_ID) },
		{ "thread_cpu", FACE(kernel, THREAD_CPUTIME_ID) },
		{ "realtime_alarm", .optional = true,
		  FACE(kernel, REALTIME_ALARM, .settable = true) },
		{ "boottime_alarm", .optional = true,
		  FACE(kernel, BOOTTIME_ALARM) },
		{ "times", FACE(times, MONOTONIC, .told_ns = TICK_NS) },
		/* A tick is less than what can be told in whole nanoseconds. */
		{ "tsc", FACE(tsc, MONOTONIC, .told_ns = 1), .optional = true },
		{ "linear", .metrics = linear_metrics,
		  .roles = PT_TABLE(role,
			{ "high", PT_HIGH, .once = loop_once }) }),
	.metrics = PT_TABLE(metric,
		PT_METRIC("cost", "A reading, of 100 readings", 0, 1,
			  PT_RUNS, .per = READINGS, .rate = "readings"),
		PT_METRIC("difference", "Of two readings, by itself", 2, 3),
		PT_METRIC("resolution", "Step when it changes", 2, 4,
			  .not_zero = true)),
	.once = read_once,
	.trials = 10000, .room = sizeof(struct room),
	.open = open_face, .verify = verify_clock);

static int run_bintime(struct pt_task *task)
{
	const struct face *face = pt_kind_ops(task->in);
	struct pt_trial trial;
	struct room *room = pt_room(task);
	bool was_set;
	int i;

	while (pt_more(task)) {
		for (i = 0; i <= BLOCK; i++)
			room->at_ns[i] = face->read_ns(face);
		was_set = pt_clock_was_set(task->in);
		for (i = 0; i < BLOCK && pt_more(task); i++) {
			trial = was_set ? pt_no_trial : (struct pt_trial) {
				.t_ns = { room->at_ns[i], room->at_ns[i + 1] },
			};
			/* The measured deltas add up to this time. */
			if (!pt_warms_up(task))
				task->in->number += trial.t_ns[1] -
						    trial.t_ns[0];
			pt_record(task, &trial);
		}
		pt_rest(task);
	}
	return 0;
}

static int open_bintime(struct pt_case *c)
{
	const struct face *face = pt_kind_ops(c);

	c->stamped = face->read_ns == read_tsc ? &tw_clock_tsc :
						 &tw_clock_monotonic;
	return open_face(c);
}

static void verify_bintime(struct pt_case *c)
{
	if (c->column[0].stats.count)
		pt_verdict(c, false, "%.3f ms in deltas, %.1f %% of the time",
			   (double)c->number / (double)TW_NS_PER_MS,
			   (double)c->number /
			   (double)(c->end_ns - c->begin_ns) * 100);
	verify_backward(c, "delta");
}

static void derive_bintime(const struct pt_case *c)
{
	struct pt_sum delta;

	if (pt_sum_in(c, "delta", &delta))
		pt_derive(delta.max_ns - delta.mean_ns, "ns", "max - avg",
			  "%s.blocking", c->name);
}

PT_TEST(bintime, "from a reading of a clock to the next, back to back",
	.groups = PT_AEGIS | PT_SAMPLES,
	.flags = PT_ALONE | PT_SPINS,
	.kinds = PT_TABLE(kind,
		{ "vdso", FACE(kernel, MONOTONIC) },
		{ "syscall", FACE(syscall, MONOTONIC) },
		{ "tsc", FACE(tsc, MONOTONIC), .optional = true }),
	.metrics = PT_TABLE(metric,
		PT_METRIC("delta", "From a reading to the next", 0, 1,
			  PT_RUNS, .rate = "readings")),
	.run = run_bintime,
	.trials = 1000000, .room = sizeof(struct room),
	.open = open_bintime, .verify = verify_bintime,
	.derive = derive_bintime);
