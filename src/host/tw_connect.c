// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --connect: the servers are on another host. Times of two clocks are not
 * compared, so there is no send and no receive, but their sum, network.
 */
#include <stdlib.h>
#include <string.h>

#include "rt-error.h"
#include "rt-utils.h"
#include "tw_load.h"
#include "tw_oneway.h"
#include "tw_part.h"
#include "tw_peer.h"
#include "tw_run.h"

#define APART	"compares the clocks of two hosts; use network, or latency"

static struct tw_peer_way way;
static const char *host, *command;
static bool by_rsh;
static const char *const sides[] = { "client", "server", NULL };
static const char *load_side;	/* NULL: client */

static void parse_host(const struct tw_option *option, char *value)
{
	*(const char **)option->to = value;
}

static void parse_rsh(const struct tw_option *option, char *value)
{
	by_rsh = true;
	*(const char **)option->to = value;
}

static const struct tw_option options[] = {
	{ 0, "connect", required_argument, "HOST[:PORT]", parse_host,
	  &host,
	  .help = "the servers run on HOST, which has twowaytest --server\n"
		  "or its service; with --rsh, nothing needs to run there;\n"
		  "with --reflect, it is any device" },
	{ 0, "load-side", required_argument, "NAME", tw_option_choice,
	  &load_side, .choices = sides,
	  .help = "with --connect, on whose host --load runs: the client's\n"
		  "(the default), or the server's" },
	{ 0, "rsh", optional_argument, "COMMAND", parse_rsh, &command,
	  .help = "with --connect: COMMAND, default ssh HOST, starts the\n"
		  "server's side there" },
	{ .name = NULL }
};

/* What is about a server on this host, or compares t0 with t1. */
static const struct {
	const char *option;
	const char *refused;	/* value; NULL: any */
	const char *why;
} refused[] = {
	{ "transport", "unix", "allowed with --connect is tcp or udp" },
	{ "transport", "vsock", "allowed with --connect is tcp or udp" },
	{ "servers", "one", "not allowed with --connect" },
	{ "peer", NULL, "not allowed with --connect; use --server-affinity" },
	{ "total", "trltp3", APART },
	{ "trltp-log", NULL, "not allowed with --connect: the log has send and receive, which compare the clocks of two hosts" },
};

static void refuse(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(refused); i++) {
		const struct tw_option *row =
			tw_option_find(refused[i].option);
		const char *value = *(const char **)row->to;

		if (value && (!refused[i].refused ||
			      !strcmp(value, refused[i].refused)))
			tw_option_refuse(row, value, refused[i].why);
	}
}

/* Both are 0: over many cycles, a sum of the clocks' difference overflows. */
static int64_t nothing_ns(const struct tw_cycle *cycle,
			  const struct tw_metric_params *params)
{
	return 0;
}

static void drop_metrics(void)
{
	static const enum tw_metric_id reference[] = {
		TW_INTERVAL, TW_SEND, TW_SLEEP, TW_RECEIVE, TW_RESPONSE,
		TW_TOTAL
	}, instead[] = {
		TW_INTERVAL, TW_NETWORK, TW_SLEEP, TW_RESPONSE, TW_TOTAL
	};

	tw_metrics[TW_SEND].lacks = tw_metrics[TW_RECEIVE].lacks = APART;
	tw_metrics[TW_SEND].value_ns = nothing_ns;
	tw_metrics[TW_RECEIVE].value_ns = nothing_ns;
	/* --trltp sets this list. */
	if (tw_config.columns != (int)ARRAY_SIZE(reference) ||
	    memcmp(tw_config.metrics, reference, sizeof(reference)))
		return;
	memcpy(tw_config.metrics, instead, sizeof(instead));
	tw_config.columns = ARRAY_SIZE(instead);
}

/* These CPUs are the other host's: nothing here is to check them. */
static const char *take_cpus(enum tw_role role)
{
	const char *words = tw_place_words[role];

	tw_place_words[role] = NULL;
	return words;
}

static void make_command(void)
{
	char *text;

	if (way.host.port)
		fatal("--connect=%s: allowed with --rsh is HOST or USER@HOST\n",
		      host);
	if (asprintf(&text, "%s%s twowaytest --far", command ? command :
		     "ssh ", command ? "" : way.host.name) < 0)
		fatal("--rsh: no memory\n");
	way.command = text;
}

/* All --load run on the server's host. */
static void send_load(void)
{
	int i;

	if (!tw_load_number(0))
		fatal("--load-side=server: allowed only with --load\n");
	way.ask.load = true;
	way.ask.load_cpus = take_cpus(TW_LOAD);
	for (i = 0; tw_load_number(i); i++)
		tw_load_number(i)->elsewhere = true;
}

static void check(struct tw_run *run)
{
	bool reflects;

	if (!host && (by_rsh || load_side))
		fatal("--%s: allowed only with --connect\n",
		      by_rsh ? "rsh" : "load-side");
	reflects = *(const char **)tw_option_find("reflect")->to;
	if (reflects && (by_rsh || load_side))
		fatal("--%s: not allowed with --reflect\n",
		      by_rsh ? "rsh" : "load-side");
	if (!host || reflects)
		return;
	if (!tw_host_parse(host, &way.host) ||
	    (!by_rsh && strchr(way.host.name, '@')))
		fatal("--connect=%s: allowed is HOST, HOST:PORT or [ADDRESS]:PORT; with --rsh, also USER@HOST\n",
		      host);
	way.text = host;
	if (by_rsh)
		make_command();
	refuse();
	if (!tw_oneway_chosen())
		drop_metrics();
	way.ask.server_cpus = take_cpus(TW_SERVER);
	if (load_side && !strcmp(load_side, "server"))
		send_load();
	tw_config.absent[TW_SERVER] = true;
	tw_peer_way = &way;
	run->start_pair = tw_peer_start_pair;
}

const struct tw_part tw_part_connect = {
	.options = options, .check = check,
};
