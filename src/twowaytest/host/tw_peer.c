// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/tw_cpus.h"
#include "base/tw_json.h"
#include "check/tw_check.h"
#include "host/tw_limited.h"
#include "host/tw_peer.h"
#include "measure/tw_datagram.h"
#include "result/tw_part_oneway.h"

/* What --check finds on the CPUs of the servers. */
static void find(const struct tw_session *session, int64_t latency_us,
		 struct tw_far_host *host)
{
	static struct tw_environ environ;
	static struct tw_finding findings[TW_CHECKS];
	struct tw_environ_params params = {
		.realtime = tw_config_is_realtime(session->config->policy),
		.latency_us = latency_us,
	};
	int i;

	params.pinned = tw_config_all_cpus(session->config, TW_SERVER,
					   &params.server);
	params.client = params.server;
	tw_environ_read(&environ, "", &params);
	tw_check(&environ, &params, findings);
	for (i = 0; i < TW_CHECKS && host->checks < TW_FINDINGS; i++)
		if (findings[i].result == TW_CHECK_FINDING)
			snprintf(host->finding[host->checks++].name, TW_WORD,
				 "%s", findings[i].name);
}

static void describe_host(const struct tw_session *session,
			  const struct tw_service *serving,
			  struct tw_far_host *host)
{
	struct utsname name;

	memset(host, 0, sizeof(*host));
	uname(&name);
	snprintf(host->host, sizeof(host->host), "%.63s", name.nodename);
	snprintf(host->kernel, sizeof(host->kernel), "%.63s", name.release);
	snprintf(host->version, sizeof(host->version), "%.127s", name.version);
	snprintf(host->machine, sizeof(host->machine), "%.31s", name.machine);
	snprintf(host->program, sizeof(host->program), "%1.2f", VERSION);
	snprintf(host->privileges, sizeof(host->privileges), "%s",
		 serving->privileges);
	host->latency_us = serving->latency_us < 0 ? TW_KEYS_UNKNOWN :
						     serving->latency_us;
	host->cpus = sysconf(_SC_NPROCESSORS_ONLN);
	host->unsynchronised = !tw_oneway_kernel_claims();
	host->unexpected = (int64_t)session->strangers;
	find(session, serving->latency_us, host);
}

static void describe_datagrams(const struct tw_datagrams *datagrams,
			       struct tw_far_server *server)
{
	if (!datagrams)
		return;
	server->taken = (int64_t)datagrams->server.taken;
	server->newest = (int64_t)datagrams->server.seen.newest;
	server->duplicate = (int64_t)datagrams->server.duplicate;
	server->reordered = (int64_t)datagrams->server.reordered;
	server->strangers = (int64_t)datagrams->server.strangers;
}

static void describe_server(const struct tw_pair *pair,
			    struct tw_far_server *server)
{
	const struct tw_side *side = &pair->side[TW_SERVER];
	const struct tw_usage *from = &side->steady, *to = &side->end;

	tw_cpus_format(&side->settings.cpus, server->cpus,
		       sizeof(server->cpus));
	snprintf(server->policy, sizeof(server->policy), "%s",
		 tw_system_policy_name(side->settings.policy));
	server->priority = side->settings.priority;
	server->locked = side->settings.locked;
	server->changed = tw_system_changed(&side->settings, &side->left);
	server->requests = (int64_t)atomic_load(&pair->limit->requests);
	server->retransmitted = side->retransmitted;
	/* Unknown if it was killed before. */
	if (to->minor_faults) {
		server->minor_faults = to->minor_faults - from->minor_faults;
		server->major_faults = to->major_faults - from->major_faults;
		server->voluntary_switches = to->voluntary_switches -
					     from->voluntary_switches;
		server->involuntary_switches = to->involuntary_switches -
					       from->involuntary_switches;
	}
	describe_datagrams(pair->datagrams, server);
}

int tw_peer_send(const struct tw_session *session,
		 struct tw_service *serving)
{
	struct tw_control *control = &serving->control;
	static struct tw_peer peer;
	const struct tw_pair *pair;
	unsigned int k;
	int err;

	describe_host(session, serving, &peer.host);
	memset(&peer.servers, 0, sizeof(peer.servers));
	for (k = 0; (pair = tw_session_pair(session, k)); k++)
		describe_server(pair, &peer.servers.each[k]);
	peer.servers.pairs = k;
	err = tw_control_send(control, TW_FRAME_RESULT, tw_far_host_keys,
			      &peer.host);
	return err ? err : tw_control_send(control, TW_FRAME_RESULT,
					   tw_far_servers_keys,
					   &peer.servers);
}

int tw_peer_receive(struct tw_peer *peer, struct tw_control *control,
		    char why[TW_REFUSAL_TEXT])
{
	int err;

	peer->host.latency_us = TW_KEYS_UNKNOWN;
	err = tw_control_await(control, TW_FRAME_RESULT, tw_far_host_keys,
			       &peer->host, -1, TW_STEP_MS, why);
	if (!err)
		err = tw_control_await(control, TW_FRAME_RESULT,
				       tw_far_servers_keys, &peer->servers, -1,
				       TW_STEP_MS, why);
	peer->known = !err;
	return err;
}

void tw_peer_add(const struct tw_peer *peer, struct tw_session *session)
{
	const struct tw_far_server *server;
	struct tw_pair *pair;
	unsigned int k;

	session->strangers += (uint64_t)peer->host.unexpected;
	for (k = 0; (pair = tw_session_pair(session, k)); k++) {
		if (k >= peer->servers.pairs)
			continue;
		server = &peer->servers.each[k];
		pair->side[TW_SERVER].retransmitted = server->retransmitted;
		if (!pair->datagrams)
			continue;
		pair->datagrams->server.taken = (uint64_t)server->taken;
		pair->datagrams->server.seen.newest =
			(uint64_t)server->newest;
		pair->datagrams->server.duplicate =
			(uint64_t)server->duplicate;
		pair->datagrams->server.reordered =
			(uint64_t)server->reordered;
		pair->datagrams->server.strangers =
			(uint64_t)server->strangers;
	}
}

static void print_server(FILE *file, const struct tw_far_server *server)
{
	fprintf(file, "CPU %s, policy %s, priority %" PRId64 "%s",
		server->cpus, server->policy, server->priority,
		server->locked ? ", memory locked" : "");
}

/* What the server's host could not give. */
static void print_less(FILE *file, const struct tw_asked *asked,
		       const struct tw_granted *granted)
{
	if (strcmp(asked->policy, granted->policy) ||
	    asked->priority != granted->priority)
		fprintf(file, "# Granted less: policy %s, priority %" PRId64 " of the first server, where %s, %" PRId64 " was asked for\n",
			granted->policy,
			granted->priority ? granted->priority - 1 : 0,
			asked->policy, asked->priority - 1);
	if (asked->lock_memory && !granted->lock_memory)
		fprintf(file, "# Granted less: the server's memory is not locked\n");
	if (asked->trace && !granted->traces)
		fprintf(file, "# Granted less: the server's host does not trace: %s\n",
			granted->no_trace);
}

void tw_peer_print(FILE *file, const struct tw_peer *peer, const char *name,
		   const struct tw_asked *asked,
		   const struct tw_granted *granted)
{
	int64_t k;

	if (!peer->known) {
		fprintf(file, "# Server: %s; it did not send its results\n",
			name);
		return;
	}
	fprintf(file, "# Server: %s, host %s, Linux %s, %s: ", name,
		peer->host.host, peer->host.kernel, peer->host.machine);
	print_server(file, &peer->servers.each[0]);
	fprintf(file, "%s\n", peer->servers.pairs > 1 ?
		" (the first one)" : "");
	print_less(file, asked, granted);
	for (k = 0; k < peer->servers.pairs; k++)
		if (peer->servers.each[k].changed)
			fprintf(file, "# Changed while it ran: a setting of server %" PRId64 " on that host\n",
				k);
	if (peer->host.checks) {
		fprintf(file, "# Server's --check:");
		for (k = 0; k < peer->host.checks; k++)
			fprintf(file, " %s", peer->host.finding[k].name);
		fprintf(file, "\n");
	}
}

void tw_peer_json_terms(struct tw_json *json, const struct tw_asked *asked,
			const struct tw_granted *granted)
{
	tw_json_begin(json, "asked", '{');
	tw_keys_json(json, tw_asked_keys, asked);
	tw_json_end(json);
	tw_json_begin(json, "granted", '{');
	tw_keys_json(json, tw_granted_keys, granted);
	tw_json_end(json);
}

void tw_peer_json(struct tw_json *json, const struct tw_peer *peer)
{
	if (!peer->known) {
		tw_json_null(json, "host");
		tw_json_null(json, "servers");
		return;
	}
	tw_json_begin(json, "host", '{');
	tw_keys_json(json, tw_far_host_keys, &peer->host);
	tw_json_end(json);
	tw_json_begin(json, "servers", '{');
	tw_keys_json(json, tw_far_servers_keys, &peer->servers);
	tw_json_end(json);
}
