// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * To add a metric: an entry in the enum, and a row here. Before TW_TOTAL, it is
 * also printed as a phase.
 */
#include <string.h>

#include "tw_metric.h"

/* Two metrics are more than their spans: see tw_metric_values(). */
const struct tw_metric tw_metrics[TW_SPANS] = {
	[TW_LATENCY] = { "latency", { TW_T0, TW_T3 } },
	[TW_WAKEUP] = { "wakeup", { TW_READY, TW_T0 } },
	[TW_SEND] = { "send", { TW_T0, TW_T1 } },
	[TW_SLEEP] = { "sleep", { TW_T1, TW_T2 } },
	[TW_RECEIVE] = { "receive", { TW_T2, TW_T3 } },
	[TW_RESPONSE] = { "response", { TW_T0, TW_T3 } },
	[TW_INTERVAL] = { "interval", { TW_PREV_T0, TW_T0 } },
	[TW_TOTAL] = { "total", { TW_T0, TW_T3, TW_T2, TW_T1 } },
	[TW_PLANNED] = { "planned", { TW_EXPIRY, TW_T3 } },
	/* Send and receive together: each of both spans is of one side. */
	[TW_NETWORK] = { "network", { TW_T0, TW_T3, TW_T2, TW_T1 } },
	[TW_CLIENT_APP_OUT] = { "client_app_out", { TW_T0, TW_CLIENT_SCHED } },
	[TW_CLIENT_STACK_OUT] = { "client_stack_out", {
		TW_CLIENT_SCHED, TW_CLIENT_SND } },
	[TW_CLIENT_WAKE_IN] = { "client_wake_in", { TW_CLIENT_RX, TW_T3 } },
	[TW_SERVER_APP_OUT] = { "server_app_out", { TW_T2, TW_SERVER_SCHED } },
	[TW_SERVER_STACK_OUT] = { "server_stack_out", {
		TW_SERVER_SCHED, TW_SERVER_SND } },
	[TW_SERVER_WAKE_IN] = { "server_wake_in", { TW_SERVER_RX, TW_T1 } },
	/* In each cycle, network is the sum of these three. */
	[TW_CLIENT_STACK] = { "client_stack", {
		TW_T0, TW_CLIENT_SND, TW_CLIENT_RX, TW_T3 } },
	[TW_WIRE] = { "wire", {
		TW_CLIENT_SND, TW_CLIENT_RX, TW_SERVER_SND, TW_SERVER_RX } },
	[TW_SERVER_STACK] = { "server_stack", {
		TW_SERVER_RX, TW_T1, TW_T2, TW_SERVER_SND } },
	[TW_STAMPED_NETWORK] = { "network", { TW_T0, TW_T3, TW_T2, TW_T1 } },
	/* And client_stack + wire_and_device = response. */
	[TW_WIRE_AND_DEVICE] = { "wire_and_device", {
		TW_CLIENT_SND, TW_CLIENT_RX } },
	[TW_RESPONSE_TO_RX] = { "response_to_rx", { TW_T0, TW_CLIENT_RX } },
	[TW_STAMPED_RESPONSE] = { "response", { TW_T0, TW_T3 } },
};

const char *const tw_metric_time_names[TW_TIMES] = {
	[TW_PREV_T0] = "prev_t0", [TW_EXPIRY] = "planned", [TW_READY] = "ready",
	[TW_T0] = "t0", [TW_T1] = "t1", [TW_T2] = "t2", [TW_T3] = "t3",
	[TW_CLIENT_SCHED] = "client_sched", [TW_CLIENT_SND] = "client_snd",
	[TW_SERVER_RX] = "server_rx", [TW_SERVER_SCHED] = "server_sched",
	[TW_SERVER_SND] = "server_snd", [TW_CLIENT_RX] = "client_rx",
};

const char *tw_metric_stamps = "off";
int tw_metric_count = TW_METRICS;

/* Why a metric means nothing in this run. */
static const char *lacks[TW_SPANS];

/* Metrics whose values are bounded: 0 if they mean nothing. */
static struct {
	enum tw_metric_id id;
	int64_t most_ns;
} bounded[TW_METRICS];
static int bounded_count;

/* With --stamps: which there are, and which rows have values. */
static bool stamped[TW_TIMES], divided[TW_SPANS];

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
const char *tw_metric_deviations = "|sleep - target| + |interval - target|";

/* If one of its stamps is missing, the cycle is in none of them. */
static void divide(int64_t values_ns[TW_SPANS], const int64_t at_ns[])
{
	bool whole = true;
	int i;

	for (i = TW_CLIENT_SCHED; i < TW_TIMES; i++)
		whole &= !stamped[i] || tw_cycle_is_known(at_ns[i]);
	for (i = TW_METRICS; i < TW_SPANS; i++)
		values_ns[i] = !whole || !divided[i] ? TW_NO_VALUE :
			       tw_metric_span(tw_metrics[i].span, at_ns);
}

void tw_metric_values(int64_t values_ns[TW_SPANS],
		      const struct tw_cycle *cycle,
		      const struct tw_metric_params *params)
{
	int i;

	/* The rows are constant, so that each of them is few instructions. */
#pragma GCC unroll 16
	for (i = 0; i < TW_METRICS; i++)
		values_ns[i] = tw_metric_span(tw_metrics[i].span, cycle->at_ns);
	/* By how much the reply came later than from an ideal system. */
	values_ns[TW_LATENCY] -= params->sleep_ns;
	values_ns[TW_TOTAL] += tw_metric_deviations_ns(values_ns, params);
	for (i = 0; i < bounded_count; i++) {
		int64_t *ns = &values_ns[bounded[i].id];
		int64_t most_ns = bounded[i].most_ns;

		*ns = *ns > most_ns ? most_ns : *ns < -most_ns ? -most_ns : *ns;
	}
	if (tw_metric_count > TW_METRICS)
		divide(values_ns, cycle->at_ns);
}

static bool is_rx(enum tw_time time)
{
	return time == TW_SERVER_RX || time == TW_CLIENT_RX;
}

bool tw_metric_uses(enum tw_metric_id id, enum tw_time time)
{
	return memchr(tw_metrics[id].span, time, sizeof(tw_metrics[id].span));
}

static bool is_of_server(enum tw_time time)
{
	return time == TW_T1 || time == TW_T2 ||
	       (time >= TW_SERVER_RX && time <= TW_SERVER_SND);
}

bool tw_metric_is_stamped(enum tw_time time)
{
	const char *which = tw_metric_stamps;

	return time > TW_T3 &&
	       (tw_metric_has_server() || !is_of_server(time)) &&
	       (!strcmp(which, "all") || (!strcmp(which, "rx") && is_rx(time)));
}

bool tw_metric_needs_server(enum tw_metric_id id)
{
	const uint8_t *span = tw_metrics[id].span;

	return is_of_server(span[0]) || is_of_server(span[1]) ||
	       is_of_server(span[2]);
}

bool tw_metric_compares_sides(enum tw_metric_id id)
{
	const uint8_t *span = tw_metrics[id].span;

	return is_of_server(span[0]) != is_of_server(span[1]) ||
	       is_of_server(span[2]) != is_of_server(span[3]);
}

static void bound(bool (*is_one)(enum tw_metric_id id), const char *why,
		  int64_t most_ns)
{
	enum tw_metric_id id;

	bounded_count = 0;
	for (id = 0; id < TW_SPANS; id++) {
		lacks[id] = is_one(id) ? why : NULL;
		if (!is_one(id) || id >= TW_METRICS)
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
void tw_metric_known(int64_t values_ns[TW_SPANS],
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
	int64_t values_ns[TW_SPANS];

	tw_metric_known(values_ns, cycle, params);
	return values_ns[id];
}

const char *tw_metric_word(int i)
{
	return i < TW_METRICS ? tw_metrics[i].name : NULL;
}

const char *tw_metric_any_word(int i)
{
	i += i >= TW_STAMPED_NETWORK;	/* its name is that of another */
	return i < TW_STAMPED_RESPONSE ? tw_metrics[i].name : NULL;
}

enum tw_metric_id tw_metric_find(const char *name)
{
	enum tw_metric_id id = 0;

	while (id < TW_SPANS && strcmp(name, tw_metrics[id].name))
		id++;
	return id;
}

static const char *stamps_lack(enum tw_metric_id id)
{
	enum tw_time time;

	for (time = TW_CLIENT_SCHED; time < TW_TIMES; time++)
		if (tw_metric_uses(id, time) && !tw_metric_is_stamped(time))
			return is_rx(time) ? "needs --stamps=rx or all" :
					     "needs --stamps=all";
	return NULL;
}

void tw_metric_divide(void)
{
	int i;

	for (i = 0; i < TW_TIMES; i++)
		stamped[i] = tw_metric_is_stamped(i);
	for (i = TW_METRICS; i < TW_SPANS; i++)
		divided[i] = !lacks[i] && !stamps_lack(i);
	tw_metric_count = TW_SPANS;
}

const char *tw_metric_lacks(enum tw_metric_id id,
			    const struct tw_metric_params *params)
{
	if (!params->period_ns && (tw_metric_uses(id, TW_EXPIRY) ||
				   tw_metric_uses(id, TW_READY)))
		return "needs a timer, so an --interval above 0";
	return lacks[id] ? lacks[id] : stamps_lack(id);
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
		[TW_SERVER_SCHED] = params->sleep_ns,
		[TW_SERVER_SND] = params->sleep_ns,
		[TW_CLIENT_RX] = params->sleep_ns,
	};

	return tw_metric_span(tw_metrics[id].span, at_ns) -
	       (id == TW_LATENCY ? params->sleep_ns : 0);
}

int64_t tw_metric_target_ns(enum tw_metric_id id,
			    const struct tw_metric_params *params)
{
	return id == TW_SLEEP || id == TW_INTERVAL ?
	       tw_metric_ideal_ns(id, params) : 0;
}
