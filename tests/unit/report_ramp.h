/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A ramp of two steps, filled in by hand: no worker, then one. */
#ifndef REPORT_RAMP_H
#define REPORT_RAMP_H

#include "report.h"

static struct tw_pair second, merged;

static inline void drop_pair(struct tw_pair *of)
{
	if (of->tally)
		free(of->tally->spikes.kept);
	free(of->tally);
	of->tally = NULL;
}

static inline void drop_ramp(void)
{
	drop_pair(&merged);
	drop_pair(&second);
	drop_run();
}

/* A pair like the first, without a cycle. */
static inline void new_pair(struct tw_pair *like)
{
	drop_pair(like);
	*like = pair;
	like->tally = calloc(1, tw_tally_size(config.histogram_us));
	assert_non_null(like->tally);
	tw_tally_init(like->tally, &pair.tally->params, config.histogram_us);
	like->tally->ahead_ns = -RUN_WALL_NS;
	attach_spikes(like->tally);
	tw_limit_prepare(config.limits, config.limit_count, like->tally);
}

/*
 * By the options in @line: a first step as of new_finished_run() that took
 * 2 s, and a second of 4 s, under way, of only its first cycle.
 */
static inline void new_ramp(const char *line)
{
	new_finished_run(line);
	new_pair(&second);
	second.tally->step = 1;
	tw_tally_add(second.tally, &run_cycles[0]);
	second.tally->throttled = 1;
	steps[0].elapsed_ns = INT64_C(2000000000);
	steps[1] = (struct tw_step_result) {
		.pair = &second, .workers = tw_config_workers(&config, 1),
		.work = 10, .work_errors = 3, .restarts = 4,
		.elapsed_ns = INT64_C(4000000000),
	};
	session.step = 1;
	session.steps_done = 2;
	session.pair = &second;
}

/* The same, over: both steps as one. */
static inline void finish_ramp(void)
{
	new_pair(&merged);
	tw_tally_merge(merged.tally, pair.tally);
	tw_tally_merge(merged.tally, second.tally);
	session.pair = &merged;
}

#endif /* REPORT_RAMP_H */
