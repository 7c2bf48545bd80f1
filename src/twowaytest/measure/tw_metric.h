/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The metrics. Each metric is a row of one table and a pure function of a
 * cycle. Values are in ns. If --clock can be set back during the test
 * (realtime, tai), any value can be negative.
 */
#ifndef TW_METRIC_H
#define TW_METRIC_H

#include <stdbool.h>
#include <stdint.h>

#include "measure/tw_cycle.h"

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

/* The settings that the formulas need. */
struct tw_metric_params {
	int64_t period_ns;	/* 0: closed loop, no timer */
	int64_t sleep_ns;	/* sleep of the server; 0: none */
	bool total_trltp3;	/* total as computed by TRLTP 3.0 */
};

#define TW_PARTS	4	/* maximum number of parts of a metric */

struct tw_metric {
	const char *token;	/* name in options, JSON, status lines */
	const char *label;	/* name in reports */
	const char *meaning;	/* its formula, one line */
	bool needs_timer;	/* undefined in a closed loop */
	/* The phases that the metric consists of. A phase has no parts. */
	int part_count;
	enum tw_metric_id parts[TW_PARTS];
	int64_t (*value_ns)(const struct tw_cycle *cycle,
			    const struct tw_metric_params *params);
	/*
	 * Stores the expected value. The standard deviation is then about this
	 * value; if NULL or false, it is about the mean.
	 */
	bool (*target)(const struct tw_metric_params *params,
		       int64_t *target_ns);
	/* Lower end of a histogram of @width_us, in us; NULL: 0. */
	int64_t (*base_us)(const struct tw_metric_params *params,
			   int64_t width_us);
};

/* Index: enum tw_metric_id. */
extern const struct tw_metric tw_metrics[TW_METRICS];

/* The metrics that describe a single cycle, in order of time. */
#define TW_PHASES	7
extern const enum tw_metric_id tw_phases[TW_PHASES];

#endif /* TW_METRIC_H */
