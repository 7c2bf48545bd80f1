// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sets what follows from other options; refuses options that contradict each
 * other.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "rt-utils.h"
#include "tw_config.h"
#include "tw_system.h"
#include "tw_tally.h"
#include "tw_time.h"

#define STARVING_US	1000	/* no CPU takes as long for a cycle */

#define REFERENCE_MAIN	99	/* the highest, as in the reference program */

struct tw_metric_params tw_config_metric_params(const struct tw_config *config)
{
	struct tw_metric_params params = {
		.period_ns = config->interval_us * TW_NS_PER_US,
		.sleep_ns = config->sleep_us * TW_NS_PER_US,
		.total_trltp3 = config->total_trltp3,
	};

	return params;
}

bool tw_config_cpus(const struct tw_config *config, enum tw_role role,
		    unsigned int pair, cpu_set_t *cpus)
{
	bool side = role == TW_SERVER || role == TW_CLIENT;

	if (config->role_given[role]) {
		*cpus = config->role_set[role];
		return true;
	}
	if (config->affinity == TW_SET && side) {
		tw_place_in_set(&config->affinity_set, role, pair, cpus);
		return true;
	}
	*cpus = config->allowed;
	if (config->affinity != TW_PLAN)
		return false;
	tw_place_plan(&config->allowed, role, cpus);
	return true;
}

int tw_config_priority(const struct tw_config *config, enum tw_role role)
{
	if (role == TW_LOAD)
		return (int)config->load_priority;
	if (role == TW_MAIN && config->reference && config->priority)
		return REFERENCE_MAIN;
	return tw_place_priority(role, (int)config->priority);
}

bool tw_config_is_realtime(int policy)
{
	return policy == SCHED_FIFO || policy == SCHED_RR;
}

int tw_refuse(char *error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(error, TW_ERROR_MAX, format, args);
	va_end(args);
	return -EINVAL;
}

static int check_policy(struct tw_config *config, char *error)
{
	if (config->priority && !config->policy_given)
		config->policy = SCHED_FIFO;
	if (config->priority && !tw_config_is_realtime(config->policy))
		return tw_refuse(error, "--policy=%s: has no priorities, so it contradicts --priority=%d; only fifo and rr have them",
				 tw_system_policy_name(config->policy),
				 (int)config->priority);
	/* As cyclictest: the lowest that leaves room for the others. */
	if (tw_config_is_realtime(config->policy) && !config->priority)
		config->priority = TW_PRIORITY_MIN;
	return 0;
}

static int check_closed_loop(struct tw_config *config, char *error)
{
	const struct tw_metric *metric;
	int i;

	if (config->interval_us)
		return 0;
	if (config->timer_given)
		return tw_refuse(error, "--interval=0: a closed loop has no timer; leave out --timer and -x");
	if (config->total_trltp3)
		return tw_refuse(error, "--interval=0: --total=trltp3 needs a rate, and a closed loop has none");
	for (i = 0; i < config->metric_count; i++) {
		metric = &tw_metrics[config->metrics[i]];
		if (metric->needs_timer)
			return tw_refuse(error, "--interval=0: a closed loop has no timer, so there is no metric %s; leave it out of --metrics",
					 metric->token);
	}
	return 0;
}

static int check_timing(struct tw_config *config, char *error)
{
	if (config->interval_us && config->interval_us <= config->sleep_us)
		return tw_refuse(error, "--interval=%lld: too short for --sleep=%lld; allowed is more than the sleep, or 0 for a closed loop; or give --sleep=%lld",
				 (long long)config->interval_us,
				 (long long)config->sleep_us,
				 (long long)config->interval_us / 5);
	return 0;
}

/* Only JSON may go to stdout. */
static int check_files(const struct tw_config *config, char *error)
{
	const struct {
		const char *option, *path;
	} files[] = {
		{ "histfile", config->histfile },
		{ "dump", config->dump },
		{ "trltp-log", config->trltp_log },
		{ "trace-file", config->trace_file },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(files); i++)
		if (files[i].path && !strcmp(files[i].path, "-"))
			return tw_refuse(error, "--%s=-: only --json can go to standard output; name a file",
					 files[i].option);
	return 0;
}

static int check_output(struct tw_config *config, char *error)
{
	if (config->histfile && !config->histogram_us)
		return tw_refuse(error, "--histfile=%s: there is no histogram to write; give -h or -H too",
				 config->histfile);
	if (config->latency_us && config->default_system)
		return tw_refuse(error, "--latency=%lld: contradicts --default-system; give one of them",
				 (long long)config->latency_us);
	return check_files(config, error);
}

static int check_memory(struct tw_config *config, char *error)
{
	uint64_t free = tw_system_available_memory();
	/* One a step, and one for all of them together. */
	uint64_t tallies = config->steps > 1 ? config->steps + 1 : 1;
	uint64_t spikes = tallies * config->spike_nodes *
			  sizeof(struct tw_kept);
	uint64_t needed = tallies * tw_tally_size(config->histogram_us);

	if (spikes > free)
		return tw_refuse(error, "--spike-nodes=%lld: needs %llu MiB of memory, and %llu MiB are free; give fewer nodes or steps",
				 (long long)config->spike_nodes,
				 (unsigned long long)spikes >> 20,
				 (unsigned long long)free >> 20);
	if (needed > free && !config->histogram_us)
		return tw_refuse(error, "--steps=%lld: needs %llu MiB of memory, and %llu MiB are free; give fewer steps",
				 (long long)config->steps,
				 (unsigned long long)needed >> 20,
				 (unsigned long long)free >> 20);
	if (needed > free)
		return tw_refuse(error, "--histogram=%lld: needs %llu MiB of memory, and %llu MiB are free; give fewer microseconds or steps",
				 (long long)config->histogram_us,
				 (unsigned long long)needed >> 20,
				 (unsigned long long)free >> 20);
	return 0;
}

/* A CPU that main could have for itself; -1: this machine has none. */
static int spare_cpu(const struct tw_config *config, const cpu_set_t *taken)
{
	int cpu;

	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &config->reachable) &&
		    !CPU_ISSET(cpu, taken))
			return cpu;
	return -1;
}

static int refuse_starving(const struct tw_config *config, char *error,
			   const char *option, const char *sides,
			   const cpu_set_t *cpus)
{
	int spare = spare_cpu(config, cpus);
	char list[64], other[40] = "";

	if (spare >= 0)
		snprintf(other, sizeof(other), "--mainaffinity=%d, ", spare);
	return tw_refuse(error, "%s: at a real-time priority %s the parent process no time on CPU %s, the only one that it may use, so neither --duration nor a signal could end the test; give %s--loops, or --force",
			 option, sides,
			 tw_place_format(cpus, list, sizeof(list)), other);
}

/*
 * A side that never gives its CPU up, at a priority above main's, which could
 * run nowhere else. Its loops end by themselves; nothing else would end it.
 */
static int check_starving(struct tw_config *config, char *error)
{
	/* A period that is shorter than a cycle is as good as none. */
	bool closed = config->interval_us < STARVING_US && !config->sleep_us;
	bool busy = config->wait == tw_wait_busy;
	cpu_set_t main_cpus, server, client;
	char option[64];

	if (!tw_config_is_realtime(config->policy) || config->loops ||
	    config->force ||
	    tw_config_priority(config, TW_MAIN) > config->priority)
		return 0;
	tw_config_cpus(config, TW_MAIN, 0, &main_cpus);
	tw_config_cpus(config, TW_SERVER, 0, &server);
	tw_config_cpus(config, TW_CLIENT, 0, &client);
	if (CPU_COUNT(&main_cpus) != 1 || !CPU_EQUAL(&main_cpus, &server))
		return 0;
	if (busy)
		return refuse_starving(config, error, "--wait=busy",
				       "the server leaves", &main_cpus);
	snprintf(option, sizeof(option), "--interval=%lld with --sleep=0",
		 (long long)config->interval_us);
	if (closed && CPU_EQUAL(&main_cpus, &client))
		return refuse_starving(config, error, option,
				       "client and server may leave",
				       &main_cpus);
	return 0;
}

static void complete_measurement(struct tw_config *config)
{
	int id;

	if (!config->interval_us)
		config->timer = &tw_timer_none;
	if (config->metric_count)
		return;
	for (id = 0; id < TW_METRICS; id++)
		if (id != TW_PLANNED && (config->interval_us ||
					 !tw_metrics[id].needs_timer))
			config->metrics[config->metric_count++] = id;
}

int tw_config_check(struct tw_config *config, char error[TW_ERROR_MAX])
{
	static int (*const checks[])(struct tw_config *config, char *error) = {
		check_policy, check_closed_loop, check_timing,
		tw_config_check_limits, check_output, check_memory,
		check_starving, tw_config_check_load,
	};
	int err = 0;
	size_t i;

	for (i = 0; !err && i < ARRAY_SIZE(checks); i++)
		err = checks[i](config, error);
	if (!err)
		complete_measurement(config);
	return err;
}
