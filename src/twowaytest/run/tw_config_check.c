// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sets what follows from other options; refuses options that contradict each
 * other.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "rt-utils.h"
#include "base/tw_system.h"
#include "base/tw_time.h"
#include "frame/tw_run.h"
#include "run/tw_config.h"

#define STARVING_US	1000	/* no CPU takes as long for a cycle */

bool tw_config_is_realtime(int policy)
{
	return policy == SCHED_FIFO || policy == SCHED_RR;
}

static int check_policy(struct tw_config *config, struct tw_run *run)
{
	if (config->priority && !tw_option_given(run, "policy"))
		config->policy = SCHED_FIFO;
	if (config->priority && !tw_config_is_realtime(config->policy))
		return tw_fail(run, -EINVAL, "--policy=%s: has no priorities, so it contradicts --priority=%d; only fifo and rr have them",
				 tw_system_policy_name(config->policy),
				 (int)config->priority);
	/* As cyclictest; the lowest that allows two lower ones. */
	if (tw_config_is_realtime(config->policy) && !config->priority)
		config->priority = TW_PRIORITY_MIN;
	return 0;
}

static int check_closed_loop(struct tw_config *config, struct tw_run *run)
{
	if (config->interval_us)
		return 0;
	if ((tw_option_given(run, "timer") ||
	    tw_option_given(run, "posix_timers")))
		return tw_fail(run, -EINVAL, "--interval=0: a closed loop has no timer; leave out --timer and -x");
	if (config->total)
		return tw_fail(run, -EINVAL, "--interval=0: --total=trltp3 needs a rate, and a closed loop has none");
	return 0;
}

/* Of --metrics; and what compares clocks, but is not a metric. */
static int check_metrics(struct tw_config *config, struct tw_run *run)
{
	const char *lacks;
	int i;

	for (i = 0; i < config->metric_count; i++) {
		lacks = tw_config_lacks(config, config->metrics[i]);
		if (lacks)
			return tw_fail(run, -EINVAL, "--metrics=%s: %s",
				       tw_metrics[config->metrics[i]].token,
				       lacks);
	}
	if (!config->two_clocks)
		return 0;
	if (tw_option_given(run, "trltp") || tw_option_given(run, "trltp-log"))
		return tw_fail(run, -EINVAL, "--%s: client and server have clocks of their own, and the reference program has one for both; leave it out",
			       tw_option_given(run, "trltp") ? "trltp" :
							       "trltp-log");
	if (config->total)
		return tw_fail(run, -EINVAL, "--total=trltp3: client and server have clocks of their own, and this formula compares them; allowed is documented");
	return 0;
}

/* An interval of a list that cannot be; 0: all can. */
static int check_list(struct tw_config *config, struct tw_run *run)
{
	int64_t us;
	int k;

	if (config->interval_count > 1 && tw_option_given(run, "distance"))
		return tw_fail(run, -EINVAL, "--distance=%lld: contradicts a list of intervals, which has the period of each pair",
			       (long long)config->pairs.distance_us);
	if (config->interval_count > config->pairs.count)
		return tw_fail(run, -EINVAL, "--interval: has %d values for %d pair%s; allowed is one for each pair, and the last is also that of the pairs after it%s",
			       config->interval_count, (int)config->pairs.count,
			       config->pairs.count == 1 ? "" : "s",
			       config->pairs.smp ? "" : "; see --threads");
	for (k = 1; k < config->interval_count; k++) {
		us = config->interval_list[k];
		if (!us != !config->interval_us)
			return tw_fail(run, -EINVAL, "--interval: a closed loop, 0, and a period, %lld, exclude each other; all pairs have the one or the other",
				       (long long)(us ? us :
						   config->interval_us));
		if (us && us <= config->sleep_us)
			return tw_fail(run, -EINVAL, "--interval: %lld is too short for %s--sleep=%lld; allowed is more than the sleep",
				       (long long)us,
				       tw_option_given(run, "sleep") ? "" :
				       "the default ",
				       (long long)config->sleep_us);
	}
	return 0;
}

static int check_timing(struct tw_config *config, struct tw_run *run)
{
	if (!config->interval_us && config->pairs.distance_us &&
	    tw_option_given(run, "distance"))
		return tw_fail(run, -EINVAL, "--distance=%lld: with --interval=0 there is no period that it could be added to",
			       (long long)config->pairs.distance_us);
	if (config->pairs.aligned && !config->interval_us)
		return tw_fail(run, -EINVAL, "--aligned: with --interval=0 there is no timer, so there is no expiry to share");
	if (!config->interval_us || config->interval_us > config->sleep_us)
		return check_list(config, run);
	if (!tw_option_given(run, "interval"))
		return tw_fail(run, -EINVAL, "--sleep=%lld: too long for the default --interval=%lld; give an interval that is longer than the sleep, or 0 for a closed loop",
			       (long long)config->sleep_us,
			       (long long)config->interval_us);
	return tw_fail(run, -EINVAL, "--interval=%lld: too short for %s--sleep=%lld; allowed is more than the sleep, or 0 for a closed loop; or give --sleep=%lld",
		       (long long)config->interval_us,
		       tw_option_given(run, "sleep") ? "" : "the default ",
		       (long long)config->sleep_us,
		       (long long)config->interval_us / 5);
}

/* Below the sides is main; check_priority() of the load keeps that lower. */
static int check_spread(struct tw_config *config, struct tw_run *run)
{
	int pairs = (int)config->pairs.count;
	bool one = config->serving.one;
	int most = one ? (int)config->priority - 2 :
			 ((int)config->priority - 1) / 2;

	if (!config->priority && (config->serving.priority ||
				  (config->pairs.priospread && pairs > 1)))
		return tw_fail(run, -EINVAL, "--%s: client and server have no real-time priority; give --priority too",
			       config->serving.priority ? "server-priority" :
							  "priospread");
	if (!config->pairs.priospread || pairs <= most || pairs == 1)
		return 0;
	return tw_fail(run, -EINVAL, "--priospread: %d pairs need %d priorities, and --priority=%d leaves %d; allowed are up to %d pair%s, or give a higher --priority",
		       pairs, one ? pairs + 2 : 2 * pairs + 1,
		       (int)config->priority, (int)config->priority, most,
		       most == 1 ? "" : "s");
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

static int refuse_starving(const struct tw_config *config, struct tw_run *run,
			   const char *option, const char *sides,
			   const cpu_set_t *cpus)
{
	int spare = spare_cpu(config, cpus);
	char list[64], other[40] = "";

	if (spare >= 0)
		snprintf(other, sizeof(other), "--mainaffinity=%d, ", spare);
	return tw_fail(run, -EINVAL, "%s: at a real-time priority %s the parent process no time on CPU %s, %s that it may use, so neither --duration nor a signal could end the test; give %s--loops, or --force",
			 option, sides,
			 tw_cpus_format(cpus, list, sizeof(list)),
			 CPU_COUNT(cpus) == 1 ? "the only one" : "all",
			 other);
}

/*
 * Sides that never give their CPUs up, at a priority above main's, which could
 * run nowhere else. Their loops end by themselves; nothing else would end them.
 */
static int check_starving(struct tw_config *config, struct tw_run *run)
{
	bool busy = config->wait->spins && !config->serving.one;
	cpu_set_t main_cpus, spun, server, client;
	unsigned int k, endless = 0;
	int64_t interval_us = 0;
	char option[64];

	if (!tw_config_is_realtime(config->policy) || config->loops ||
	    config->force || config->two_clocks ||
	    tw_config_priority(config, TW_MAIN, 0) > config->priority)
		return 0;
	CPU_ZERO(&spun);
	for (k = 0; k < config->pairs.count; k++) {
		interval_us = tw_config_interval_us(config, k);
		tw_config_cpus(config, TW_SERVER, k, &server);
		tw_config_cpus(config, TW_CLIENT, k, &client);
		/* If the period is shorter than a cycle, nothing sleeps. */
		if (!busy && (interval_us >= STARVING_US || config->sleep_us))
			continue;
		/* Without a spinning server, one of them always waits. */
		if (!busy)
			CPU_AND(&server, &server, &client);
		CPU_OR(&spun, &spun, &server);
		endless++;
	}
	tw_config_cpus(config, TW_MAIN, 0, &main_cpus);
	CPU_AND(&server, &spun, &main_cpus);
	if (!CPU_EQUAL(&server, &main_cpus) ||
	    endless < (unsigned int)CPU_COUNT(&main_cpus))
		return 0;
	if (busy)
		return refuse_starving(config, run, "--wait=busy",
				       endless > 1 ? "the servers leave" :
				       "the server leaves", &main_cpus);
	snprintf(option, sizeof(option), "--interval=%lld with --sleep=0",
		 (long long)interval_us);
	return refuse_starving(config, run, option,
			       "client and server may leave", &main_cpus);
}

/* A server that spins shares its CPU with no other server. */
static int check_spinning(struct tw_config *config, struct tw_run *run)
{
	cpu_set_t taken, cpus, both;
	unsigned int k;

	/* On another host, that is for its operator to allow. */
	if (!config->wait->spins || config->force || config->two_clocks ||
	    !tw_config_is_realtime(config->policy))
		return 0;
	CPU_ZERO(&taken);
	for (k = 0; k < config->pairs.count; k++) {
		tw_config_cpus(config, TW_SERVER, k, &cpus);
		CPU_AND(&both, &taken, &cpus);
		if (CPU_COUNT(&cpus) > 1 ? (int)k >= CPU_COUNT(&cpus) :
					   CPU_COUNT(&both))
			return tw_fail(run, -EINVAL, "--wait=busy: %d servers that never sleep need a CPU each, and there is none for server %u; allowed are up to %u pair%s here, or another --wait",
				       (int)config->pairs.count, k, k,
				       k == 1 ? "" : "s");
		if (CPU_COUNT(&cpus) == 1)
			CPU_OR(&taken, &taken, &cpus);
	}
	return 0;
}

/* -D or -l, whichever ends a step first; without both there is no end. */
static double longest_step_s(const struct tw_config *config)
{
	int64_t cycle_us = config->interval_us ? config->interval_us :
						 config->sleep_us;
	double loops_s = (double)config->loops * (double)cycle_us / 1e6;
	double step_s = config->duration_s ? (double)config->duration_s :
					     1e300;

	return config->loops && loops_s < step_s ? loops_s : step_s;
}

static void take_metrics(struct tw_config *config,
			 const struct tw_metric_list *list)
{
	int i;

	for (i = 0; i < list->count; i++)
		if (!tw_config_lacks(config, list->id[i]))
			config->metrics[config->metric_count++] = list->id[i];
}

static void complete_measurement(struct tw_config *config)
{
	static const struct tw_metric_list one_way = {
		2, { TW_SEND, TW_RECEIVE }
	};

	if (!config->interval_us)
		config->timer = &tw_timer_none;
	if (config->metric_count)
		return;
	take_metrics(config, &tw_default_metrics[config->two_clocks]);
	if (config->oneway)
		take_metrics(config, &one_way);
}

int tw_config_check(struct tw_config *config, struct tw_run *run)
{
	static int (*const checks[])(struct tw_config *config, struct tw_run *run) = {
		check_policy, check_closed_loop, check_metrics, check_timing,
		check_spread, check_spinning, check_starving,
	};
	int err = 0;
	size_t i;

	for (i = 0; !err && i < ARRAY_SIZE(checks); i++)
		err = checks[i](config, run);
	if (!err)
		complete_measurement(config);
	run->step_s = longest_step_s(config);
	return err;
}
