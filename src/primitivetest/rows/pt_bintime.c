// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bintime: the highest task reads a clock back to back; a long delta is time
 * that something else has taken. A block of readings is recorded after it.
 */
#include "pt_face.h"
#include "pt_report.h"
#include "pt_rows.h"
#include "tw_clocks.h"

#define BLOCK	1024

struct room {
	int64_t told_ns;
	int64_t at_ns[BLOCK + 1];
};

/* How many deltas are left, at most a block of them. */
static int left_of(const struct pt_task *task)
{
	const struct pt_case *c = task->in;
	uint64_t all = tw_config.warmup + c->trials;

	return c->trials && all - pt_done(task) < BLOCK ?
	       (int)(all - pt_done(task)) : BLOCK;
}

static int run(struct pt_task *task)
{
	const struct pt_face *face = pt_kind_ops(task->in);
	struct pt_trial trial = { .t_ns = { 0 } };
	struct room *room = pt_room(task);
	int i, count;

	while (pt_more(task)) {
		count = left_of(task);
		for (i = 0; i <= count; i++)
			room->at_ns[i] = face->read_ns(face);
		for (i = 0; i < count && pt_more(task); i++) {
			trial.t_ns[0] = room->at_ns[i];
			trial.t_ns[1] = room->at_ns[i + 1];
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

static int open_face(struct pt_case *c)
{
	struct room *room = c->room;
	const struct pt_face *face = pt_kind_ops(c);

	c->stamped = face->read_ns == pt_face_tsc ? &tw_clock_tsc :
						    &tw_clock_monotonic;
	return pt_face_open(c, &room->told_ns);
}

/* Of CLOCK_MONOTONIC and the counter: neither is ever set back. */
static void verify(struct pt_case *c)
{
	double all_ns = (double)(c->end_ns - c->begin_ns);
	struct pt_sum delta;

	if (!pt_sum_in(c, "delta", &delta))
		return;
	pt_verdict(c, false, "%.3f ms in deltas, %.1f %% of the time",
		   (double)c->number / (double)TW_NS_PER_MS,
		   (double)c->number / all_ns * 100);
	if (delta.min_ns < 0)
		pt_verdict(c, true, "the clock went back by %.0f ns",
			   -delta.min_ns);
}

static void derive(const struct pt_case *c)
{
	struct pt_sum delta;

	if (pt_sum_in(c, "delta", &delta))
		pt_derive(delta.max_ns - delta.mean_ns, "ns", "max - avg",
			  "%s.blocking", c->name);
}

static const struct pt_metric metrics[] = {
	PT_METRIC("delta", "From a reading to the next", 0, 1,
		  PT_SPAN(PT_TO_RUN, 0, 0), .rate = "readings"),
	{ .token = NULL }
};

#define KIND(function) .ops = &(const struct pt_face) { \
		.read_ns = function, .clockid = CLOCK_MONOTONIC }

static const struct pt_kind kinds[] = {
	{ "vdso", KIND(pt_face_kernel) },
	{ "syscall", KIND(pt_face_syscall) },
	{ "tsc", KIND(pt_face_tsc), .optional = true },
	{ .name = NULL }
};

const struct pt_test pt_bintime = {
	.name = "bintime",
	.about = "readings of a clock back to back",
	.groups = PT_AEGIS | PT_SAMPLES,
	.flags = PT_ALONE | PT_SPINS,
	.kinds = kinds, .metrics = metrics, .run = run,
	.trials = 1000000, .room = sizeof(struct room),
	.open = open_face, .verify = verify, .derive = derive,
};
