// SPDX-License-Identifier: GPL-2.0-or-later
/* What the session adds to the text and to the JSON. */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "base/tw_cpus.h"
#include "base/tw_json.h"
#include "base/tw_time.h"
#include "run/tw_session.h"
#include "run/tw_session_text.h"

/* The kernel's settings of a process, at the start and at the end of the run. */
struct process {
	const char *name;	/* for text: "client of pair 2" */
	const struct tw_settings *begin, *end;
};

static struct process main_process(const struct tw_session *session)
{
	return (struct process) {
		tw_role_titles[TW_MAIN], &session->main_settings,
		&session->main_left,
	};
}

static struct process side_process(const struct tw_side *side,
				   enum tw_role role)
{
	return (struct process) {
		tw_role_titles[role], &side->settings, &side->left,
	};
}

static void print_settings(FILE *file, const char *before,
			   const struct tw_settings *settings)
{
	char list[512];

	fprintf(file, "%sCPU %s, policy %s, priority %d", before,
		tw_cpus_format(&settings->cpus, list, sizeof(list)),
		tw_system_policy_name(settings->policy), settings->priority);
}

/* " of pair 2", if there are several. */
static const char *of_pair(const struct tw_session *session,
			   const struct tw_pair *pair, char text[32])
{
	*text = '\0';
	if (session->config->pairs.count > 1)
		snprintf(text, 32, " of pair %u", pair->number);
	return text;
}

/* By somebody else, or by the kernel when a CPU was taken away. */
static void print_change(FILE *file, const struct process *process,
			 const char *of)
{
	if (!tw_system_changed(process->begin, process->end))
		return;
	fprintf(file, "# Changed while it ran: %s%s, ", process->name, of);
	print_settings(file, "from ", process->begin);
	print_settings(file, " to ", process->end);
	fprintf(file, "\n");
}

static void print_changes(FILE *file, const struct tw_session *session)
{
	struct process process = main_process(session);
	const struct tw_pair *pair;
	unsigned int k;
	char of[32];
	int role;

	print_change(file, &process, "");
	for (k = 0; (pair = tw_session_pair(session, k)); k++)
		for (role = TW_SERVER; role <= TW_CLIENT; role++) {
			/* One server for all is told of once. */
			if (role == TW_SERVER && pair->server != k)
				continue;
			process = side_process(&pair->side[role], role);
			print_change(file, &process,
				     of_pair(session, pair, of));
		}
}

static void print_stops(FILE *file, const struct tw_session *session)
{
	const struct tw_pair *pair;
	unsigned int k;
	char of[32];

	for (k = 0; (pair = tw_session_pair(session, k)); k++) {
		int client = pair->side[TW_CLIENT].child.stops;
		int server = pair->side[TW_SERVER].child.stops;

		if (client || server)
			fprintf(file, "# Stopped by a signal, and continued: client %d, server %d times%s; that time is in the results\n",
				client, server, of_pair(session, pair, of));
	}
}

/* Parts in a million that the counter runs fast. */
static double drift_ppm(const struct tw_session *session)
{
	if (session->drift_over_ns <= 0)
		return 0;
	return (double)session->drift_ns * 1e6 /
	       (double)session->drift_over_ns;
}

static void print_drift(FILE *file, const struct tw_session *session)
{
	fprintf(file, "# Clock %s: %+.3f ppm against the kernel's, %+.3f us in %.1f s\n",
		session->config->clock, drift_ppm(session),
		(double)session->drift_ns / (double)TW_NS_PER_US,
		(double)session->drift_over_ns / (double)TW_NS_PER_S);
}

/* Of all pairs, by the kernel's count; loss that the figures do not show. */
static void print_retransmitted(FILE *file, const struct tw_session *session)
{
	int64_t count[TW_ROLES] = { 0 };
	const struct tw_pair *pair;
	unsigned int k;
	int role;

	for (k = 0; (pair = tw_session_pair(session, k)); k++)
		for (role = TW_SERVER; role <= TW_CLIENT; role++)
			if (pair->side[role].retransmitted > 0)
				count[role] += pair->side[role].retransmitted;
	if (count[TW_CLIENT] || count[TW_SERVER])
		fprintf(file, "# Retransmitted: client %" PRId64 ", server %" PRId64 " segments\n",
			count[TW_CLIENT], count[TW_SERVER]);
}

void tw_session_remarks(FILE *file, const struct tw_run *run)
{
	const struct tw_session *session = tw_session(run);
	uint64_t missed = tw_pairs_counts(session->pairs).missed;

	/* A histogram has it among its own lines. */
	if (missed && !run->window_us)
		fprintf(file, "# Missed: %" PRIu64 "\n", missed);
	print_stops(file, session);
	print_retransmitted(file, session);
	if (session->has_drift)
		print_drift(file, session);
	print_changes(file, session);
	/* The transport tells of datagrams itself. */
	if (session->strangers && !tw_session_first(session)->datagrams)
		fprintf(file, "# Unexpected connections refused: %" PRIu64 "\n",
			session->strangers);
}

static void json_usage(struct tw_json *json, const struct tw_side *side)
{
	const struct tw_usage *from = &side->steady, *to = &side->end;

	tw_json_int(json, "minor_faults",
		    to->minor_faults - from->minor_faults);
	tw_json_int(json, "major_faults",
		    to->major_faults - from->major_faults);
	tw_json_int(json, "voluntary_switches",
		    to->voluntary_switches - from->voluntary_switches);
	tw_json_int(json, "involuntary_switches",
		    to->involuntary_switches - from->involuntary_switches);
}

static void json_scheduling(struct tw_json *json,
			    const struct tw_settings *settings)
{
	char list[512];

	tw_json_text(json, "cpus",
		     tw_cpus_format(&settings->cpus, list, sizeof(list)));
	tw_json_text(json, "policy", tw_system_policy_name(settings->policy));
	tw_json_int(json, "priority", settings->priority);
}

/* As the kernel said when asked, after everything was set. */
static void json_settings(struct tw_json *json, const struct process *process)
{
	json_scheduling(json, process->begin);
	tw_json_bool(json, "locked", process->begin->locked);
	if (tw_system_changed(process->begin, process->end)) {
		tw_json_begin_line(json, "at_end", '{');
		json_scheduling(json, process->end);
		tw_json_end(json);
	} else {
		tw_json_null(json, "at_end");
	}
}

static void json_main(struct tw_json *json, const struct tw_session *session)
{
	const struct process process = main_process(session);

	tw_json_begin(json, tw_role_names[TW_MAIN], '{');
	json_settings(json, &process);
	tw_json_end(json);
}

static void json_side(struct tw_json *json, const struct tw_side *side,
		      enum tw_role role)
{
	const struct process process = side_process(side, role);

	tw_json_begin(json, tw_role_names[role], '{');
	/* Unknown if the process was killed before it stored its usage. */
	if (side->end.minor_faults)
		json_usage(json, side);
	tw_json_int(json, "stopped", side->child.stops);
	tw_json_int_if(json, "retransmitted", side->end.minor_faults &&
		       side->retransmitted >= 0, side->retransmitted);
	json_settings(json, &process);
	tw_json_end(json);
}

void tw_session_json_sides(struct tw_json *json,
			   const struct tw_session *session,
			   const struct tw_pair *pair)
{
	if (tw_session_has(session, TW_SERVER))
		json_side(json, tw_server_of(session, pair), TW_SERVER);
	else
		tw_json_null(json, tw_role_names[TW_SERVER]);
	json_side(json, &pair->side[TW_CLIENT], TW_CLIENT);
}

static void json_drift(struct tw_json *json, const struct tw_session *session)
{
	if (!session->has_drift) {
		tw_json_null(json, "clock_drift");
		return;
	}
	tw_json_begin_line(json, "clock_drift", '{');
	tw_json_real(json, "ppm", drift_ppm(session), 4);
	tw_json_int(json, "ns", session->drift_ns);
	tw_json_int(json, "over_ns", session->drift_over_ns);
	tw_json_end(json);
}

void tw_session_json(struct tw_json *json, const struct tw_run *run)
{
	const struct tw_session *session = tw_session(run);
	const struct tw_pair *first = tw_session_first(session);
	const struct tw_counts counts = tw_pairs_counts(session->pairs);

	tw_json_begin(json, "processes", '{');
	json_main(json, session);
	tw_session_json_sides(json, session, first);
	tw_json_end(json);
	tw_json_begin_line(json, "warmup", '{');
	tw_json_uint(json, "cycles", counts.warmup);
	tw_json_uint(json, "missed", counts.warmup_missed);
	tw_json_end(json);
	tw_json_uint(json, "cycles", counts.cycles);
	tw_json_uint(json, "missed", counts.missed);
	tw_json_uint(json, "throttled", counts.throttled);
	tw_json_uint(json, "strangers", session->strangers);
	json_drift(json, session);
}

void tw_session_json_settings(struct tw_json *json, const struct tw_run *run)
{
	static const char *const affinities[] = {
		[TW_UNPINNED] = "none", [TW_PLAN] = "plan", [TW_SET] = "set",
	};
	const struct tw_config *config = tw_session(run)->config;
	const struct tw_session *session = tw_session(run);
	int i;

	tw_json_int(json, "interval_us", config->interval_us);
	tw_json_int(json, "loops", config->loops);
	tw_json_int(json, "duration_s", config->duration_s);
	tw_json_int(json, "sleep_us", config->sleep_us);
	tw_json_int(json, "size", config->size);
	tw_json_text(json, "timer", config->timer->name);
	tw_json_text(json, "transport", session->transport.ops->name);
	tw_json_int_if(json, "port", session->port, session->port);
	/* One server for all waits as its order needs it. */
	tw_json_text(json, "wait", config->serving.one ? NULL :
						config->wait->name);
	tw_json_text(json, "clock", config->clock);
	tw_json_text(json, "clocks", config->two_clocks ? "two" : "one");
	tw_json_text(json, "policy", tw_system_policy_name(config->policy));
	tw_json_int(json, "priority", config->priority);
	tw_json_text(json, "affinity", config->pairs.smp ? "smp" :
		     affinities[config->affinity]);
	tw_json_bool(json, "mlockall", config->mlockall);
	tw_json_text(json, "total",
		     config->total ? "trltp3" : "documented");
	tw_json_begin_line(json, "metrics", '[');
	for (i = 0; i < config->metric_count; i++)
		tw_json_text(json, NULL, tw_metrics[config->metrics[i]].token);
	tw_json_end(json);
}
