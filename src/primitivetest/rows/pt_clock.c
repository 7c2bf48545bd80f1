// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * clock: what a clock costs, and how finely it counts. Its cost is taken by the
 * clock of the timestamps: a coarse clock does not see its own. linear: loops
 * of 10 to 10,000 iterations with a reading between two: what a clock adds to
 * what it measures.
 */
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <unistd.h>
#include <string.h>

#include "pt_face.h"
#include "pt_report.h"
#include "pt_rows.h"
#include "tw_clocks.h"

#define READINGS	100
#define FEW		1000	/* readings: more are a clock of ticks */
#define TICKS		20	/* trials that await such a clock's step */
#define MOST		INT64_C(100000000)
#define LOOPS		4

struct room {
	int64_t told_ns;
	int64_t ticks;		/* trials that awaited a step of a slow clock */
	uint64_t zero;		/* but the compiler does not know */
};

int64_t pt_face_kernel(const struct pt_face *face)
{
	return tw_now_ns(face->clockid);
}

int64_t pt_face_tsc(const struct pt_face *face)
{
	return tw_clock_tsc.now_ns();
}

static int64_t read_gettimeofday(const struct pt_face *face)
{
	struct timeval now;

	gettimeofday(&now, NULL);
	return now.tv_sec * TW_NS_PER_S + now.tv_usec * TW_NS_PER_US;
}

static int64_t told_us(void)
{
	return TW_NS_PER_US;
}

/* A tick is less than what can be told in whole nanoseconds. */
static int64_t told_ns(void)
{
	return 1;
}

static int64_t told_ticks(void)
{
	return TW_NS_PER_S / sysconf(_SC_CLK_TCK);
}

static int64_t read_times(const struct pt_face *face)
{
	struct tms now;

	return times(&now) * told_ticks();
}

/* The kernel's own struct timespec, whatever the C library's is. */
#ifdef SYS_clock_gettime
#define SYS_READ	SYS_clock_gettime
struct time { long s, ns; };
#else
#define SYS_READ	SYS_clock_gettime64
struct time { int64_t s, ns; };
#endif

/* Enters the kernel, as clock_gettime() of the vDSO does not. */
int64_t pt_face_syscall(const struct pt_face *face)
{
	struct time now = { 0, 0 };

	syscall(SYS_READ, face->clockid, &now);
	return now.s * TW_NS_PER_S + now.ns;
}

int pt_face_open(struct pt_case *c, int64_t *told_ns)
{
	const struct pt_face *face = pt_kind_ops(c);
	const char *why = NULL;
	struct timespec told, now;

	if (face->read_ns == pt_face_tsc)
		why = tw_clock_try_tsc();
	else if (clock_getres(face->clockid, &told) ||
		 clock_gettime(face->clockid, &now))
		why = strerror(errno);
	if (why)
		return pt_refuse(c, -ENOTSUP, "the system cannot read this clock: %s",
				 why);
	*told_ns = face->told_ns ? face->told_ns() :
		   told.tv_sec * TW_NS_PER_S + told.tv_nsec;
	return 0;
}

/* The first reading that is not @from_ns; @from_ns: it stands still. */
static int64_t await_step(const struct pt_face *face, int64_t from_ns,
			  int64_t *readings)
{
	int64_t now_ns = from_ns;

	for (*readings = 0; now_ns == from_ns && *readings < MOST;
	     ++*readings)
		now_ns = face->read_ns(face);
	return now_ns;
}

static int read_once(struct pt_task *task, struct pt_trial *trial)
{
	const struct pt_face *face = pt_kind_ops(task->in);
	struct room *room = pt_room(task);
	int64_t readings, *t_ns = trial->t_ns;
	int i;

	t_ns[0] = pt_now(task);
	for (i = 0; i < READINGS; i++)
		face->read_ns(face);
	t_ns[1] = pt_now(task);
	t_ns[2] = face->read_ns(face);
	t_ns[3] = face->read_ns(face);
	t_ns[4] = t_ns[3];
	if (t_ns[3] != t_ns[2] || room->ticks >= TICKS)
		return 0;
	t_ns[4] = await_step(face, t_ns[2], &readings);
	room->ticks += readings > FEW;
	return t_ns[4] == t_ns[2] ?
	       pt_failed(task, "a clock stands still", -ETIME) : 0;
}

static const int iterations[LOOPS] = { 10, 100, 1000, 10000 };

struct pt_line pt_linear_fit(const double *x, const double *y, int count)
{
	double mean_x = 0, mean_y = 0, xx = 0, xy = 0;
	struct pt_line line;
	int i;

	for (i = 0; i < count; i++) {
		mean_x += x[i] / count;
		mean_y += y[i] / count;
	}
	for (i = 0; i < count; i++) {
		xx += (x[i] - mean_x) * (x[i] - mean_x);
		xy += (x[i] - mean_x) * (y[i] - mean_y);
	}
	line.slope = xy / xx;
	line.intercept = mean_y - line.slope * mean_x;
	return line;
}

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

static int loop_once(struct pt_task *task, struct pt_trial *trial)
{
	const uint64_t zero = ((struct room *)pt_room(task))->zero;
	uint64_t x = ~zero;
	int i;

	trial->t_ns[0] = pt_now(task);
	for (i = 0; i < LOOPS; i++) {
		/* The CPU cannot begin before it has the time. */
		x ^= (uint64_t)trial->t_ns[i] & zero;
		x = loop(x, iterations[i]);
		trial->t_ns[i + 1] = pt_now(task);
	}
	return pt_check_sum(task, x);
}

static int run(struct pt_task *task)
{
	return pt_lead(task, pt_kind_ops(task->in) ? read_once : loop_once);
}

static int64_t step_ps(const struct pt_trial *now,
		       const struct pt_trial *before)
{
	int64_t step_ns = now->t_ns[4] - now->t_ns[2];

	return step_ns ? step_ns * PT_PS_PER_NS : PT_NO_VALUE;
}

static int open_face(struct pt_case *c)
{
	struct room *room = c->room;

	return pt_kind_ops(c) ? pt_face_open(c, &room->told_ns) : 0;
}

static const struct pt_metric metrics[] = {
	PT_METRIC("cost", "A reading, of 100 readings", 0, 1,
		  PT_SPAN(PT_TO_RUN, 0, 0), .per = READINGS, .rate = "readings"),
	PT_METRIC("difference", "Of two readings, by itself", 2, 3),
	PT_METRIC("resolution", "Step when it changes", 0, 0,
		  .value_ps = step_ps),
	{ .token = NULL }
};

static const struct pt_metric linear_metrics[] = {
	PT_METRIC("loop10", "10 iterations", 0, 1, PT_SPAN(PT_TO_RUN, 0, 0)),
	PT_METRIC("loop100", "100 iterations", 1, 2, PT_SPAN(PT_TO_RUN, 0, 0)),
	PT_METRIC("loop1000", "1000 iterations", 2, 3, PT_SPAN(PT_TO_RUN, 0, 0)),
	PT_METRIC("loop10000", "10000 iterations", 3, 4, PT_SPAN(PT_TO_RUN, 0, 0)),
	{ .token = NULL }
};

static void tell_line(struct pt_case *c, const char *what, const double *y)
{
	double x[LOOPS];
	struct pt_line line;
	int i;

	for (i = 0; i < LOOPS; i++)
		x[i] = iterations[i];
	line = pt_linear_fit(x, y, LOOPS);
	pt_verdict(c, false, "of the %s: slope %.4f ns an iteration, intercept %.1f ns",
		   what, line.slope, line.intercept);
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
		   (double)c->clock_ps / PT_PS_PER_NS);
}

static void verify(struct pt_case *c)
{
	const struct pt_face *face = pt_kind_ops(c);
	const struct room *room = c->room;
	struct pt_sum cost, step, difference;

	if (!face) {
		verify_linear(c);
		return;
	}
	/* What is finer than a reading takes cannot be seen. */
	if (pt_sum_in(c, "cost", &cost) && pt_sum_in(c, "resolution", &step))
		pt_verdict(c, false, "resolution: least step %.0f ns, with readings of %.1f ns; the system tells %lld ns",
			   step.min_ns, cost.min_ns,
			   (long long)room->told_ns);
	if (pt_sum_in(c, "difference", &difference) &&
	    difference.min_ns < 0 && !face->settable)
		pt_verdict(c, true, "the clock went back by %.0f ns",
			   -difference.min_ns);
}

#define FACE(...)	.ops = &(const struct pt_face) { __VA_ARGS__ }
#define KERNEL(id, ...)	FACE(pt_face_kernel, CLOCK_##id, NULL, __VA_ARGS__)

static const struct pt_kind kinds[] = {
	{ "gettimeofday", FACE(read_gettimeofday, CLOCK_REALTIME, told_us,
			       true) },
	{ "realtime", KERNEL(REALTIME, true) },
	{ "monotonic", KERNEL(MONOTONIC, false) },
	{ "monotonic_raw", KERNEL(MONOTONIC_RAW, false) },
	{ "boottime", KERNEL(BOOTTIME, false) },
	{ "tai", KERNEL(TAI, true) },
	{ "realtime_coarse", KERNEL(REALTIME_COARSE, true) },
	{ "monotonic_coarse", KERNEL(MONOTONIC_COARSE, false) },
	{ "process_cpu", KERNEL(PROCESS_CPUTIME_ID, false) },
	{ "thread_cpu", KERNEL(THREAD_CPUTIME_ID, false) },
	{ "realtime_alarm", KERNEL(REALTIME_ALARM, true), .optional = true },
	{ "boottime_alarm", KERNEL(BOOTTIME_ALARM, false), .optional = true },
	{ "times", FACE(read_times, CLOCK_MONOTONIC, told_ticks, false) },
	{ "tsc", FACE(pt_face_tsc, CLOCK_MONOTONIC, told_ns, false),
	  .optional = true },
	{ "linear", .metrics = linear_metrics },
	{ .name = NULL }
};

const struct pt_test pt_clock = {
	.name = "clock",
	.about = "cost and resolution of a clock; linear: what it adds",
	.groups = PT_NOTES | PT_OVERHEADS,
	.flags = PT_ALONE | PT_SPINS,
	.kinds = kinds, .metrics = metrics, .run = run,
	.trials = 10000, .room = sizeof(struct room),
	.open = open_face, .verify = verify,
};
