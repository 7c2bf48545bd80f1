// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * delay: a task spins until the CPU's counter has gone on by as much as asked.
 * The shortest delay that can be had depends on what a reading costs.
 */
#include <math.h>

#include "pt_report.h"
#include "pt_rows.h"
#include "tw_clocks.h"

#define POINTS		20
#define REPEATS		300	/* trials of a point, before the next */
#define STEP		10	/* ticks from a point to the next */

struct room {
	double ns_per_tick;
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

static int open_counter(struct pt_case *c)
{
	struct room *room = c->room;
	const char *why = tw_clock_tsc_try();
	int i;

	if (why)
		return pt_refuse(c, -ENOTSUP, "%s", why);
	room->ns_per_tick = tw_clock_tsc_ns_per_tick();
	room->cost = (pt_reading_cost(tw_clock_tsc_ticks) + 500) / 1000;
	for (i = 0; i < POINTS; i++)
		room->point[i].asked = room->cost + 1 + i * STEP;
	return 0;
}

static int try_once(struct pt_task *task)
{
	struct room *room = pt_room(task);
	uint64_t done = pt_done(task), first = (uint64_t)tw_config.warmup;
	bool counts = done >= first;
	struct pt_delay_point *point =
		&room->point[counts ? (done - first) / REPEATS % POINTS : 0];
	struct pt_stamp *t = task->in->stamp;
	int64_t at_ns = pt_stamp(task, 0), begin = tw_clock_tsc_ticks(), end;

	do
		end = tw_clock_tsc_ticks();
	while (end < begin + point->asked);
	t[1].ns = at_ns + (int64_t)(point->asked * room->ns_per_tick);
	t[2].ns = at_ns + (int64_t)((end - begin) * room->ns_per_tick);
	point->error += counts ? end - begin - point->asked : 0;
	point->count += counts;
	return 0;
}

static void verify(struct pt_case *c)
{
	const struct room *room = c->room;
	const double ns = room->ns_per_tick;
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

static void derive(const struct pt_case *c)
{
	if (c->number)
		pt_derive((double)c->number / PT_PS_PER_NS, "ns",
			  "least delay with a mean error within a reading",
			  "%s.shortest", c->name);
}

PT_TEST(delay, "how much longer than asked a wait for the CPU's counter took",
	.groups = PT_OVERHEADS,
	.flags = PT_ALONE | PT_SPINS,
	.metrics = PT_TABLE(metric,
		PT_METRIC("error", "Longer than asked", 1, 2, PT_RUNS)),
	.once = try_once,
	.trials = POINTS * REPEATS, .room = sizeof(struct room),
	.open = open_counter, .verify = verify, .derive = derive);
