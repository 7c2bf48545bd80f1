// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of metrics. To add a metric: write its function, add an entry to
 * the enum, and add a row.
 */

#include "base/tw_time.h"
#include "measure/tw_metric.h"

static uint64_t distance(int64_t a_ns, int64_t b_ns)
{
	int64_t d = tw_span_ns(a_ns, b_ns);

	return d < 0 ? -(uint64_t)d : (uint64_t)d;
}

static int64_t interval_ns(const struct tw_cycle *cycle,
			   const struct tw_metric_params *params)
{
	(void)params;
	return tw_span_ns(cycle->prev_t0_ns, cycle->t0_ns);
}

static int64_t send_ns(const struct tw_cycle *cycle,
		       const struct tw_metric_params *params)
{
	(void)params;
	return tw_span_ns(cycle->t0_ns, cycle->t1_ns);
}

static int64_t sleep_ns(const struct tw_cycle *cycle,
			const struct tw_metric_params *params)
{
	(void)params;
	return tw_span_ns(cycle->t1_ns, cycle->t2_ns);
}

static int64_t receive_ns(const struct tw_cycle *cycle,
			  const struct tw_metric_params *params)
{
	(void)params;
	return tw_span_ns(cycle->t2_ns, cycle->t3_ns);
}

static int64_t response_ns(const struct tw_cycle *cycle,
			   const struct tw_metric_params *params)
{
	(void)params;
	return tw_span_ns(cycle->t0_ns, cycle->t3_ns);
}

static int64_t wakeup_ns(const struct tw_cycle *cycle,
			 const struct tw_metric_params *params)
{
	(void)params;
	return tw_span_ns(cycle->planned_ns, cycle->t0_ns);
}

/* Each of the two differences is of one clock. */
static int64_t network_ns(const struct tw_cycle *cycle,
			  const struct tw_metric_params *params)
{
	return tw_span_ns(sleep_ns(cycle, params), response_ns(cycle, params));
}

static int64_t planned_ns(const struct tw_cycle *cycle,
			  const struct tw_metric_params *params)
{
	(void)params;
	return tw_span_ns(cycle->planned_ns, cycle->t3_ns);
}

/*
 * The timer's share of the total. TRLTP 3.0's code ends the interval at t1,
 * and takes the rate in Hz for the period in us.
 */
static uint64_t timer_jitter(const struct tw_cycle *cycle,
			     const struct tw_metric_params *params)
{
	if (params->period_ns <= 0)
		return 0;
	if (params->total_trltp3)
		return distance(tw_span_ns(cycle->prev_t0_ns, cycle->t1_ns),
				TW_NS_PER_S * TW_NS_PER_US /
				params->period_ns);
	return distance(interval_ns(cycle, params), params->period_ns);
}

static int64_t total_ns(const struct tw_cycle *cycle,
			const struct tw_metric_params *params)
{
	int64_t slept = sleep_ns(cycle, params);
	uint64_t total = (uint64_t)response_ns(cycle, params);

	total -= (uint64_t)slept;
	total += distance(slept, params->sleep_ns);
	total += timer_jitter(cycle, params);
	return (int64_t)total;
}

static bool period_target(const struct tw_metric_params *params,
			  int64_t *target_ns)
{
	if (params->period_ns <= 0)
		return false;
	*target_ns = params->period_ns;
	return true;
}

static bool sleep_target(const struct tw_metric_params *params,
			 int64_t *target_ns)
{
	*target_ns = params->sleep_ns;
	return true;
}

/* The period in the middle, so that early and late both show. */
static int64_t period_base(const struct tw_metric_params *params,
			   int64_t width_us)
{
	int64_t base_us = params->period_ns / TW_NS_PER_US - width_us / 2;

	return base_us > 0 ? base_us : 0;
}

/* No honest value lies below the sleep: the window is better spent above. */
static int64_t sleep_base(const struct tw_metric_params *params,
			  int64_t width_us)
{
	(void)width_us;
	return params->sleep_ns / TW_NS_PER_US;
}

const struct tw_metric tw_metrics[TW_METRICS] = {
	[TW_INTERVAL] = {
		.token = "interval",
		.label = "POSIX Timer Interval Time",
		.meaning = "t0 - t0 of the cycle before",
		.value_ns = interval_ns,
		.target = period_target,
		.base_us = period_base,
	},
	[TW_SEND] = {
		.token = "send",
		.label = "Send Time",
		.meaning = "t1 - t0",
		.across = true,
		.value_ns = send_ns,
	},
	[TW_SLEEP] = {
		.token = "sleep",
		.label = "nanosleep Time",
		.meaning = "t2 - t1",
		.value_ns = sleep_ns,
		.target = sleep_target,
		.base_us = sleep_base,
	},
	[TW_RECEIVE] = {
		.token = "receive",
		.label = "Receive Time",
		.meaning = "t3 - t2",
		.across = true,
		.value_ns = receive_ns,
	},
	[TW_RESPONSE] = {
		.token = "response",
		.label = "Response Time",
		.meaning = "t3 - t0",
		.parts = {
			{ 3, { TW_SEND, TW_SLEEP, TW_RECEIVE } },
			{ 2, { TW_NETWORK, TW_SLEEP } },
		},
		.value_ns = response_ns,
		.base_us = sleep_base,
	},
	[TW_TOTAL] = {
		.token = "total",
		.label = "Total Jitter",
		.meaning = "send + receive + |slept - sleep| + "
			   "|interval - period|",
		/* The interval is last: it gets the remainder. */
		.parts = {
			{ 4, { TW_SEND, TW_SLEEP, TW_RECEIVE, TW_INTERVAL } },
			{ 3, { TW_NETWORK, TW_SLEEP, TW_INTERVAL } },
		},
		.value_ns = total_ns,
	},
	[TW_WAKEUP] = {
		.token = "wakeup",
		.label = "Wakeup Time",
		.meaning = "t0 - planned expiry",
		.needs_timer = true,
		.value_ns = wakeup_ns,
	},
	[TW_PLANNED] = {
		.token = "planned",
		.label = "Planned Response Time",
		.meaning = "t3 - planned expiry",
		.needs_timer = true,
		.parts = {
			{ 4, { TW_WAKEUP, TW_SEND, TW_SLEEP, TW_RECEIVE } },
			{ 3, { TW_WAKEUP, TW_NETWORK, TW_SLEEP } },
		},
		.value_ns = planned_ns,
		.base_us = sleep_base,
	},
	[TW_NETWORK] = {
		.token = "network",
		.label = "Network Time",
		.meaning = "response - (t2 - t1)",
		.parts = { { 2, { TW_SEND, TW_RECEIVE } } },
		.value_ns = network_ns,
	},
};

const struct tw_metric_list tw_phases[TW_CLOCKINGS] = {
	{ 7, { TW_INTERVAL, TW_WAKEUP, TW_SEND, TW_SLEEP, TW_RECEIVE,
	       TW_RESPONSE, TW_TOTAL } },
	{ 6, { TW_INTERVAL, TW_WAKEUP, TW_NETWORK, TW_SLEEP, TW_RESPONSE,
	       TW_TOTAL } },
};

/* With two clocks, network takes the place of send and receive. */
const struct tw_metric_list tw_default_metrics[TW_CLOCKINGS] = {
	{ 7, { TW_INTERVAL, TW_SEND, TW_SLEEP, TW_RECEIVE, TW_RESPONSE,
	       TW_TOTAL, TW_WAKEUP } },
	{ 6, { TW_INTERVAL, TW_NETWORK, TW_SLEEP, TW_RESPONSE, TW_TOTAL,
	       TW_WAKEUP } },
};

const char *tw_metric_lacks(enum tw_metric_id id,
			    const struct tw_metric_params *params)
{
	if (tw_metrics[id].needs_timer && params->period_ns <= 0)
		return "with --interval=0 there is no timer, so there is no such metric";
	if (tw_metrics[id].across && params->two_clocks && !params->oneway)
		return "client and server have clocks of their own, so there is no such metric; network is both ways together";
	return NULL;
}

const char *tw_metric_unfit(enum tw_metric_id id,
			    const struct tw_metric_params *params)
{
	const char *lacks = tw_metric_lacks(id, params);

	if (!lacks && tw_metrics[id].across && params->two_clocks &&
	    params->oneway == TW_ONEWAY_BOUND)
		return "with --oneway=bound it is an estimate that may be wrong by half the time of the network, so nothing is to be decided by it; take network, which is both ways together";
	return lacks;
}
