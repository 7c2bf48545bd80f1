// SPDX-License-Identifier: GPL-2.0-or-later
/* What the settings say of each pair: period, priorities, CPUs. */
#include <stdio.h>

#include "base/tw_time.h"
#include "run/tw_config.h"

#define REFERENCE_MAIN	99	/* the highest, as in the reference program */
#define MANY_LOOPS	1e15	/* more than any run has */

int64_t tw_config_interval_us(const struct tw_config *config,
			      unsigned int pair)
{
	unsigned int listed = (unsigned int)config->interval_count;

	if (listed > 1)
		return config->interval_list[pair < listed ? pair :
							     listed - 1];
	/* A closed loop stays one. */
	if (!config->interval_us)
		return 0;
	return config->interval_us + pair * config->pairs.distance_us;
}

int64_t tw_config_loops(const struct tw_config *config, unsigned int pair)
{
	int64_t first_us = tw_config_interval_us(config, 0);
	int64_t own_us = tw_config_interval_us(config, pair);
	double loops;

	if (!own_us || !config->loops)
		return config->loops;
	loops = (double)config->loops * (double)first_us / (double)own_us;
	if (loops < 1)
		return 1;
	return loops < MANY_LOOPS ? (int64_t)loops : (int64_t)MANY_LOOPS;
}

const char *tw_config_suffix(const struct tw_config *config, unsigned int pair,
			     char text[TW_SUFFIX])
{
	text[0] = '\0';
	if (config->pairs.count > 1)
		snprintf(text, TW_SUFFIX, ".%u", pair);
	return text;
}

unsigned int tw_config_pairs_in(const struct tw_config *config, int step)
{
	return config->ramp_of_pairs ? (unsigned int)step + 1 :
				       (unsigned int)config->pairs.count;
}

struct tw_metric_params tw_config_metric_params(const struct tw_config *config,
						unsigned int pair)
{
	return (struct tw_metric_params) {
		.period_ns = tw_config_interval_us(config, pair) *
			     TW_NS_PER_US,
		.sleep_ns = config->sleep_us * TW_NS_PER_US,
		.total_trltp3 = config->total,
		.two_clocks = config->two_clocks,
		.oneway = config->oneway,
	};
}

/* Either all pairs are closed loops, or none is. */
const char *tw_config_lacks(const struct tw_config *config,
			    enum tw_metric_id id)
{
	const struct tw_metric_params params =
		tw_config_metric_params(config, 0);

	return tw_metric_lacks(id, &params);
}

const char *tw_config_unfit(const struct tw_config *config,
			    enum tw_metric_id id)
{
	const struct tw_metric_params params =
		tw_config_metric_params(config, 0);

	return tw_metric_unfit(id, &params);
}

/* With one server for all, it is that of the first pair. */
bool tw_config_cpus(const struct tw_config *config, enum tw_role role,
		    unsigned int pair, cpu_set_t *cpus)
{
	bool side = role == TW_SERVER || role == TW_CLIENT;
	bool one = config->serving.one;

	if (one && role == TW_SERVER)
		pair = 0;
	if (CPU_COUNT(&config->role_set[role])) {
		*cpus = config->role_set[role];
		return true;
	}
	if (config->affinity == TW_SET && side) {
		if (one && role == TW_CLIENT)
			tw_place_behind(&config->affinity_set, 0, pair, cpus);
		else
			tw_place_in_set(&config->affinity_set, role, pair,
					cpus);
		return true;
	}
	if (config->pairs.smp && side) {
		tw_place_each(&config->allowed, role, pair, config->pairs.peer,
			      cpus);
		return true;
	}
	*cpus = config->allowed;
	if (config->affinity != TW_PLAN)
		return false;
	if (one && role == TW_CLIENT &&
	    CPU_COUNT(&config->allowed) > TW_PLAN_SERVER + 1)
		tw_place_behind(&config->allowed, TW_PLAN_SERVER, pair, cpus);
	else
		tw_place_plan(&config->allowed, role, pair, cpus);
	return true;
}

bool tw_config_all_cpus(const struct tw_config *config, enum tw_role role,
			cpu_set_t *cpus)
{
	bool pinned = true;
	unsigned int k;
	cpu_set_t own;

	CPU_ZERO(cpus);
	for (k = 0; k < config->pairs.count; k++) {
		pinned &= tw_config_cpus(config, role, k, &own);
		CPU_OR(cpus, cpus, &own);
	}
	return pinned;
}

/*
 * With --priospread, from client to client two less, so that each server has
 * one of its own between; with one server for all it is below the first.
 */
static int client_priority(const struct tw_config *config, unsigned int pair)
{
	int highest = (int)config->priority;

	if (!config->pairs.priospread || !pair)
		return highest;
	return highest - (config->serving.one ? 1 + (int)pair :
						  2 * (int)pair);
}

static int server_priority(const struct tw_config *config, unsigned int pair)
{
	if (!config->serving.one)
		return client_priority(config, pair) - 1;
	return config->serving.priority ? (int)config->serving.priority :
					  (int)config->priority - 1;
}

int tw_config_priority(const struct tw_config *config, enum tw_role role,
		       unsigned int pair)
{
	unsigned int last = (unsigned int)config->pairs.count - 1;
	int client, server;

	if (!config->priority || role == TW_LOAD)
		return 0;
	if (role == TW_CLIENT)
		return client_priority(config, pair);
	if (role == TW_SERVER)
		return server_priority(config, pair);
	if (config->main_highest)
		return REFERENCE_MAIN;
	/* Below all of them. */
	client = client_priority(config, last);
	server = server_priority(config, last);
	return (client < server ? client : server) - 1;
}
