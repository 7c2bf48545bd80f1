/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A ramp of two steps, filled in by hand: no worker, then one. */
#ifndef REPORT_RAMP_H
#define REPORT_RAMP_H

#include "report.h"

static struct tw_pair second;

static inline void drop_ramp(void)
{
	free(second.tally);
	second.tally = NULL;
	drop_run();
}

/*
 * By the options in @line: a first step as of new_finished_run() that took
 * 2 s, and a second of 4 s, under way, of only its first cycle.
 */
static inline void new_ramp(const char *line)
{
	new_finished_run(line);
	free(second.tally);
	second = pair;
	second.tally = calloc(1, tw_tally_size(config.histogram_us));
	assert_non_null(second.tally);
	tw_tally_init(second.tally, &pair.tally->params, config.histogram_us);
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

#endif /* REPORT_RAMP_H */
