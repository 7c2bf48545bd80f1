// SPDX-License-Identifier: GPL-2.0-or-later
/* The JSON members for the load, real-time throttling, and each step. */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "rt-utils.h"
#include "tw_json.h"
#include "tw_report.h"
#include "tw_time.h"

static void json_text(FILE *file, const char *name, const char *text)
{
	fprintf(file, "      \"%s\": ", name);
	tw_json_string(file, text);
	fprintf(file, ",\n");
}

/* The work of one step, or of all together; @worker_ns: what it cost. */
static void json_work(FILE *file, const struct tw_step_result *step,
		      int64_t worker_ns)
{
	double rate = tw_report_work_rate(step);
	double worker_s = (double)worker_ns / (double)TW_NS_PER_S;

	fprintf(file, "      \"workers\": %d,\n", step->workers);
	fprintf(file, "      \"work\": %" PRIu64 ",\n", step->work);
	fprintf(file, "      \"work_per_second\": %.3f,\n", rate);
	fprintf(file, "      \"work_per_second_and_worker\": %.3f,\n",
		worker_ns ? (double)step->work / worker_s : 0);
	fprintf(file, "      \"work_errors\": %" PRIu64 ",\n",
		step->work_errors);
	fprintf(file, "      \"restarts\": %" PRIu64 ",\n", step->restarts);
	fprintf(file, "      \"elapsed_s\": %.6f",
		(double)step->elapsed_ns / (double)TW_NS_PER_S);
}

static int64_t worker_ns(const struct tw_step_result *step)
{
	return step->workers * step->elapsed_ns;
}

static struct tw_step_result sum_steps(const struct tw_session *session,
				       int64_t *all_worker_ns)
{
	struct tw_step_result sum = { .pair = NULL };
	int i;

	*all_worker_ns = 0;
	for (i = 0; i < session->steps_done; i++) {
		const struct tw_step_result *step = &session->steps[i];

		sum.workers = step->workers;
		sum.work += step->work;
		sum.work_errors += step->work_errors;
		sum.restarts += step->restarts;
		sum.elapsed_ns += step->elapsed_ns;
		*all_worker_ns += worker_ns(step);
	}
	return sum;
}

static void json_throttling(FILE *file, const struct tw_report *report)
{
	const struct tw_session *session = report->session;
	const struct tw_throttle *throttle = &session->throttle;
	const struct tw_config *config = report->config;
	int most = tw_config_workers(config, (int)config->steps - 1);

	fprintf(file, "    \"throttling\": {\n");
	if (throttle->known)
		fprintf(file, "      \"rt_runtime_us\": %" PRId64 ",\n"
			"      \"rt_period_us\": %" PRId64 ",\n",
			throttle->runtime_us, throttle->period_us);
	fprintf(file, "      \"rt_group_sched\": %s,\n",
		tw_json_bool(throttle->group));
	fprintf(file, "      \"fair_server\": %s,\n",
		tw_json_bool(throttle->fair_server));
	fprintf(file, "      \"stall_us\": %" PRId64 ",\n",
		tw_ns_to_us(throttle->stall_ns));
	fprintf(file, "      \"possible\": %s,\n",
		tw_json_bool(throttle->stall_ns &&
			  tw_config_may_throttle(config, most)));
	fprintf(file, "      \"kernel_message\": %s\n    },\n",
		tw_json_bool(session->throttling_heard));
}

void tw_report_json_load(FILE *file, const struct tw_report *report)
{
	const struct tw_config *config = report->config;
	const struct tw_session *session = report->session;
	const struct tw_load_params *params = &session->load.params;
	int64_t all_worker_ns;
	const struct tw_step_result sum = sum_steps(session, &all_worker_ns);
	char list[512] = "";

	json_throttling(file, report);
	fprintf(file, "    \"load\": {\n");
	json_text(file, "kind", config->load ? config->load->name : "none");
	if (config->load) {
		json_text(file, "command", config->load_command);
		json_text(file, "arguments", config->load_args);
		json_text(file, "policy",
			  tw_system_policy_name(config->load_policy));
		fprintf(file, "      \"priority\": %" PRId64 ",\n",
			config->load_priority);
		if (params->pinned)
			tw_place_format(&params->cpus, list, sizeof(list));
		json_text(file, "cpus", params->pinned ? list : NULL);
		json_text(file, "work_unit", config->load->work);
	}
	json_work(file, &sum, all_worker_ns);
	fprintf(file, "\n    },\n");
}

static void json_step(FILE *file, const struct tw_report *report, int index)
{
	const struct tw_step_result *step = &report->session->steps[index];
	const struct tw_tally *tally = step->pair->tally;

	fprintf(file, "%s\n    {\n", index ? "," : "");
	fprintf(file, "      \"step\": %d,\n", index);
	tw_report_json_threads(file, report->config, step->pair);
	fprintf(file, "      \"cycles\": %" PRIu64 ",\n", tally->cycles);
	fprintf(file, "      \"missed\": %" PRIu64 ",\n", tally->missed);
	fprintf(file, "      \"throttled\": %" PRIu64 ",\n",
		tally->throttled);
	json_work(file, step, worker_ns(step));
	fprintf(file, "\n    }");
}

void tw_report_json_steps(FILE *file, const struct tw_report *report)
{
	int i;

	fprintf(file, "    \"steps\": [");
	for (i = 0; i < report->session->steps_done; i++)
		json_step(file, report, i);
	fprintf(file, "\n    ],\n");
}
