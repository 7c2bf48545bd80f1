// SPDX-License-Identifier: GPL-2.0-or-later
/* One server for many clients: in what order, and at what priority. */
#include <errno.h>

#include "base/tw_json.h"
#include "frame/tw_run.h"
#include "measure/tw_servers.h"
#include "run/tw_config.h"
#include "run/tw_session.h"

static struct {
	int one;
	const struct tw_order_ops *order;
	int64_t priority;
} set;
static const __typeof__(set) initial;

static const char *const servers_names[] = { "each", "one", NULL };

static const struct tw_option options[] = {
	{ 0, "order", TW_ARGUMENT, "KIND", tw_option_kind, &set.order,
	  .kinds = tw_order_kinds, .lists_kinds = true,
	  .help = "with --servers=one, the client that is served\n"
		  "next: priority (default)" },
	{ 0, "server-priority", TW_ARGUMENT, "PRIO", tw_option_number,
	  &set.priority, .min = 2, .max = 99,
	  .help = "with --servers=one, the server's real-time\n"
		  "priority; default one less than the first client's" },
	{ 0, "servers", TW_ARGUMENT, "NAME", tw_option_word, &set.one,
	  .kinds = servers_names,
	  .help = "servers for the clients: each (default), one; with\n"
		  "one, a single server serves all" },
	{ .name = NULL }
};

/* Called by the server process. */
static int serve(struct tw_pair *pair, void *request)
{
	static struct tw_served served[TW_PAIRS_MAX];
	struct tw_servers servers = {
		.served = served,
		.count = (int)pair->served_count,
		.size = pair->task.size,
		.request = request,
		.clock = &pair->task.clock,
		.order = set.order,
		.sleep_ns = pair->task.sleep_ns,
		.warmup = pair->task.warmup,
		.stop = &pair->stop,
		.steady = tw_side_server_steady,
	};
	unsigned int k;

	for (k = 0; k < pair->served_count; k++)
		served[k] = (struct tw_served) {
			.fd = pair->served[k]->task.link.server_fd,
			.inversions = &pair->served[k]->inversions,
			.sink = pair->served[k],
		};
	return tw_servers_run(&servers);
}

static int check(struct tw_run *run)
{
	const struct tw_serving serving = {
		.one = set.one, .priority = set.priority, .serve = serve,
	};

	if (!set.one && set.order)
		return tw_fail(run, -EINVAL, "--order=%s: each client has its own server; give --servers=one too",
			       set.order->name);
	if (!set.one && set.priority)
		return tw_fail(run, -EINVAL, "--server-priority=%d: each server has one less than its client; give --servers=one too",
			       (int)set.priority);
	if (set.one && tw_option_given(run, "wait"))
		return tw_fail(run, -EINVAL, "--wait: with --servers=one, --order decides how the server waits; leave it out");
	if (set.one && tw_option_given(run, "peer"))
		return tw_fail(run, -EINVAL, "--peer: with --servers=one there is one server only; give --server-affinity");
	if (!set.order)
		set.order = tw_order_kinds[0];
	tw_config_serve(&serving);
	return 0;
}

/* Of all pairs: how often a client had to wait for one with a higher number. */
static void remarks(FILE *file, const struct tw_run *run)
{
	const struct tw_session *session = tw_session(run);
	const struct tw_pair *pair;
	unsigned int k;

	if (!session->config->serving.one)
		return;
	fprintf(file, "# Inversions:");
	for (k = 0; (pair = tw_session_pair(session, k)); k++)
		fprintf(file, " %llu",
			(unsigned long long)pair->tally->inversions);
	fprintf(file, "\n");
}

static void json_settings(struct tw_json *json, const struct tw_run *run)
{
	const struct tw_config *config = tw_session(run)->config;

	tw_json_text(json, "servers", servers_names[set.one]);
	tw_json_text(json, "order", set.one ? set.order->name : NULL);
	tw_json_int(json, "server_priority",
		    tw_config_priority(config, TW_SERVER, 0));
}

const struct tw_part tw_part_servers = {
	.name = "servers", .options = options, TW_SETTINGS(set, initial),
	.check = check, .remarks = remarks, .json_settings = json_settings,
};
