/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The metrics. Each is a row of one table: a span between times of a cycle.
 * Values are in ns. What a metric lacks in a run, and what it consists of,
 * follows from its row and from what parts say of the times.
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
	TW_METRICS,
	/*
	 * What the kernel's stamps divide network or response into, of cycles
	 * that have all that are taken in this run. Nobody has to list them;
	 * who is given a metric by its name can be given one of these.
	 */
	TW_CLIENT_APP_OUT = TW_METRICS,
	TW_CLIENT_STACK_OUT,
	TW_CLIENT_WAKE_IN,
	TW_SERVER_APP_OUT,
	TW_SERVER_STACK_OUT,
	TW_SERVER_WAKE_IN,
	TW_CLIENT_STACK,
	TW_WIRE,
	TW_SERVER_STACK,
	TW_STAMPED_NETWORK,	/* of those cycles; its name is the metric's */
	/* In these is the server's sleep, if there is one. */
	TW_WIRE_AND_DEVICE,
	TW_RESPONSE_TO_RX,
	TW_STAMPED_RESPONSE,
	TW_SPANS
};

/* The settings that the formulas need. */
struct tw_metric_params {
	int64_t period_ns;	/* 0: a closed loop */
	int64_t sleep_ns;	/* sleep of the server; 0: none */
};

/*
 * A span is from one time to another and, if given, added to that, from a third
 * to a fourth: enum tw_time. Modulo 2^64: what another host sends can be any.
 */
static inline int64_t tw_metric_span(const uint8_t span[4],
				     const int64_t at_ns[])
{
	return (int64_t)((uint64_t)at_ns[span[1]] - (uint64_t)at_ns[span[0]] +
			 (uint64_t)at_ns[span[3]] - (uint64_t)at_ns[span[2]]);
}

struct tw_metric {
	const char *name;
	uint8_t span[4];
};

/* Index: enum tw_metric_id. */
extern const struct tw_metric tw_metrics[TW_SPANS];

/* --stamps: "off", "rx" or "all". */
extern const char *tw_metric_stamps;

/* How many rows have values: TW_METRICS; or TW_SPANS, from this call on. */
extern int tw_metric_count;
void tw_metric_divide(void);

/* For messages. */
#define TW_METRIC_NAMES	"allowed are latency, wakeup, send, sleep, receive, response, interval, total, planned, network; with --stamps=all also client_app_out, client_stack_out, client_wake_in, server_app_out, server_stack_out, server_wake_in, client_stack, wire, server_stack, wire_and_device, response_to_rx"

/*
 * What parts say before the run; what is said last holds. @why is for messages
 * about a metric that means nothing then: its values are 0, as over many cycles
 * the sum of others overflows.
 */

/* No server of ours takes t1 and t2. */
void tw_metric_no_server(const char *why);

/*
 * Those are of another clock, and not to be compared: @most_ns is 0. Without
 * @why, both clocks agree; a larger difference either way is taken as @most_ns.
 */
void tw_metric_two_clocks(const char *why, int64_t most_ns);

/* Of all values of a cycle, what total adds to network; --total replaces it. */
extern int64_t (*tw_metric_deviations_ns)(const int64_t values_ns[],
		const struct tw_metric_params *params);
extern const char *tw_metric_deviations;	/* in words */

/*
 * All values of a cycle that is whole, but that may lack stamps. Called by the
 * client, after t3.
 */
void tw_metric_values(int64_t values_ns[TW_SPANS],
		      const struct tw_cycle *cycle,
		      const struct tw_metric_params *params);

/*
 * The same of any cycle. Of one that the end of the run has cut short, this is
 * how much it was by then, or TW_NO_VALUE.
 */
void tw_metric_known(int64_t values_ns[TW_SPANS],
		     const struct tw_cycle *cycle,
		     const struct tw_metric_params *params);
int64_t tw_metric_ns(enum tw_metric_id id, const struct tw_cycle *cycle,
		     const struct tw_metric_params *params);

/* Their names; NULL after the last. And with what stamps divide them into. */
const char *tw_metric_word(int i);
const char *tw_metric_any_word(int i);

/* The metric of this name; TW_SPANS: there is none. */
enum tw_metric_id tw_metric_find(const char *name);

/* What it would be on an ideal system. */
int64_t tw_metric_ideal_ns(enum tw_metric_id id,
			   const struct tw_metric_params *params);

/* Of what a timer ends, how long it is to be. 0: of another. */
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

/* Whether a server of ours takes t1 and t2. */
bool tw_metric_has_server(void);

/* By its row: whether it needs these; or times of both sides, compared. */
bool tw_metric_needs_server(enum tw_metric_id id);
bool tw_metric_compares_sides(enum tw_metric_id id);
bool tw_metric_of_server(enum tw_time time);
bool tw_metric_uses(enum tw_metric_id id, enum tw_time time);

/* For columns and the JSON. */
extern const char *const tw_metric_time_names[TW_TIMES];

/* Whether this run takes such a stamp. */
bool tw_metric_is_stamped(enum tw_time time);

/* Whether it is printed as a phase: network where send is not valid. */
bool tw_metric_is_phase(enum tw_metric_id id,
			const struct tw_metric_params *params);

#endif /* TW_METRIC_H */
