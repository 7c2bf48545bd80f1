// SPDX-License-Identifier: GPL-2.0-or-later
/* What the session adds to the JSON. */
#include "base/tw_cpus.h"
#include "base/tw_json.h"
#include "run/tw_session.h"

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
static void json_settings(struct tw_json *json,
			  const struct tw_settings *begin,
			  const struct tw_settings *end)
{
	json_scheduling(json, begin);
	tw_json_bool(json, "locked", begin->locked);
	if (tw_system_changed(begin, end)) {
		tw_json_begin_line(json, "at_end", '{');
		json_scheduling(json, end);
		tw_json_end(json);
	} else {
		tw_json_null(json, "at_end");
	}
}

static void json_main(struct tw_json *json, const struct tw_session *session)
{
	tw_json_begin(json, tw_role_names[TW_MAIN], '{');
	json_settings(json, &session->main_settings, &session->main_left);
	tw_json_end(json);
}

static void json_side(struct tw_json *json, const struct tw_side *side,
		      enum tw_role role)
{
	tw_json_begin(json, tw_role_names[role], '{');
	/* Unknown if the process was killed before it stored its usage. */
	if (side->end.minor_faults)
		json_usage(json, side);
	tw_json_int(json, "stopped", side->child.stops);
	tw_json_int_if(json, "retransmitted", side->end.minor_faults &&
		       side->retransmitted >= 0, side->retransmitted);
	json_settings(json, &side->settings, &side->left);
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
	tw_json_real(json, "ppm", tw_session_drift_ppm(session), 4);
	tw_json_int(json, "ns", session->drift_ns);
	tw_json_int(json, "over_ns", session->drift_over_ns);
	tw_json_end(json);
}

static void results(struct tw_json *json, const struct tw_run *run)
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

static void settings_of_run(struct tw_json *json, const struct tw_run *run)
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

const struct tw_part tw_part_session_json = {
	.name = "session_json", .json = results,
	.json_settings = settings_of_run,
};
