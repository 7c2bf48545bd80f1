/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The metrics. Each is a row of one table and a pure function of a cycle.
 * Values are in ns.
 */
#ifndef TW_METRIC_H
#define TW_METRIC_H

#include <stdbool.h>

#include "tw_cycle.h"

enum tw_metric_id {
	TW_LATENCY,	/* the one that is printed as cyclictest prints it */
	/* The phases: they are printed below it. */
	TW_WAKEUP,
	TW_SEND,
	TW_SLEEP,
	TW_RECEIVE,
	TW_RESPONSE,
	TW_INTERVAL,
	TW_TOTAL,
	/* Not in the table of phases, see tw_metric_is_phase(). */
	TW_PLANNED,
	TW_NETWORK,
	TW_METRICS
};

/* In place of a value, for parts: this cycle has none. */
#define TW_NO_VALUE	INT64_MIN

/* The settings that the formulas need. */
struct tw_metric_params {
	int64_t period_ns;	/* 0: a closed loop */
	int64_t sleep_ns;	/* sleep of the server; 0: none */
};

struct tw_metric {
	const char *name;
	bool needs_timer;	/* means nothing in a closed loop */
	int64_t (*value_ns)(const struct tw_cycle *cycle,
			    const struct tw_metric_params *params);
	const char *lacks;	/* why it means nothing in this run */
	/* Of a cycle that was cut short: 0: nothing, 1: t3, 2: t1 and t2. */
	int needs;
};

/*
 * Index: enum tw_metric_id. A part may replace a function before the run, or say
 * what a metric lacks.
 */
extern struct tw_metric tw_metrics[TW_METRICS];

/* For messages. */
#define TW_METRIC_NAMES	"allowed are latency, wakeup, send, sleep, receive, response, interval, total, planned, network"

/*
 * Of any cycle. Of one that the end of the run has cut short, this is how much
 * it was by then, or TW_NO_VALUE.
 */
int64_t tw_metric_ns(enum tw_metric_id id, const struct tw_cycle *cycle,
		     const struct tw_metric_params *params);

/* The metric of this name; TW_METRICS: there is none. */
enum tw_metric_id tw_metric_find(const char *name);

/*
 * The expected value: the standard deviation is about it, not about the mean.
 * 0: there is none.
 */
int64_t tw_metric_target_ns(enum tw_metric_id id,
			    const struct tw_metric_params *params);

/*
 * Why the metric @id means nothing with these settings, as a message has it;
 * NULL: it does mean something.
 */
const char *tw_metric_lacks(enum tw_metric_id id,
			    const struct tw_metric_params *params);

static inline bool tw_metric_valid(enum tw_metric_id id,
				   const struct tw_metric_params *params)
{
	return !tw_metric_lacks(id, params);
}

/* Whether it is printed as a phase: network where send is not valid. */
bool tw_metric_is_phase(enum tw_metric_id id,
			const struct tw_metric_params *params);

#endif /* TW_METRIC_H */
