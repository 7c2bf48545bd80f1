// SPDX-License-Identifier: GPL-2.0-or-later
/* The results of a session as columns. */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "base/tw_time.h"
#include "run/tw_columns.h"
#include "run/tw_session.h"

/* The CPU that it was pinned to all the time; -1 if there were several. */
static int client_cpu(const struct tw_side *client)
{
	const cpu_set_t *cpus = &client->settings.cpus;
	int cpu;

	if (CPU_COUNT(cpus) != 1 ||
	    (CPU_COUNT(&client->left.cpus) &&
	     !CPU_EQUAL(cpus, &client->left.cpus)))
		return -1;
	for (cpu = 0; !CPU_ISSET(cpu, cpus); cpu++)
		;
	return cpu;
}

/* A metric that compares clocks, of which nothing is proven. */
static bool is_void(const struct tw_tally *tally, enum tw_metric_id id)
{
	return tally->level && tw_metrics[id].across &&
	       tally->level->is_void(tally);
}

/* All but the status. */
static struct tw_column describe(const struct tw_pair *pair,
				 enum tw_metric_id id)
{
	return (struct tw_column) {
		.token = tw_metrics[id].token,
		.label = tw_metrics[id].label,
		.pair = pair->number,
		.pid = (int)pair->side[TW_CLIENT].child.pid,
		.priority = pair->task.priority[TW_CLIENT],
		.cpu = client_cpu(&pair->side[TW_CLIENT]),
		.interval_us = tw_ns_to_us(pair->task.period_ns),
		.missed = pair->tally->missed,
		.throttled = pair->tally->throttled,
		.lost = pair->tally->lost,
		.series = &pair->tally->series,
		.row = id,
		.is_void = is_void(pair->tally, id),
	};
}

struct tw_column tw_pair_column(const struct tw_pair *pair,
				enum tw_metric_id id)
{
	struct tw_column column = describe(pair, id);

	column.status = tw_series_status(column.series, id);
	return column;
}

/* With the status of one moment. */
static void fill_pair(const struct tw_config *config,
		      const struct tw_pair *pair, struct tw_column *column)
{
	struct tw_status status[TW_METRICS];
	int i;

	tw_series_snapshot(&pair->tally->series, status);
	for (i = 0; i < config->metric_count; i++) {
		column[i] = describe(pair, config->metrics[i]);
		column[i].status = status[config->metrics[i]];
		column[i].headline = config->pairs.count == 1;
	}
}

/* Of many pairs, the display has room for one metric each. */
static int headline(const struct tw_config *config)
{
	int i;

	for (i = 0; i < config->metric_count; i++)
		if (config->metrics[i] == TW_TOTAL)
			return i;
	return 0;
}

struct tw_columns tw_pairs_columns(const struct tw_run *run,
				   const struct tw_pairs *pairs)
{
	const struct tw_session *session = tw_session(run);
	const struct tw_config *config = session->config;
	struct tw_column *column = session->column;
	unsigned int k;

	for (k = 0; k < pairs->count; k++) {
		fill_pair(config, pairs->pair[k], column);
		column[headline(config)].headline = true;
		column += config->metric_count;
	}
	return (struct tw_columns) {
		.count = (int)pairs->count * config->metric_count,
		.unit = tw_unit_of(run->show->nsecs),
		.many = config->pairs.count > 1,
		.column = session->column,
	};
}

struct tw_columns tw_session_columns(const struct tw_run *run)
{
	return tw_pairs_columns(run, tw_session(run)->pairs);
}

struct tw_counts tw_pairs_counts(const struct tw_pairs *pairs)
{
	struct tw_counts counts = { .cycles = 0 };
	unsigned int k;

	for (k = 0; k < pairs->count; k++) {
		const struct tw_tally *tally = pairs->pair[k]->tally;

		counts.warmup += tally->warmup;
		counts.warmup_missed += tally->warmup_missed;
		counts.cycles += tally->cycles;
		counts.missed += tally->missed;
		counts.throttled += tally->throttled;
	}
	return counts;
}

int64_t tw_session_seconds_left(const struct tw_session *session)
{
	const struct tw_config *config = session->config;
	uint64_t cycles = tw_session_first(session)->tally->cycles;
	int64_t now_ns = tw_now_ns(CLOCK_MONOTONIC);
	int64_t left_ns = INT64_MAX;

	if (config->loops && config->interval_us)
		left_ns = (config->loops - (int64_t)cycles) *
			  config->interval_us * TW_NS_PER_US;
	if (config->duration_s && session->end_ns - now_ns < left_ns)
		left_ns = session->end_ns - now_ns;
	return left_ns == INT64_MAX ? -1 : left_ns / TW_NS_PER_S;
}

const char *tw_config_policy(const struct tw_run *run)
{
	return tw_system_policy_name(tw_session(run)->config->policy);
}
