// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/pt_record.h"
#include "core/pt_report.h"
#include "rows/pt_linear.h"

#define LOOPS	4

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

int pt_linear_run(struct pt_task *task)
{
	/* Zero, but the compiler does not know. */
	const uint64_t zero = *(const uint64_t *)pt_room(task);
	struct pt_trial trial = { .t_ns = { 0 } };
	uint64_t x;
	int i, err = 0;

	while (!err && pt_more(task)) {
		x = ~zero;
		trial.t_ns[0] = pt_now(task);
		for (i = 0; i < LOOPS; i++) {
			/* The CPU cannot begin before it has the time. */
			x ^= (uint64_t)trial.t_ns[i] & zero;
			x = loop(x, iterations[i]);
			trial.t_ns[i + 1] = pt_now(task);
		}
		pt_record(task, &trial);
		err = pt_check_sum(task, x);
		pt_rest(task);
	}
	return err;
}

const struct pt_metric pt_linear_metrics[] = {
	{ .token = "loop10", .label = "10 iterations", .from = 0, .to = 1,
	  .span = { PT_TO_RUN, 0, 0 } },
	{ .token = "loop100", .label = "100 iterations", .from = 1, .to = 2,
	  .span = { PT_TO_RUN, 0, 0 } },
	{ .token = "loop1000", .label = "1000 iterations", .from = 2,
	  .to = 3, .span = { PT_TO_RUN, 0, 0 } },
	{ .token = "loop10000", .label = "10000 iterations", .from = 3,
	  .to = 4, .span = { PT_TO_RUN, 0, 0 } },
	{ .token = NULL }
};

static void tell(struct pt_case *c, const char *what, const double *y)
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

void pt_linear_verify(struct pt_case *c)
{
	double mean[LOOPS], min[LOOPS];
	struct pt_sum sum;
	int i;

	for (i = 0; i < LOOPS; i++) {
		if (!pt_sum_in(c, pt_linear_metrics[i].token, &sum))
			return;
		mean[i] = sum.mean_ns;
		min[i] = sum.min_ns;
	}
	tell(c, "means", mean);
	tell(c, "minima", min);
	pt_verdict(c, false, "a reading takes %.1f ns",
		   (double)c->clock_ps / PT_PS_PER_NS);
}
