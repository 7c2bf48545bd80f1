/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A ramp of two steps, filled in by hand: no worker, then one. */
#ifndef REPORT_RAMP_H
#define REPORT_RAMP_H

#include "report.h"
#include "load/tw_part_load.h"

static struct tw_pair second, merged;
static void *second_room, *merged_room;

static inline void drop_pair(struct tw_pair *of, void **its_room)
{
	free(of->tally);
	free(*its_room);
	of->tally = NULL;
	*its_room = NULL;
}

static inline void drop_ramp(void)
{
	drop_pair(&merged, &merged_room);
	drop_pair(&second, &second_room);
	drop_run();
}

/* A pair like the first, without a cycle. */
static inline void new_like(struct tw_pair *like, void **its_room)
{
	int64_t width_us = session.run.window_us;

	drop_pair(like, its_room);
	*like = pair;
	like->tally = calloc(1, tw_tally_size(width_us));
	assert_non_null(like->tally);
	*its_room = new_room();
	tw_tally_init(like->tally, &pair.tally->params, width_us);
	like->tally->ahead_ns = -RUN_WALL_NS;
	tw_run_attach(&session.run, like, *its_room);
}

/* What the load has done in a step, to be set. */
static inline struct tw_work *work_of(int step)
{
	return (struct tw_work *)tw_load_work(step);
}

/*
 * By the options in @line: a first step as of new_finished_run() that took
 * 2 s, and a second of 4 s, under way, of only its first cycle.
 */
static inline void new_ramp(const char *line)
{
	new_finished_run(line);
	session.run.step = 1;
	new_like(&second, &second_room);
	second.tally->step = 1;
	tw_tally_add(second.tally, &run_cycles[0]);
	second.tally->throttled = 1;
	work_of(0)->elapsed_ns = INT64_C(2000000000);
	*work_of(1) = (struct tw_work) {
		.done = 10, .errors = 3, .restarts = 4,
		.elapsed_ns = INT64_C(4000000000),
	};
	steps[1] = (struct tw_pairs) { 1, { &second } };
	session.steps_done = 2;
	session.pairs = &steps[1];
}

/* The same, over: both steps as one. */
static inline void finish_ramp(void)
{
	new_like(&merged, &merged_room);
	tw_tally_merge(merged.tally, pair.tally);
	tw_tally_merge(merged.tally, second.tally);
	session.merged = (struct tw_pairs) { 1, { &merged } };
	session.pairs = &session.merged;
}

#endif /* REPORT_RAMP_H */
