// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "rt-utils.h"
#include "base/tw_cpus.h"
#include "host/tw_ask.h"
#include "run/tw_config.h"
#include "run/tw_part_stamps.h"
#include "run/tw_part_transport.h"
#include "run/tw_session.h"

/* What belongs to the server's host, or needs both sides on one. */
static const struct {
	const char *option, *why;
} refused[] = {
	{ "address", "--connect says where the server is" },
	{ "port", "the server's host chooses it; --connect=HOST:PORT is where it listens" },
	{ "interface", "packets to another host take the way that its address has; leave it out" },
	{ "server-affinity", "the CPUs of the server are chosen on its host, with the --server-affinity there" },
	{ "peer", "the CPUs of the server are chosen on its host" },
	{ "server-priority", "each client has its own server there" },
};

int tw_ask_check(struct tw_run *run)
{
	const struct tw_transport_ops *ops = tw_transport_wanted();
	size_t i;

	for (i = 0; i < ARRAY_SIZE(refused); i++)
		if (tw_option_given(run, refused[i].option))
			return tw_fail(run, -EINVAL, "--%s: contradicts --connect: %s",
				       refused[i].option, refused[i].why);
	if (!ops->internet)
		return tw_fail(run, -EINVAL, "--transport=%s: does not lead to another host; with --connect, allowed are tcp and udp",
			       ops->name);
	if (tw_config->serving.one)
		return tw_fail(run, -EINVAL, "--servers=one: with --connect, each client has a server of its own; leave it out");
	if (tw_config->pairs.count > TW_FAR_PAIRS)
		return tw_fail(run, -EINVAL, "--threads=%d: with --connect, allowed are up to %d pairs",
			       (int)tw_config->pairs.count, TW_FAR_PAIRS);
	return 0;
}

static void set_text(char text[TW_WORD], const char *name)
{
	snprintf(text, TW_WORD, "%s", name);
}

void tw_ask(const struct tw_run *run, struct tw_asked *asked)
{
	const struct tw_config *config = tw_session(run)->config;
	unsigned int k, pairs = tw_config_pairs_in(config, run->step);

	*asked = (struct tw_asked) {
		.pairs = pairs, .size = config->size,
		.sleep_us = config->sleep_us, .warmup = config->warmup,
		.priority = config->priority,
		.priospread = config->pairs.priospread,
		.lock_memory = config->mlockall,
		.dscp = tw_transport_option(TW_SOCKOPT_DSCP),
		.sock_priority = tw_transport_option(TW_SOCKOPT_PRIORITY),
		.busy_poll_us = tw_transport_option(TW_SOCKOPT_BUSY_POLL),
		.quickack = tw_transport_option(TW_SOCKOPT_QUICKACK) > 0,
	};
	for (k = 0; k < pairs; k++)
		asked->each[k].interval_us = tw_config_interval_us(config, k);
	set_text(asked->policy, tw_system_policy_name(config->policy));
	set_text(asked->wait, config->wait->name);
	set_text(asked->clock, config->clock);
	set_text(asked->transport, tw_transport_wanted()->name);
	set_text(asked->stamps, tw_stamps_name());
}

void tw_args_add(struct tw_args *args, const char *format, ...)
{
	size_t left = sizeof(args->room) - args->used;
	char *text = args->room + args->used;
	va_list list;
	int len;

	va_start(list, format);
	len = vsnprintf(text, left, format, list);
	va_end(list);
	if (len < 0 || (size_t)len >= left || args->count == TW_ARGS_MAX)
		return;
	args->used += (size_t)len + 1;
	args->list[args->count++] = text;
}

void tw_args_own(struct tw_args *own, const struct tw_run *run)
{
	static const struct {
		const char *name;
		enum tw_role role;
	} sets[] = {
		{ "mainaffinity", TW_MAIN }, { "server-affinity", TW_SERVER },
	};
	char list[512];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sets); i++)
		if (tw_option_given(run, sets[i].name))
			tw_args_add(own, "--%s=%s", sets[i].name,
				    tw_cpus_format(
					&tw_config->role_set[sets[i].role],
					list, sizeof(list)));
	if (tw_config->affinity == TW_SET)
		tw_args_add(own, "--affinity=%s",
			    tw_cpus_format(&tw_config->affinity_set, list,
					   sizeof(list)));
	else if (tw_config->affinity == TW_PLAN)
		tw_args_add(own, "--affinity");
	if (tw_config->force)
		tw_args_add(own, "--force");
}

static void add_if(struct tw_args *args, const char *name, int64_t value)
{
	if (value >= 0)
		tw_args_add(args, "--%s=%lld", name, (long long)value);
}

static void add_intervals(struct tw_args *args, const struct tw_asked *asked)
{
	char list[TW_FAR_PAIRS * 12];
	size_t used = 0;
	int k;

	for (k = 0; k < asked->pairs; k++)
		used += (size_t)snprintf(list + used, sizeof(list) - used,
					 "%s%d", k ? "," : "",
					 (int)asked->each[k].interval_us);
	tw_args_add(args, "--interval=%s", list);
}

void tw_args_ask(struct tw_args *args, const struct tw_asked *asked)
{
	tw_args_add(args, "--threads=%d", (int)asked->pairs);
	add_intervals(args, asked);
	add_if(args, "size", asked->size);
	add_if(args, "sleep", asked->sleep_us);
	add_if(args, "warmup", asked->warmup);
	tw_args_add(args, "--policy=%s", asked->policy);
	if (asked->priority)
		add_if(args, "priority", asked->priority);
	if (asked->priospread)
		tw_args_add(args, "--priospread");
	if (asked->lock_memory)
		tw_args_add(args, "--mlockall");
	tw_args_add(args, "--wait=%s", asked->wait);
	tw_args_add(args, "--clock=%s", asked->clock);
	tw_args_add(args, "--transport=%s", asked->transport);
	tw_args_add(args, "--stamps=%s", asked->stamps);
	add_if(args, "dscp", asked->dscp);
	add_if(args, "sock-priority", asked->sock_priority);
	add_if(args, "busy-poll", asked->busy_poll_us);
	if (asked->quickack)
		tw_args_add(args, "--quickack");
}
