// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The members of the JSON: first the same as cyclictest's, then "twoway" with
 * all other results. contrib/twowaytest.schema.json describes them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rt-numa.h"
#include "rt-utils.h"
#include "tw_explain.h"
#include "tw_json.h"
#include "tw_report.h"
#include "tw_time.h"

#define SCHEMA	1

/* What goes between two members of one object or array. */
static const char *comma(int index, int count)
{
	return index + 1 < count ? "," : "";
}

static void json_histogram(FILE *file, const struct tw_window *window)
{
	const char *before = "";
	int64_t row;

	fprintf(file, "      \"histogram\": {");
	for (row = 0; row < window->width_us; row++) {
		if (!window->counts[row])
			continue;
		fprintf(file, "%s\n        \"%" PRId64 "\": %" PRIu64, before,
			window->base_us + row, window->counts[row]);
		before = ",";
	}
	fprintf(file, "\n      },\n");
	fprintf(file, "      \"overflows\": %" PRIu64 ",\n",
		tw_window_overflows(window));
}

static void json_percentiles(FILE *file, const struct tw_config *config,
			     const struct tw_tally *tally,
			     enum tw_metric_id id)
{
	bool asked = config->percentile_count;
	const double *percents = asked ? config->percentiles :
					 tw_default_percentiles;
	int count = asked ? config->percentile_count :
			    tw_default_percentile_count;
	int64_t value_ns;
	int i;

	fprintf(file, "      \"percentiles\": {");
	for (i = 0; i < count; i++) {
		fprintf(file, "%s\"%.10g\": ", i ? ", " : "", percents[i]);
		if (tw_tally_percentile(tally, id, percents[i], &value_ns))
			fprintf(file, "%.*f", config->nsecs ? 0 : 3,
				tw_report_real(config, (double)value_ns));
		else
			fprintf(file, "null");
	}
	fprintf(file, "},\n");
}

/* The CPU that it was pinned to all the time; -1 if there were several. */
static int client_cpu(const struct tw_side *client)
{
	const cpu_set_t *cpus = &client->settings.cpus;
	int cpu;

	if (CPU_COUNT(cpus) != 1 ||
	    (CPU_COUNT(&client->left.cpus) &&
	     !CPU_EQUAL(cpus, &client->left.cpus)))
		return -1;
	for (cpu = 0; !CPU_ISSET(cpu, cpus); cpu++)
		;
	return cpu;
}

/* What only cycles can tell: null if there were none. */
static void json_figure(FILE *file, const char *key, bool known, int digits,
			double value)
{
	if (known)
		fprintf(file, "      \"%s\": %.*f,\n", key, digits, value);
	else
		fprintf(file, "      \"%s\": null,\n", key);
}

/* Exact, however large. */
static void json_extreme(FILE *file, const char *key, bool known,
			 int64_t value)
{
	if (known)
		fprintf(file, "      \"%s\": %" PRId64 ",\n", key, value);
	else
		fprintf(file, "      \"%s\": null,\n", key);
}

static void json_thread(FILE *file, const struct tw_config *config,
			const struct tw_pair *pair, int column)
{
	enum tw_metric_id id = config->metrics[column];
	const struct tw_stats *stats = &pair->tally->stats[id];
	const struct tw_status status = tw_tally_status(pair->tally, id);
	int cpu = client_cpu(&pair->side[TW_CLIENT]);

	fprintf(file, "    \"%d\": {\n", column);
	fprintf(file, "      \"metric\": \"%s\",\n", tw_metrics[id].token);
	fprintf(file, "      \"label\": \"%s\",\n", tw_metrics[id].label);
	fprintf(file, "      \"pair\": %u,\n", pair->number);
	if (config->histogram_us)
		json_histogram(file, &pair->tally->window[id]);
	json_percentiles(file, config, pair->tally, id);
	json_figure(file, "stddev", status.count, 3,
		    tw_report_real(config, status.deviation_ns));
	if (stats->has_target)
		fprintf(file, "      \"target\": %" PRId64 ",\n",
			tw_report_value(config, stats->target_ns));
	else
		fprintf(file, "      \"target\": null,\n");
	fprintf(file, "      \"cycles\": %" PRIu64 ",\n", status.count);
	json_extreme(file, "min", status.count,
		     tw_report_value(config, status.min_ns));
	json_extreme(file, "max", status.count,
		     tw_report_value(config, status.max_ns));
	json_figure(file, "avg", status.count, 2,
		    tw_report_real(config, status.mean_ns));
	fprintf(file, "      \"cpu\": %d,\n", cpu);
	fprintf(file, "      \"node\": %d\n",
		cpu >= 0 && numa_initialize() ? numa_node_of_cpu(cpu) : 0);
	fprintf(file, "    }%s\n", comma(column, config->metric_count));
}

void tw_report_json_threads(FILE *file, const struct tw_config *config,
			    const struct tw_pair *pair)
{
	int i;

	fprintf(file, "  \"thread\": {\n");
	for (i = 0; i < config->metric_count; i++)
		json_thread(file, config, pair, i);
	fprintf(file, "  },\n");
}

static void json_argv(FILE *file, const struct tw_report *report)
{
	int i;

	fprintf(file, "    \"argv\": [");
	for (i = 0; i < report->argc; i++) {
		tw_json_string(file, report->argv[i]);
		fprintf(file, "%s", i + 1 < report->argc ? ", " : "");
	}
	fprintf(file, "],\n");
}

static void json_settings(FILE *file, const struct tw_report *report)
{
	static const char *const affinities[] = {
		[TW_UNPINNED] = "none", [TW_PLAN] = "plan", [TW_SET] = "set",
	};
	const struct tw_config *config = report->config;
	const struct tw_session *session = report->session;
	int i;

	fprintf(file, "    \"settings\": {\n");
	fprintf(file, "      \"interval_us\": %" PRId64 ",\n",
		config->interval_us);
	fprintf(file, "      \"loops\": %" PRId64 ",\n", config->loops);
	fprintf(file, "      \"duration_s\": %" PRId64 ",\n",
		config->duration_s);
	fprintf(file, "      \"sleep_us\": %" PRId64 ",\n", config->sleep_us);
	fprintf(file, "      \"size\": %" PRId64 ",\n", config->size);
	fprintf(file, "      \"timer\": \"%s\",\n", config->timer->name);
	fprintf(file, "      \"transport\": \"%s\",\n",
		session->transport->name);
	fprintf(file, "      \"port\": %u,\n", session->port);
	fprintf(file, "      \"wait\": \"%s\",\n", config->wait->name);
	fprintf(file, "      \"clock\": \"%s\",\n", config->clock);
	fprintf(file, "      \"policy\": \"%s\",\n",
		tw_system_policy_name(config->policy));
	fprintf(file, "      \"priority\": %" PRId64 ",\n", config->priority);
	fprintf(file, "      \"affinity\": \"%s\",\n",
		affinities[config->affinity]);
	fprintf(file, "      \"mlockall\": %s,\n",
		tw_json_bool(config->mlockall));
	if (session->latency_fd >= 0)
		fprintf(file, "      \"latency_us\": %" PRId64 ",\n",
			config->latency_us);
	else
		fprintf(file, "      \"latency_us\": null,\n");
	fprintf(file, "      \"total\": \"%s\",\n",
		config->total_trltp3 ? "trltp3" : "documented");
	fprintf(file, "      \"histogram_us\": %" PRId64 ",\n",
		config->histogram_us);
	fprintf(file, "      \"steps\": %" PRId64 ",\n", config->steps);
	if (config->break_us)
		fprintf(file, "      \"break_us\": %" PRId64 ",\n",
			config->break_us);
	else
		fprintf(file, "      \"break_us\": null,\n");
	fprintf(file, "      \"break_on\": \"%s\",\n",
		tw_metrics[config->break_on].token);
	fprintf(file, "      \"tracemark\": %s,\n",
		tw_json_bool(config->tracemark));
	fprintf(file, "      \"trace\": ");
	tw_json_string(file, !config->trace ? NULL : config->trace_events ?
			     config->trace_events : TW_TRACE_EVENTS);
	fprintf(file, ",\n      \"metrics\": [");
	for (i = 0; i < config->metric_count; i++)
		fprintf(file, "%s\"%s\"", i ? ", " : "",
			tw_metrics[config->metrics[i]].token);
	fprintf(file, "]\n    },\n");
}

static void json_usage(FILE *file, const struct tw_side *side)
{
	const struct tw_usage *from = &side->steady, *to = &side->end;

	fprintf(file, "        \"minor_faults\": %" PRId64 ",\n",
		to->minor_faults - from->minor_faults);
	fprintf(file, "        \"major_faults\": %" PRId64 ",\n",
		to->major_faults - from->major_faults);
	fprintf(file, "        \"voluntary_switches\": %" PRId64 ",\n",
		to->voluntary_switches - from->voluntary_switches);
	fprintf(file, "        \"involuntary_switches\": %" PRId64 ",\n",
		to->involuntary_switches - from->involuntary_switches);
}

/* As the kernel said when asked, after everything was set. */
static void json_process(FILE *file, const struct tw_report *report,
			 enum tw_role role)
{
	const struct tw_side *side = &report->session->pair->side[role];
	const struct tw_settings *settings, *end;
	char list[512];

	tw_report_settings(report, role, &settings, &end);
	fprintf(file, "      \"%s\": {\n", tw_role_names[role]);
	/* Nothing to tell where a side was killed before it could count. */
	if (role != TW_MAIN && side->end.minor_faults)
		json_usage(file, side);
	if (role != TW_MAIN)
		fprintf(file, "        \"stopped\": %d,\n",
			side->child.stops);
	fprintf(file, "        \"cpus\": \"%s\",\n",
		tw_place_format(&settings->cpus, list, sizeof(list)));
	fprintf(file, "        \"policy\": \"%s\",\n",
		tw_system_policy_name(settings->policy));
	fprintf(file, "        \"priority\": %d,\n", settings->priority);
	fprintf(file, "        \"locked\": %s,\n", tw_json_bool(settings->locked));
	if (tw_system_changed(settings, end))
		fprintf(file, "        \"at_end\": {\"cpus\": \"%s\", \"policy\": \"%s\", \"priority\": %d}\n",
			tw_place_format(&end->cpus, list, sizeof(list)),
			tw_system_policy_name(end->policy), end->priority);
	else
		fprintf(file, "        \"at_end\": null\n");
	fprintf(file, "      }%s\n", role == TW_CLIENT ? "" : ",");
}

static void json_error(FILE *file, const struct tw_report *report)
{
	char text[TW_ERROR_MAX];

	fprintf(file, "    \"error\": ");
	if (report->session->failure.step != TW_STEP_NONE) {
		tw_explain(report->session, text, sizeof(text));
		tw_json_string(file, text);
	} else {
		tw_json_string(file, *report->error ? report->error : NULL);
	}
	fprintf(file, "\n");
}

static void json_head(FILE *file, const struct tw_report *report)
{
	fprintf(file, "    \"schema\": %d,\n", SCHEMA);
	fprintf(file, "    \"version\": \"%1.2f\",\n", VERSION);
	json_argv(file, report);
	if (report->survey)
		tw_report_json_environ(file, &report->survey->environ,
				       report->survey->findings);
}

static void json_twoway(FILE *file, const struct tw_report *report)
{
	const struct tw_session *session = report->session;
	const struct tw_pair *pair = session->pair;
	const struct tw_tally *tally = pair->tally;

	json_head(file, report);
	if (report->partial)
		fprintf(file, "    \"partial\": true,\n");
	json_settings(file, report);
	fprintf(file, "    \"processes\": {\n");
	json_process(file, report, TW_MAIN);
	json_process(file, report, TW_SERVER);
	json_process(file, report, TW_CLIENT);
	fprintf(file, "    },\n");
	tw_report_json_cost(file, report);
	tw_report_json_load(file, report);
	fprintf(file, "    \"warmup\": {\"cycles\": %" PRIu64
		", \"missed\": %" PRIu64 "},\n", tally->warmup,
		tally->warmup_missed);
	fprintf(file, "    \"cycles\": %" PRIu64 ",\n", tally->cycles);
	fprintf(file, "    \"missed\": %" PRIu64 ",\n", tally->missed);
	fprintf(file, "    \"throttled\": %" PRIu64 ",\n", tally->throttled);
	tw_report_json_steps(file, report);
	fprintf(file, "    \"strangers\": %" PRIu64 ",\n", session->strangers);
	fprintf(file, "    \"not_dumped\": %" PRIu64 ",\n",
		tw_report_not_dumped(report));
	tw_report_json_worst(file, report);
	tw_report_json_break(file, report);
	tw_report_json_limits(file, report);
	fprintf(file, "    \"interrupted\": %s,\n",
		tw_json_bool(session->interrupted));
	json_error(file, report);
}

void tw_report_json(FILE *file, void *data)
{
	const struct tw_report *report = data;
	const struct tw_config *config = report->config;

	fprintf(file, "  \"num_threads\": %d,\n", config->metric_count);
	fprintf(file, "  \"resolution_in_ns\": %d,\n", config->nsecs);
	tw_report_json_threads(file, config, report->session->pair);
	fprintf(file, "  \"twoway\": {\n");
	json_twoway(file, report);
	fprintf(file, "  }\n");
}

void tw_report_json_check(FILE *file, void *data)
{
	const struct tw_report *report = data;

	fprintf(file, "  \"num_threads\": 0,\n");
	fprintf(file, "  \"resolution_in_ns\": 0,\n");
	fprintf(file, "  \"thread\": {},\n");
	fprintf(file, "  \"twoway\": {\n");
	json_head(file, report);
	fprintf(file, "    \"error\": null\n");
	fprintf(file, "  }\n");
}
