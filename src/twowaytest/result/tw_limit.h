/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --limit: maximum values of the results, and whether they were exceeded. */
#ifndef TW_LIMIT_H
#define TW_LIMIT_H

#include "frame/tw_column.h"
#include "measure/tw_tally.h"
#include "run/tw_place.h"

#define TW_LIMITS_MAX	TW_MARKS
#define TW_LIMIT_MOST	INT64_C(1000000000)	/* us, or a count */

/* Counts that a limit can be for, besides the metrics. */
enum tw_limit_count {
	TW_LIMIT_MISSED = TW_METRICS,
	TW_LIMIT_THROTTLED,
	TW_LIMIT_LOST,
	TW_LIMIT_ABOUTS
};

struct tw_limit {
	const char *text;	/* as given by the user */
	/* A bit for each pair that must meet it; without a list all. */
	bool has_list;
	uint64_t pairs[TW_PAIRS_MAX / 64];
	int about;		/* enum tw_metric_id or tw_limit_count */
	bool average;		/* else: maximum (or percentile) */
	double percent;
	int64_t most;		/* maximum: ns or a count */
};

/*
 * METRIC:US, METRIC:avg:US, METRIC:pNN.N:US, missed:N, throttled:N or lost:N;
 * behind METRIC (or missed, throttled, lost) there may be @ and a list of pairs,
 * as 0,2-4.
 * The limit points into @value. Returns false if it is none of them.
 */
bool tw_limit_parse(const char *value, struct tw_limit *limit);

/* Whether pair @pair must meet the limit. */
bool tw_limit_covers(const struct tw_limit *limit, unsigned int pair);

/* Whether the limit is for a count, not for a time. */
bool tw_limit_counts(const struct tw_limit *limit);

/* The name of a metric or count; NULL if @about is TW_LIMIT_ABOUTS or above. */
const char *tw_limit_about(size_t about);

/* Lets a new tally count the values that the limits need. */
void tw_limit_prepare(const struct tw_limit *limits, int count,
		      struct tw_tally *tally);

enum tw_verdict {
	TW_MET,
	TW_EXCEEDED,
	TW_UNDECIDED		/* too few cycles; also fails the run */
};

/* "met", "exceeded", "undecided" */
extern const char *const tw_verdict_names[];

/*
 * Checks the limit against the column of its metric, or, for a count, against
 * any column; the client must not run. Stores the result that was compared in
 * *value (ns or a count), except for TW_UNDECIDED.
 */
enum tw_verdict tw_limit_judge(const struct tw_limit *limit,
			       const struct tw_column *column,
			       int64_t *value);

/*
 * Returns the number of cycles needed to decide; above 1 for percentiles only.
 */
uint64_t tw_limit_needs(const struct tw_limit *limit);

#endif /* TW_LIMIT_H */
