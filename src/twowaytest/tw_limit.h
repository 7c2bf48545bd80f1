/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --limit: what a run's results may be at the most, and whether they are. */
#ifndef TW_LIMIT_H
#define TW_LIMIT_H

#include "tw_tally.h"

#define TW_LIMITS_MAX	TW_MARKS

/* What a limit may be about beside the metrics: a count. */
enum tw_limit_count {
	TW_LIMIT_MISSED = TW_METRICS,
	TW_LIMIT_THROTTLED,
	TW_LIMIT_ABOUTS
};

struct tw_limit {
	const char *text;	/* as the user gave it */
	int about;		/* enum tw_metric_id or tw_limit_count */
	bool average;		/* neither: of the maximum */
	double percent;
	int64_t most;		/* ns; of a count, how many */
};

/* Whether the limit is on a count, and not on a time. */
bool tw_limit_counts(const struct tw_limit *limit);

/* The name of what a limit is about; NULL from TW_LIMIT_ABOUTS on. */
const char *tw_limit_about(size_t about);

/* Has a new tally count what judging the limits will take. */
void tw_limit_prepare(const struct tw_limit *limits, int count,
		      struct tw_tally *tally);

enum tw_verdict {
	TW_MET,
	TW_EXCEEDED,
	TW_UNDECIDED		/* too few cycles; fails the run as well */
};

/* "met", "exceeded", "undecided" */
extern const char *const tw_verdict_names[];

/*
 * Judges @tally, which is at rest. What was held against the limit goes to
 * *value (ns; of a count, how many), unless that is TW_UNDECIDED.
 */
enum tw_verdict tw_limit_judge(const struct tw_limit *limit,
			       const struct tw_tally *tally, int64_t *value);

/* How many cycles it takes to decide; 1 but for percentiles. */
uint64_t tw_limit_needs(const struct tw_limit *limit);

#endif /* TW_LIMIT_H */
