// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <time.h>

#include "base/tw_json.h"
#include "base/tw_time.h"
#include "cause/tw_cause.h"

const char *const tw_cause_places[] = {
	[TW_WHERE_UNKNOWN] = NULL,
	[TW_WHERE_CLIENT] = "client",
	[TW_WHERE_SERVER] = "server",
	[TW_WHERE_BETWEEN] = "between",
};

/* Each host sees only what it has itself: of the rest nobody knows. */
static enum tw_cause_where decide_network(double excess_ns, int64_t client_ns,
					  int64_t server_ns)
{
	bool client = client_ns >= server_ns;
	int64_t most_ns = client ? client_ns : server_ns;

	if (2 * (double)most_ns >= excess_ns && most_ns > 0)
		return client ? TW_WHERE_CLIENT : TW_WHERE_SERVER;
	return client_ns < 0 || server_ns < 0 ? TW_WHERE_UNKNOWN :
						TW_WHERE_BETWEEN;
}

enum tw_cause_where tw_cause_decide(enum tw_metric_id phase, double excess_ns,
				    int64_t client_ns, int64_t server_ns)
{
	if (phase == TW_NETWORK)
		return decide_network(excess_ns, client_ns, server_ns);
	return phase == TW_SLEEP ? TW_WHERE_SERVER : TW_WHERE_CLIENT;
}

/* Why a host has no analysis; NULL: it has one. */
static const char *lacks(const struct tw_cause_view *view)
{
	if (view->lacks[0])
		return view->lacks;
	return view->traced ? view->analysis.lacks :
			      "the trace could not be read";
}

static double to_us(double ns)
{
	return ns / (double)TW_NS_PER_US;
}

static void print_view(FILE *file, const struct tw_cause *cause,
		       const struct tw_cause_view *view, const char *role,
		       bool with_line)
{
	if (lacks(view))
		fprintf(file, "# Cause: %s host %s: %s %+.0f us: unknown, as %s\n",
			role, view->host, tw_metrics[cause->phase].token,
			to_us(cause->excess_ns), lacks(view));
	else if (with_line)
		tw_analysis_print(file, &view->analysis, cause->has_mean);
	else
		tw_analysis_print_cause(file, &view->analysis);
}

static void print_own(FILE *file, const struct tw_cause_view *view,
		      const char *role)
{
	if (view->own_ns < 0)
		fprintf(file, "%s host %s does not know, as %s", role,
			view->host, lacks(view) ? lacks(view) : "it is not told");
	else
		fprintf(file, "%s host %s had the message for %.1f us", role,
			view->host, to_us((double)view->own_ns));
}

static void print_elsewhere(FILE *file, const struct tw_cause *cause)
{
	fprintf(file, "# Cause: %s: %s %+.0f us: ",
		cause->where == TW_WHERE_BETWEEN ? "between the hosts" :
						   "unknown where",
		tw_metrics[cause->phase].token, to_us(cause->excess_ns));
	print_own(file, cause->client, "client");
	fprintf(file, ", ");
	print_own(file, cause->server, "server");
	fprintf(file, "\n");
}

/* What the others, that are not the cause, saw meanwhile. */
static void print_line(FILE *file, const struct tw_cause *cause,
		       const struct tw_cause_view *view)
{
	if (!lacks(view))
		tw_analysis_print_line(file, &view->analysis, cause->has_mean);
}

static void print_cut(FILE *file, const struct tw_cause_view *view)
{
	if (view->cut)
		fprintf(file, "# Left out: the first %zu KiB of the trace of server host %s, which was too long\n",
			(view->cut + 1023) / 1024, view->host);
}

void tw_cause_print(FILE *file, const struct tw_cause *cause)
{
	bool both = cause->phase == TW_NETWORK;
	bool one = both && cause->placed && !lacks(cause->client) &&
		   !lacks(cause->server);

	if (cause->where == TW_WHERE_CLIENT)
		print_view(file, cause, cause->client, "client", !one);
	else if (cause->where == TW_WHERE_SERVER)
		print_view(file, cause, cause->server, "server", !one);
	else
		print_elsewhere(file, cause);
	if (one)
		tw_cause_print_both(file, cause);
	both = both && !one;
	if (both && cause->where != TW_WHERE_CLIENT)
		print_line(file, cause, cause->client);
	if (both && cause->where != TW_WHERE_SERVER)
		print_line(file, cause, cause->server);
	print_cut(file, cause->server);
}

static void json_view(struct tw_json *json, const char *key,
		      const struct tw_cause_view *view)
{
	tw_analysis_json(json, key, view && !lacks(view) ? &view->analysis :
							   NULL);
}

void tw_cause_json(struct tw_json *json, const struct tw_cause *cause)
{
	bool both = cause->phase == TW_NETWORK;
	bool server = cause->where == TW_WHERE_SERVER;
	bool placed = server || cause->where == TW_WHERE_CLIENT;

	tw_json_text(json, "where", tw_cause_places[cause->where]);
	tw_json_int_if(json, "server_at_ns", cause->placed,
		       cause->server_at_ns);
	tw_json_int_if(json, "server_within_ns", cause->placed,
		       cause->within_ns);
	tw_json_int_if(json, "server_cut_bytes", cause->server->traced,
		       (int64_t)cause->server->cut);
	json_view(json, "analysis", !placed ? NULL :
		  server ? cause->server : cause->client);
	json_view(json, "other_analysis", !both ? NULL :
		  server ? cause->client : cause->server);
}
