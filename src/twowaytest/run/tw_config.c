// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rt-utils.h"
#include "base/tw_clock.h"
#include "frame/tw_part.h"
#include "frame/tw_run.h"
#include "measure/tw_wire.h"
#include "run/tw_config.h"

static struct tw_config set;
const struct tw_config *const tw_config = &set;
static const struct tw_config initial = {
	.interval_us = 1000,
	.sleep_us = 100,
	.size = TW_REQUEST_MIN,
	.pairs = { .count = 1 },
	.warmup = 2,
	.clock = "monotonic",
	.timer = &tw_timer_nanosleep,
	.wait = &tw_wait_poll,
	.policy = SCHED_OTHER,
};

int tw_option_metric(const struct tw_option *option, const char *value,
		     struct tw_run *run)
{
	const char *tokens[TW_METRICS + 1] = { NULL };
	int i, found;

	if (!strcmp(value, "latency"))
		return tw_option_error(option, value, run,
				       "there is no metric of this name; what cyclictest calls latency is wakeup here");
	for (i = 0; i < TW_METRICS; i++)
		tokens[i] = tw_metrics[i].token;
	found = tw_option_find(option, value, run, tokens);
	if (found < 0)
		return found;
	*(enum tw_metric_id *)option->to = found;
	return 0;
}

static int parse_posix(const struct tw_option *option, const char *value,
		       struct tw_run *run)
{
	(void)option;
	(void)value;
	return tw_option_set(run, "timer", "posix");
}

static int parse_metrics(const struct tw_option *option, const char *value,
			 struct tw_run *run)
{
	struct tw_option entry = *option;
	const char *rest = value;
	enum tw_metric_id id;
	char word[64];
	int i;

	entry.to = &id;
	set.metric_count = 0;
	while ((rest = tw_option_next_word(rest, word, sizeof(word)))) {
		if (tw_option_metric(&entry, word, run))
			return -EINVAL;
		for (i = 0; i < set.metric_count; i++)
			if (set.metrics[i] == id)
				return tw_option_error(option, value, run,
						       "%s stands there twice",
						       word);
		set.metrics[set.metric_count++] = id;
	}
	if (!set.metric_count)
		return tw_option_error(option, value, run,
				       "at least one metric is needed");
	return 0;
}

/* One for each pair. */
static int parse_interval(const struct tw_option *option, const char *value,
			  struct tw_run *run)
{
	struct tw_option entry = *option;
	const char *all = value, *comma;
	char word[32];

	set.interval_count = 0;
	if (!strchr(value, ','))
		return tw_option_number(option, value, run);
	do {
		if (set.interval_count == TW_PAIRS_MAX)
			return tw_option_error(option, value, run,
					       "allowed are up to %d values",
					       TW_PAIRS_MAX);
		comma = strchrnul(value, ',');
		snprintf(word, sizeof(word), "%.*s", (int)(comma - value),
			 value);
		entry.to = &set.interval_list[set.interval_count++];
		if (comma - value >= (ptrdiff_t)sizeof(word) ||
		    tw_option_number(&entry, word, run)) {
			run->err = 0;
			return tw_option_error(option, all, run, "allowed is a whole number from 0 to %lld, or a list of them, one for each pair",
					       (long long)option->max);
		}
		value = comma + 1;
	} while (*comma);
	set.interval_us = set.interval_list[0];
	return 0;
}

static int parse_affinity(const struct tw_option *option, const char *value,
			  struct tw_run *run)
{
	int err = value ? tw_option_cpus(option, value, run) : 0;

	if (!err)
		set.affinity = value ? TW_SET : TW_PLAN;
	return err;
}

static const char *const total_names[] = { "documented", "trltp3", NULL };

static const struct tw_option options[] = {
	{ 'a', "affinity", TW_OPTIONAL_ARGUMENT, "CPUSET", parse_affinity,
	  &set.affinity_set,
	  .takes_word = tw_option_begins_cpus,
	  .help = "pin parent process, server and client to the CPUs\n"
		  "of the placement plan; with CPUSET, server and\n"
		  "client to its CPUs in turn" },
	{ 'c', "clock", TW_ARGUMENT, "NAME", tw_option_clock,
	  &set.clock,
	  .kinds = tw_clock_kinds, .lists_kinds = true,
	  .help = "take timestamps from: monotonic (or 0; default),\n"
		  "realtime (or 1)" },
	{ 0, "client-affinity", TW_ARGUMENT, "CPUSET", tw_option_cpus,
	  &set.role_set[TW_CLIENT],
	  .help = "run the client on CPUSET" },
	{ 'D', "duration", TW_ARGUMENT, "TIME", tw_option_duration,
	  &set.duration_s,
	  .max = 100 * 365 * 86400LL,
	  .help = "measure for TIME seconds, or with m, h, d appended\n"
		  "minutes, hours, days; 0 (default): until stopped" },
	{ 0, "force", TW_NO_ARGUMENT, NULL, tw_option_flag,
	  &set.force,
	  .help = "do not refuse settings that may leave the parent\n"
		  "process or the rest of the system no CPU time" },
	{ 'i', "interval", TW_ARGUMENT, "US", parse_interval,
	  &set.interval_us,
	  .max = 1000000000,
	  .help = "period of the requests in microseconds, default\n"
		  "1000; 0: the next request follows at once; with a\n"
		  "list, the k-th value is for the k-th pair" },
	{ 'l', "loops", TW_ARGUMENT, "N", tw_option_number,
	  &set.loops,
	  .max = 1000000000000LL,
	  .help = "measure N cycles; 0 (default): until stopped" },
	{ 0, "mainaffinity", TW_ARGUMENT, "CPUSET", tw_option_cpus,
	  &set.role_set[TW_MAIN],
	  .help = "run the parent process on CPUSET" },
	{ 0, "metrics", TW_ARGUMENT, "LIST", parse_metrics, NULL,
	  .help = "print these, in this order: interval, send, sleep,\n"
		  "receive, response, total, wakeup, planned, network;\n"
		  "default: all but planned and network" },
	{ 'm', "mlockall", TW_NO_ARGUMENT, NULL, tw_option_flag,
	  &set.mlockall,
	  .help = "lock this test's memory, so that none is paged out" },
	{ 0, "policy", TW_ARGUMENT, "NAME", tw_option_policy,
	  &set.policy,
	  .help = "scheduling policy: other, normal, batch, idle,\n"
		  "fifo, rr; default fifo with -p, else other" },
	{ 0, "port", TW_ARGUMENT, "N", tw_option_number, &set.port,
	  .max = 65535,
	  .help = "TCP or UDP port of the server; 0 (default): any" },
	{ 'p', "priority", TW_ARGUMENT, "PRIO", tw_option_number,
	  &set.priority,
	  .min = TW_PRIORITY_MIN, .max = 99,
	  .more = ", as server and parent process run one and two below",
	  .help = "real-time priority of the client; the server's is\n"
		  "one less, that of the parent process two less" },
	{ 0, "server-affinity", TW_ARGUMENT, "CPUSET", tw_option_cpus,
	  &set.role_set[TW_SERVER],
	  .help = "run the server on CPUSET" },
	{ 0, "size", TW_ARGUMENT, "BYTES", tw_option_number,
	  &set.size,
	  .min = TW_REQUEST_MIN, .max = TW_REQUEST_MAX,
	  .help = "size of a request, default 8" },
	{ 0, "sleep", TW_ARGUMENT, "US", tw_option_number,
	  &set.sleep_us,
	  .max = 10000000,
	  .help = "the server's sleep in microseconds, default 100;\n"
		  "0: no call" },
	{ 0, "timer", TW_ARGUMENT, "KIND", tw_option_kind, &set.timer,
	  .kinds = tw_timer_kinds, .lists_kinds = true,
	  .help = "what wakes the client: nanosleep (default)" },
	{ 0, "total", TW_ARGUMENT, "NAME", tw_option_word, &set.total,
	  .kinds = total_names,
	  .help = "formula of total: documented (default), trltp3" },
	{ 0, "wait", TW_ARGUMENT, "KIND", tw_option_kind, &set.wait,
	  .kinds = tw_wait_kinds, .lists_kinds = true,
	  .help = "how the server waits: poll (default)" },
	{ 0, "warmup", TW_ARGUMENT, "N", tw_option_number,
	  &set.warmup,
	  .max = 1000000,
	  .help = "cycles run before the measured ones, default 2" },
	{ 'x', "posix_timers", TW_NO_ARGUMENT, NULL, parse_posix,
	  &set.timer,
	  .help = "the same as --timer=posix" },
	{ .name = NULL }
};

void tw_config_pair(const struct tw_pairing *pairs)
{
	set.pairs = *pairs;
}

void tw_config_serve(const struct tw_serving *serving)
{
	set.serving = *serving;
}

void tw_config_ramp_pairs(bool wanted)
{
	set.ramp_of_pairs = wanted;
}

void tw_config_dump(const struct tw_dumped *dumped)
{
	set.dumped = dumped;
}

void tw_config_two_clocks(void)
{
	set.two_clocks = true;
}

void tw_config_oneway(enum tw_oneway_mode mode)
{
	set.oneway = mode;
}

void tw_config_raise_main(void)
{
	set.main_highest = true;
}

static int check(struct tw_run *run)
{
	set.allowed = run->allowed;
	set.reachable = run->reachable;
	return tw_config_check(&set, run);
}

const struct tw_part tw_part_config = {
	.name = "config", .options = options, TW_SETTINGS(set, initial),
	.check = check,
};
