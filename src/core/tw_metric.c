// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * To add a metric: its function, an entry in the enum, and a row here. Before
 * TW_TOTAL, it is also printed as a phase. See tw_metric_target_ns(), and
 * base_of() in tw_histogram.c.
 */
#include <string.h>

#include "tw_metric.h"

static int64_t distance(int64_t a_ns, int64_t b_ns)
{
	return a_ns < b_ns ? b_ns - a_ns : a_ns - b_ns;
}

static int64_t interval_ns(const struct tw_cycle *cycle,
			   const struct tw_metric_params *params)
{
	return cycle->t0_ns - cycle->prev_t0_ns;
}

static int64_t send_ns(const struct tw_cycle *cycle,
		       const struct tw_metric_params *params)
{
	return cycle->t1_ns - cycle->t0_ns;
}

static int64_t sleep_ns(const struct tw_cycle *cycle,
			const struct tw_metric_params *params)
{
	return cycle->t2_ns - cycle->t1_ns;
}

static int64_t receive_ns(const struct tw_cycle *cycle,
			  const struct tw_metric_params *params)
{
	return cycle->t3_ns - cycle->t2_ns;
}

static int64_t response_ns(const struct tw_cycle *cycle,
			   const struct tw_metric_params *params)
{
	return cycle->t3_ns - cycle->t0_ns;
}

/* By how much the reply came later than from an ideal system. */
static int64_t latency_ns(const struct tw_cycle *cycle,
			  const struct tw_metric_params *params)
{
	return response_ns(cycle, params) - params->sleep_ns;
}

/*
 * How late the client woke while it waited. If the cycle before took longer
 * than a period, the client began to wait after the expiry: that is no late
 * wake-up.
 */
static int64_t wakeup_ns(const struct tw_cycle *cycle,
			 const struct tw_metric_params *params)
{
	return cycle->t0_ns - (cycle->planned_ns > cycle->prev_t3_ns ?
			       cycle->planned_ns : cycle->prev_t3_ns);
}

/* In a closed loop no interval is too long or too short. */
static int64_t total_ns(const struct tw_cycle *cycle,
			const struct tw_metric_params *params)
{
	return send_ns(cycle, params) + receive_ns(cycle, params) +
	       distance(sleep_ns(cycle, params), params->sleep_ns) +
	       (params->period_ns ? distance(interval_ns(cycle, params),
					     params->period_ns) : 0);
}

static int64_t planned_ns(const struct tw_cycle *cycle,
			  const struct tw_metric_params *params)
{
	return cycle->t3_ns - cycle->planned_ns;
}

/* Send and receive together: compares no times of different processes. */
static int64_t network_ns(const struct tw_cycle *cycle,
			  const struct tw_metric_params *params)
{
	return response_ns(cycle, params) - sleep_ns(cycle, params);
}

struct tw_metric tw_metrics[TW_METRICS] = {
	[TW_LATENCY] = { "latency", false, latency_ns, NULL, 1 },
	[TW_WAKEUP] = { "wakeup", true, wakeup_ns, NULL, 0 },
	[TW_SEND] = { "send", false, send_ns, NULL, 2 },
	[TW_SLEEP] = { "sleep", false, sleep_ns, NULL, 2 },
	[TW_RECEIVE] = { "receive", false, receive_ns, NULL, 2 },
	[TW_RESPONSE] = { "response", false, response_ns, NULL, 1 },
	[TW_INTERVAL] = { "interval", false, interval_ns, NULL, 0 },
	[TW_TOTAL] = { "total", false, total_ns, NULL, 2 },
	[TW_PLANNED] = { "planned", true, planned_ns, NULL, 0 },
	[TW_NETWORK] = { "network", false, network_ns, NULL, 2 },
};

int64_t tw_metric_ns(enum tw_metric_id id, const struct tw_cycle *cycle,
		     const struct tw_metric_params *params)
{
	struct tw_cycle known = *cycle;

	if (!cycle->cut_ns)
		return tw_metrics[id].value_ns(cycle, params);
	if (tw_metrics[id].needs > (cycle->t3_ns != 0))
		return TW_NO_VALUE;
	if (!cycle->t0_ns)
		known.t0_ns = cycle->cut_ns;
	known.t3_ns = cycle->cut_ns;
	return tw_metrics[id].value_ns(&known, params);
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
	if (tw_metrics[id].needs_timer && !params->period_ns)
		return "needs a timer, so an --interval above 0";
	return tw_metrics[id].lacks;
}

bool tw_metric_is_phase(enum tw_metric_id id,
			const struct tw_metric_params *params)
{
	return tw_metric_valid(id, params) &&
	       ((id > TW_LATENCY && id <= TW_TOTAL) ||
		(id == TW_NETWORK && tw_metrics[TW_SEND].lacks));
}

int64_t tw_metric_target_ns(enum tw_metric_id id,
			    const struct tw_metric_params *params)
{
	return id == TW_INTERVAL ? params->period_ns :
	       id == TW_SLEEP ? params->sleep_ns : 0;
}
