// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bintime: the highest task reads a clock back to back; a long delta is time
 * that something else has taken. A block of readings is recorded after it.
 */
#include "core/pt_record.h"
#include "core/pt_report.h"
#include "rows/pt_face.h"
#include "rows/pt_rows.h"

#define BLOCK	1024

struct room {
	struct pt_face face;
	int64_t at_ns[BLOCK + 1];
};

/* How many deltas are left, at most a block of them. */
static int left_of(const struct pt_task *task)
{
	const struct pt_case *c = task->in;
	uint64_t all = c->config->warmup + c->trials;

	return c->trials && all - pt_done(task) < BLOCK ?
	       (int)(all - pt_done(task)) : BLOCK;
}

static void read_block(struct room *room, int count)
{
	int i;

	for (i = 0; i <= count; i++)
		room->at_ns[i] = pt_face_read(&room->face);
}

/* Returns how many were recorded. */
static int record_block(struct pt_task *task, const struct room *room,
			int count)
{
	struct pt_trial trial = { .t_ns[0] = 0 };
	int i;

	for (i = 0; i < count && pt_more(task); i++) {
		trial.t_ns[0] = room->at_ns[i];
		trial.t_ns[1] = room->at_ns[i + 1];
		pt_record(task, &trial);
	}
	return i;
}

static int run(struct pt_task *task)
{
	struct room *room = pt_room(task);
	int64_t warmup = task->in->config->warmup;
	int64_t skip, count;

	while (pt_more(task)) {
		skip = warmup - (int64_t)pt_done(task);
		count = left_of(task);
		read_block(room, (int)count);
		count = record_block(task, room, (int)count);
		/* The time of the measured ones: its deltas add up to it. */
		skip = skip < 0 ? 0 : skip < count ? skip : count;
		task->in->number += room->at_ns[count] - room->at_ns[skip];
		pt_rest(task);
	}
	return 0;
}

static int open_face(struct pt_case *c)
{
	struct pt_face *face = &((struct room *)c->room)->face;
	int err = pt_face_open(face, c);

	if (err)
		return err;
	c->stamped = face->counter;
	return face->ops == &pt_face_tsc ? 0 :
	       tw_clock_open(&c->stamped, "monotonic");
}

/* Of CLOCK_MONOTONIC and the counter: neither is ever set back. */
static void verify(struct pt_case *c)
{
	struct pt_sum delta;
	double all_ns = (double)(c->end_ns - c->begin_ns);

	if (!pt_sum_in(c, "delta", &delta))
		return;
	pt_verdict(c, false, "%.3f ms in deltas, %.1f %% of the time",
		   (double)c->number / (double)TW_NS_PER_MS,
		   (double)c->number / all_ns * 100);
	if (delta.min_ns < 0)
		pt_verdict(c, true, "the clock went back by %.0f ns",
			   -delta.min_ns);
}

static void derive(const struct pt_sums *sums, const struct pt_case *c)
{
	struct pt_sum delta;

	if (pt_sum_in(c, "delta", &delta))
		pt_derive(sums, delta.max_ns - delta.mean_ns, "max - avg",
			  "%s.blocking", c->name);
}

static const struct pt_metric metrics[] = {
	{ .token = "delta", .label = "From a reading to the next", .from = 0,
	  .to = 1, .rate = "readings", .span = { PT_TO_RUN, 0, 0 } },
	{ .token = NULL }
};

static const struct pt_kind kinds[] = {
	{ "vdso", .ops = &pt_face_monotonic },
	{ "syscall", .ops = &pt_face_syscall },
	{ "tsc", .ops = &pt_face_tsc, .optional = true },
	{ .name = NULL }
};

static const struct pt_role roles[] = {
	{ "high", PT_HIGH, false, run },
	{ .name = NULL }
};

const struct pt_test pt_bintime = {
	.name = "bintime",
	.about = "readings of a clock back to back",
	.groups = PT_AEGIS | PT_SAMPLES,
	.flags = PT_ALONE | PT_SPINS,
	.kinds = kinds, .metrics = metrics, .roles = roles,
	.trials = 1000000, .room = sizeof(struct room),
	.open = open_face, .verify = verify, .derive = derive,
};
