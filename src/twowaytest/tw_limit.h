/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --limit: what a run's results may be at the most, and whether they are. */
#ifndef TW_LIMIT_H
#define TW_LIMIT_H

#include "tw_tally.h"

#define TW_LIMITS_MAX	64

struct tw_limit {
	const char *text;	/* as the user gave it */
	int metric;		/* enum tw_metric_id; TW_METRICS: missed */
	bool average;		/* neither: of the maximum */
	double percent;
	int64_t most;		/* ns; of missed, how many */
};

enum tw_verdict {
	TW_MET,
	TW_EXCEEDED,
	TW_UNDECIDED		/* too few cycles; fails the run as well */
};

/* "met", "exceeded", "undecided" */
extern const char *const tw_verdict_names[];

/*
 * Judges @tally, which is at rest. What was held against the limit goes to
 * *value (ns; of missed, how many), unless that is TW_UNDECIDED.
 */
enum tw_verdict tw_limit_judge(const struct tw_limit *limit,
			       const struct tw_tally *tally, int64_t *value);

/* How many cycles a run must be meant to have; 1 but for percentiles. */
uint64_t tw_limit_needs(const struct tw_limit *limit);

/*
 * How many it must have had in the end. A run of a given time has some less
 * than were meant: it takes a moment to start, and expiries are missed. A
 * twentieth less is let pass.
 */
uint64_t tw_limit_enough(const struct tw_limit *limit);

#endif /* TW_LIMIT_H */
