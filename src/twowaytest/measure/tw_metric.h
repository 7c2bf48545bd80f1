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
	TW_NETWORK,
	TW_METRICS
};

/* How the offset of two clocks is known: see tw_oneway.h. */
enum tw_oneway_mode {
	TW_ONEWAY_OFF,
	TW_ONEWAY_SYNC,
	TW_ONEWAY_BOUND
};

/* The settings that the formulas need. */
struct tw_metric_params {
	int64_t period_ns;	/* 0: closed loop, no timer */
	int64_t sleep_ns;	/* sleep of the server; 0: none */
	bool total_trltp3;	/* total as computed by TRLTP 3.0 */
	/* t1 and t2 are from a clock of the server's own; */
	bool two_clocks;
	/* and how the offset of the two is known, if it is. */
	enum tw_oneway_mode oneway;
};

struct tw_metric_list {
	int count;
	enum tw_metric_id id[TW_METRICS];
};

/* Index of lists: params->two_clocks. */
#define TW_CLOCKINGS	2

#define TW_PARTS	4	/* maximum number of parts of a metric */

struct tw_metric {
	const char *token;	/* name in options, JSON, status lines */
	const char *label;	/* name in reports */
	const char *meaning;	/* its formula, one line */
	/* See tw_metric_lacks(). */
	bool needs_timer;	/* undefined in a closed loop */
	bool across;		/* with two clocks: it compares them */
	/* The phases that the metric consists of. A phase has no parts. */
	struct tw_metric_list parts[TW_CLOCKINGS];
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

/*
 * The metrics that describe a single cycle, in order of time; the last
 * TW_PHASE_SUMS sum it up.
 */
#define TW_PHASE_SUMS	2
extern const struct tw_metric_list tw_phases[TW_CLOCKINGS];

/* The metrics of users who do not choose; those that lack something go. */
extern const struct tw_metric_list tw_default_metrics[TW_CLOCKINGS];

/*
 * Why metric @id is undefined with these settings, as the end of a message
 * ("--limit=send:9: ..."); NULL if it is defined. Any process may call it.
 */
const char *tw_metric_lacks(enum tw_metric_id id,
			    const struct tw_metric_params *params);

/*
 * The same, and why it is defined but must not be compared with anything: the
 * one-way times of TW_ONEWAY_BOUND are estimates. The value_ns() of all others
 * is that of a cycle as it was measured.
 */
const char *tw_metric_unfit(enum tw_metric_id id,
			    const struct tw_metric_params *params);

static inline const struct tw_metric_list *
tw_metric_parts(enum tw_metric_id id, const struct tw_metric_params *params)
{
	return &tw_metrics[id].parts[params->two_clocks];
}

#endif /* TW_METRIC_H */
