/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The metrics: each a row of one table, each a pure function of a cycle.
 * Values are nanoseconds; any of them may be negative where --clock may be
 * set back (realtime, tai) while the test runs.
 */
#ifndef TW_METRIC_H
#define TW_METRIC_H

#include <stdbool.h>
#include <stdint.h>

#include "tw_cycle.h"

enum tw_metric_id {
	TW_INTERVAL,
	TW_SEND,
	TW_SLEEP,
	TW_RECEIVE,
	TW_RESPONSE,
	TW_TOTAL,
	TW_WAKEUP,
	TW_PLANNED,
	TW_METRICS
};

/* What the metrics need to know of the set-up. */
struct tw_metric_params {
	int64_t period_ns;	/* 0: closed loop, no timer */
	int64_t sleep_ns;	/* asked of the server */
	bool total_trltp3;	/* formula of total: TRLTP 3.0's code */
};

#define TW_PARTS	4	/* of a metric, at the most */

struct tw_metric {
	const char *token;	/* for options, JSON, status lines */
	const char *label;	/* for people */
	const char *meaning;	/* its definition, in one line */
	bool needs_timer;	/* has no meaning in a closed loop */
	/* The phases that it is made of; none: it is one itself. */
	int part_count;
	enum tw_metric_id parts[TW_PARTS];
	int64_t (*value_ns)(const struct tw_cycle *cycle,
			    const struct tw_metric_params *params);
	/* NULL, or if false: deviations are about the mean, not *target_ns. */
	bool (*target)(const struct tw_metric_params *params,
		       int64_t *target_ns);
	/* Where a histogram of @width_us begins, in us; NULL: at 0. */
	int64_t (*base_us)(const struct tw_metric_params *params,
			   int64_t width_us);
};

/* Indexed by enum tw_metric_id. */
extern const struct tw_metric tw_metrics[TW_METRICS];

/* What a single cycle is told by, in the order of its time. */
#define TW_PHASES	7
extern const enum tw_metric_id tw_phases[TW_PHASES];

/* The id of the metric called @token, or -EINVAL. */
int tw_metric_find(const char *token);

#endif /* TW_METRIC_H */
