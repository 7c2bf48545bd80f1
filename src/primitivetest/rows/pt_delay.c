// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * delay: a task spins until the CPU's counter has gone on by as much as asked.
 * The shortest delay that can be had depends on what a reading costs.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/tw_counter.h"
#include "core/pt_record.h"
#include "core/pt_report.h"
#include "rows/pt_delay.h"
#include "rows/pt_rows.h"

#define POINTS		20
#define REPEATS		300	/* trials of a point, before the next */
#define STEP		10	/* ticks from a point to the next */
#define BEST_OF		10
#define READINGS	1000

struct room {
	struct tw_clock counter;
	int64_t cost;		/* of a reading, in ticks */
	struct pt_delay_point point[POINTS];
};

const struct pt_delay_point *
pt_delay_shortest(const struct pt_delay_point *point, int count, int64_t cost)
{
	int i;

	for (i = 0; i < count; i++)
		if (point[i].count &&
		    point[i].error <= cost * point[i].count)
			return &point[i];
	return NULL;
}

/* The least average of a few series of readings. */
static int64_t cost_of_reading(void)
{
	int64_t took, least = INT64_MAX;
	uint64_t from;
	int i, k;

	for (k = 0; k < BEST_OF; k++) {
		from = tw_counter_read();
		for (i = 1; i < READINGS; i++)
			tw_counter_read();
		took = (int64_t)(tw_counter_read() - from);
		if (took < least)
			least = took;
	}
	return (least + READINGS / 2) / READINGS;
}

static int open_counter(struct pt_case *c)
{
	struct room *room = c->room;
	int i, err = tw_clock_open(&room->counter, "tsc");

	if (err)
		return pt_refuse(c, -ENOTSUP, "the CPU's counter cannot be used as a clock: %s",
				 strerror(-err));
	room->cost = cost_of_reading();
	for (i = 0; i < POINTS; i++)
		room->point[i].asked = room->cost + 1 + i * STEP;
	return 0;
}

/* Returns when @end has come: how it is read then. */
static uint64_t spin_until(uint64_t end)
{
	uint64_t now;

	do
		now = tw_counter_read();
	while ((int64_t)(now - end) < 0);
	return now;
}

static int64_t in_ns(const struct room *room, uint64_t ticks)
{
	return (int64_t)((double)ticks * room->counter.ns_per_tick);
}

static void try(struct pt_task *task, struct pt_delay_point *point)
{
	struct room *room = pt_room(task);
	int64_t at_ns = pt_now(task);
	uint64_t begin = tw_counter_read();
	uint64_t end = spin_until(begin + (uint64_t)point->asked);
	struct pt_trial trial = { .t_ns[0] = at_ns };

	trial.t_ns[1] = at_ns + in_ns(room, (uint64_t)point->asked);
	trial.t_ns[2] = at_ns + in_ns(room, end - begin);
	if (!pt_warms_up(task)) {
		point->error += (int64_t)(end - begin) - point->asked;
		point->count++;
	}
	pt_record(task, &trial);
}

static int run(struct pt_task *task)
{
	struct room *room = pt_room(task);
	uint64_t warmup = (uint64_t)task->in->config->warmup;
	uint64_t measured;

	while (pt_more(task)) {
		measured = pt_warms_up(task) ? 0 : pt_done(task) - warmup;
		try(task, &room->point[measured / REPEATS % POINTS]);
		pt_rest(task);
	}
	return 0;
}

static void verify(struct pt_case *c)
{
	const struct room *room = c->room;
	const double ns = room->counter.ns_per_tick;
	const struct pt_delay_point *shortest;

	shortest = pt_delay_shortest(room->point, POINTS, room->cost);
	if (!shortest) {
		pt_verdict(c, false, "no delay of up to %.1f ns has a mean error within a reading, %.1f ns",
			   (double)room->point[POINTS - 1].asked * ns,
			   (double)room->cost * ns);
		return;
	}
	c->number = llround((double)shortest->asked * ns * PT_PS_PER_NS);
	pt_verdict(c, false, "shortest: %lld ticks, with a mean error of %.1f ticks; a reading takes %lld, and a tick %.3f ns",
		   (long long)shortest->asked,
		   (double)shortest->error / (double)shortest->count,
		   (long long)room->cost, ns);
}

static void derive(const struct pt_sums *sums, const struct pt_case *c)
{
	if (c->number)
		pt_derive(sums, (double)c->number / PT_PS_PER_NS,
			  "least delay with a mean error within a reading",
			  "%s.shortest", c->name);
}

static const struct pt_metric metrics[] = {
	{ .token = "error", .label = "Longer than asked", .from = 1, .to = 2,
	  .span = { PT_TO_RUN, 0, 0 } },
	{ .token = NULL }
};

static const struct pt_role roles[] = {
	{ "high", PT_HIGH, false, run },
	{ .name = NULL }
};

const struct pt_test pt_delay = {
	.name = "delay",
	.about = "spins until the CPU's counter has gone on",
	.groups = PT_OVERHEADS,
	.flags = PT_ALONE | PT_SPINS,
	.metrics = metrics, .roles = roles,
	.trials = POINTS * REPEATS, .room = sizeof(struct room),
	.open = open_counter, .verify = verify, .derive = derive,
};
