// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * To add a metric: an entry in the enum, and a row here. Before TW_TOTAL, it is
 * also printed as a phase.
 */
#include <string.h>

#include "tw_metric.h"

/* Two metrics are more than their spans: see tw_metric_values(). */
const struct tw_metric tw_metrics[TW_METRICS] = {
	[TW_LATENCY] = { "latency", { TW_T0, TW_T3 }, false },
	[TW_WAKEUP] = { "wakeup", { TW_READY, TW_T0 }, false },
	[TW_SEND] = { "send", { TW_T0, TW_T1 }, false },
	[TW_SLEEP] = { "sleep", { TW_T1, TW_T2 }, true },
	[TW_RECEIVE] = { "receive", { TW_T2, TW_T3 }, false },
	[TW_RESPONSE] = { "response", { TW_T0, TW_T3 }, false },
	[TW_INTERVAL] = { "interval", { TW_PREV_T0, TW_T0 }, true },
	[TW_TOTAL] = { "total", { TW_T0, TW_T3, TW_T2, TW_T1 }, false },
	[TW_PLANNED] = { "planned", { TW_EXPIRY, TW_T3 }, false },
	/* Send and receive together: each of both spans is of one side. */
	[TW_NETWORK] = { "network", { TW_T0, TW_T3, TW_T2, TW_T1 }, false },
};

/* Why a metric means nothing in this run. */
static const char *lacks[TW_METRICS];

/* Metrics whose values are bounded: 0 if they mean nothing. */
static struct {
	enum tw_metric_id id;
	int64_t most_ns;
} bounded[TW_METRICS];
static int bounded_count;

static int64_t distance(int64_t a_ns, int64_t b_ns)
{
	return a_ns < b_ns ? b_ns - a_ns : a_ns - b_ns;
}

/* In a closed loop no interval is too long or too short. */
static int64_t deviations_ns(const int64_t values_ns[],
			     const struct tw_metric_params *params)
{
	return distance(values_ns[TW_SLEEP], params->sleep_ns) +
	       (params->period_ns ? distance(values_ns[TW_INTERVAL],
					     params->period_ns) : 0);
}

int64_t (*tw_metric_deviations_ns)(const int64_t values_ns[],
		const struct tw_metric_params *params) = deviations_ns;

void tw_metric_values(int64_t values_ns[TW_METRICS],
		      const struct tw_cycle *cycle,
		      const struct tw_metric_params *params)
{
	int i;

	/* The rows are constant, so that each of them is few instructions. */
#pragma GCC unroll 16
	for (i = 0; i < TW_METRICS; i++)
		values_ns[i] = tw_span_ns(tw_metrics[i].span, cycle->at_ns);
	/* By how much the reply came later than from an ideal system. */
	values_ns[TW_LATENCY] -= params->sleep_ns;
	values_ns[TW_TOTAL] += tw_metric_deviations_ns(values_ns, params);
	for (i = 0; i < bounded_count; i++) {
		int64_t *ns = &values_ns[bounded[i].id];
		int64_t most_ns = bounded[i].most_ns;

		*ns = *ns > most_ns ? most_ns : *ns < -most_ns ? -most_ns : *ns;
	}
}

static bool uses(enum tw_metric_id id, enum tw_time time)
{
	return memchr(tw_metrics[id].span, time, sizeof(tw_metrics[id].span));
}

bool tw_time_is_of_server(enum tw_time time)
{
	return time == TW_T1 || time == TW_T2;
}

bool tw_metric_needs_server(enum tw_metric_id id)
{
	return uses(id, TW_T1) || uses(id, TW_T2);
}

bool tw_metric_compares_sides(enum tw_metric_id id)
{
	const uint8_t *span = tw_metrics[id].span;

	return tw_time_is_of_server(span[0]) != tw_time_is_of_server(span[1]) ||
	       tw_time_is_of_server(span[2]) != tw_time_is_of_server(span[3]);
}

static void bound(bool (*is_one)(enum tw_metric_id id), const char *why,
		  int64_t most_ns)
{
	enum tw_metric_id id;

	bounded_count = 0;
	for (id = 0; id < TW_METRICS; id++) {
		lacks[id] = is_one(id) ? why : NULL;
		if (!is_one(id))
			continue;
		bounded[bounded_count].id = id;
		bounded[bounded_count++].most_ns = most_ns;
	}
}

void tw_metric_no_server(const char *why)
{
	bound(tw_metric_needs_server, why, 0);
}

void tw_metric_two_clocks(const char *why, int64_t most_ns)
{
	bound(tw_metric_compares_sides, why, most_ns);
}

bool tw_metric_has_server(void)
{
	return !lacks[TW_SLEEP];
}

/* What began with t0, or after it, has no value before the reply has come. */
void tw_metric_known(int64_t values_ns[TW_METRICS],
		     const struct tw_cycle *cycle,
		     const struct tw_metric_params *params)
{
	struct tw_cycle known = *cycle;
	enum tw_metric_id id;

	if (cycle->cut_ns) {
		known.t0_ns = tw_cycle_begin_ns(cycle);
		known.t3_ns = cycle->cut_ns;
	}
	tw_metric_values(values_ns, &known, params);
	for (id = 0; cycle->cut_ns && id < TW_METRICS; id++)
		if (tw_metric_needs_server(id) ||
		    (!cycle->t3_ns && tw_metrics[id].span[0] >= TW_T0))
			values_ns[id] = TW_NO_VALUE;
}

int64_t tw_metric_ns(enum tw_metric_id id, const struct tw_cycle *cycle,
		     const struct tw_metric_params *params)
{
	int64_t values_ns[TW_METRICS];

	tw_metric_known(values_ns, cycle, params);
	return values_ns[id];
}

enum tw_metric_id tw_metric_find(const char *name)
{
	enum tw_metric_id id = 0;

	while (id < TW_METRICS && strcmp(name, tw_metrics[id].name))
		id++;
	return id;
}

const char *tw_metric_lacks(enum tw_metric_id id,
			    const struct tw_metric_params *params)
{
	if (!params->period_ns && (uses(id, TW_EXPIRY) || uses(id, TW_READY)))
		return "needs a timer, so an --interval above 0";
	return lacks[id];
}

bool tw_metric_is_phase(enum tw_metric_id id,
			const struct tw_metric_params *params)
{
	return tw_metric_valid(id, params) &&
	       ((id > TW_LATENCY && id <= TW_TOTAL) ||
		(id == TW_NETWORK && lacks[TW_SEND]));
}

/* Everybody is on time, and only the server's sleep takes any. */
int64_t tw_metric_ideal_ns(enum tw_metric_id id,
			   const struct tw_metric_params *params)
{
	const int64_t at_ns[TW_TIMES] = {
		[TW_PREV_T0] = -params->period_ns,
		[TW_T2] = params->sleep_ns, [TW_T3] = params->sleep_ns,
	};

	return tw_span_ns(tw_metrics[id].span, at_ns) -
	       (id == TW_LATENCY ? params->sleep_ns : 0);
}

int64_t tw_metric_target_ns(enum tw_metric_id id,
			    const struct tw_metric_params *params)
{
	return tw_metrics[id].timed ? tw_metric_ideal_ns(id, params) : 0;
}
