/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cycles that are kept whole: the worst of each metric, and --spike. */
#ifndef TW_KEPT_H
#define TW_KEPT_H

#include "tw_run.h"

struct tw_kept {
	struct tw_cycle cycle;	/* seq 0: none */
	int step;		/* of a ramp, from 0 */
	int64_t since_ns;	/* its t0 less that of the first measured one */
};

/*
 * The first cycle of a pair that reached the maximum of metric @id; NULL: none.
 * Called by main; nobody may write.
 */
const struct tw_kept *tw_kept_worst(const struct tw_run *run, int pair,
				    enum tw_metric_id id);

/* The pair with the largest value of metric @id. */
int tw_kept_worst_pair(const struct tw_run *run, enum tw_metric_id id);

/* The time of day when it began, as strftime() prints it; returns the us. */
int tw_kept_time(char *text, size_t size, const char *format,
		 const struct tw_kept *kept);

/*
 * The metrics that metric @id consists of, 0 after the last; a phase: none.
 * @apart: send and receive are not known, only their sum. @cut: nor is that, as
 * the end of the run has cut the cycle short.
 */
const enum tw_metric_id *tw_kept_parts(enum tw_metric_id id, bool apart,
				       bool cut);

/* Whether @id is a phase that metric @of consists of, or a part of it does. */
bool tw_kept_has_phase(enum tw_metric_id of, enum tw_metric_id id, bool apart,
		       bool cut);

/* Prints "step 2, cycle 5"; the step only of a ramp. */
void tw_kept_print_number(FILE *file, const struct tw_run *run,
			  const struct tw_kept *kept);

#endif /* TW_KEPT_H */
