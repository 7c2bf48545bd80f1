// SPDX-License-Identifier: GPL-2.0-or-later
/* Status lines, values and cycles, in the format of cyclictest. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "rt-utils.h"
#include "tw_report.h"
#include "tw_time.h"

int64_t tw_report_value(const struct tw_config *config, int64_t ns)
{
	return config->nsecs ? ns : tw_ns_to_us(ns);
}

double tw_report_real(const struct tw_config *config, double ns)
{
	return config->nsecs ? ns : ns / (double)TW_NS_PER_US;
}

uint64_t tw_report_cycle_number(const struct tw_report *report,
				const struct tw_cycle *cycle)
{
	return cycle->seq - report->session->pair->tally->first_seq;
}

uint64_t tw_report_not_dumped(const struct tw_report *report)
{
	const struct tw_session *session = report->session;
	uint64_t lost = report->not_dumped;
	int i;

	for (i = 0; i < session->steps_done; i++)
		if (session->steps[i].pair->ring)
			lost += session->steps[i].pair->ring->lost;
	return lost;
}

void tw_report_status_line(char line[TW_STATUS_MAX],
			   const struct tw_report *report, int column,
			   const struct tw_status *status)
{
	const struct tw_config *config = report->config;
	const struct tw_pair *pair = report->session->pair;
	int width = config->nsecs ? 8 : 5;

	snprintf(line, TW_STATUS_MAX, "T:%2d (%5d) P:%2d I:%" PRId64 " C:%7" PRIu64
		" Min:%7" PRId64 " Act:%*" PRId64 " Avg:%*" PRId64
		" Max:%8" PRId64 " Std:%8.1f %s",
		column, (int)pair->side[TW_CLIENT].child.pid,
		pair->task.priority[TW_CLIENT], config->interval_us,
		status->count, tw_report_value(config, status->min_ns),
		width, tw_report_value(config, status->last_ns),
		width, tw_report_value(config, (int64_t)status->mean_ns),
		tw_report_value(config, status->max_ns),
		tw_report_real(config, status->deviation_ns),
		tw_metrics[config->metrics[column]].token);
}

void tw_report_status(FILE *file, const struct tw_report *report)
{
	const struct tw_config *config = report->config;
	struct tw_status status[TW_METRICS];
	char line[TW_STATUS_MAX];
	int i;

	tw_tally_snapshot(report->session->pair->tally, status);
	for (i = 0; i < config->metric_count; i++) {
		tw_report_status_line(line, report, i,
				      &status[config->metrics[i]]);
		fprintf(file, "%s\n", line);
	}
}

void tw_report_cycle(FILE *file, const struct tw_report *report,
		     unsigned int pair, const struct tw_cycle *cycle)
{
	const struct tw_config *config = report->config;
	const struct tw_metric_params params = tw_config_metric_params(config);
	int i;

	for (i = 0; i < config->metric_count; i++) {
		const struct tw_metric *metric =
			&tw_metrics[config->metrics[i]];

		fprintf(file, "%8d:%8" PRIu64 ":%8" PRId64 "\n",
			(int)pair * config->metric_count + i,
			tw_report_cycle_number(report, cycle),
			tw_report_value(config,
					metric->value_ns(cycle, &params)));
	}
}

void tw_report_dump_header(FILE *file)
{
	fprintf(file, "pair,cycle,planned_ns,t0_ns,t1_ns,t2_ns,t3_ns,missed\n");
}

void tw_report_dump(FILE *file, const struct tw_report *report,
		    unsigned int pair, const struct tw_cycle *cycle)
{
	fprintf(file, "%u,%" PRIu64 ",%" PRId64 ",%" PRId64 ",%" PRId64
		",%" PRId64 ",%" PRId64 ",%" PRIu64 "\n",
		pair, tw_report_cycle_number(report, cycle),
		cycle->planned_ns, cycle->t0_ns, cycle->t1_ns, cycle->t2_ns,
		cycle->t3_ns, cycle->missed);
}

static void print_percentiles(FILE *file, const struct tw_report *report,
			      enum tw_metric_id id)
{
	const struct tw_config *config = report->config;
	const struct tw_tally *tally = report->session->pair->tally;
	int64_t value_ns;
	int i;

	fprintf(file, "# Percentiles %s:", tw_metrics[id].token);
	for (i = 0; i < config->percentile_count; i++) {
		double percent = config->percentiles[i];

		if (tw_tally_percentile(tally, id, percent, &value_ns))
			fprintf(file, " %.10g:%.*f", percent,
				config->nsecs ? 0 : 1,
				tw_report_real(config, (double)value_ns));
		else
			fprintf(file, " %.10g:-", percent);
	}
	fprintf(file, "\n");
}

void tw_report_percentiles(FILE *file, const struct tw_report *report)
{
	const struct tw_config *config = report->config;
	int i;

	for (i = 0; config->percentile_count && i < config->metric_count; i++)
		print_percentiles(file, report, config->metrics[i]);
}

/* The longest that anything took in any cycle, but the sleep asked for. */
static int64_t longest_phase_ns(const struct tw_tally *tally)
{
	static const enum tw_metric_id phases[] = {
		TW_WAKEUP, TW_SEND, TW_SLEEP, TW_RECEIVE,
	};
	int64_t longest_ns = 0, max_ns;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(phases); i++) {
		if (tw_metrics[phases[i]].needs_timer &&
		    !tally->params.period_ns)
			continue;
		max_ns = tw_tally_status(tally, phases[i]).max_ns;
		if (phases[i] == TW_SLEEP)
			max_ns -= tally->params.sleep_ns;
		if (max_ns > longest_ns)
			longest_ns = max_ns;
	}
	return longest_ns;
}

/* Stalls that are shorter than usual are not counted: whose are they? */
static bool may_be_throttled(const struct tw_session *session)
{
	const struct tw_tally *tally = session->pair->tally;

	if (session->analysis && !session->analysis->lacks)
		return session->analysis->throttling;
	return tally->stall_max_ns &&
	       (session->throttling_heard ||
		longest_phase_ns(tally) >= session->throttle.stall_ns / 4);
}

/* What stopped the throttled cycles, and how to do without. */
static void print_throttling(FILE *file, const struct tw_session *session)
{
	const struct tw_throttle *throttle = &session->throttle;
	const struct tw_tally *tally = session->pair->tally;

	if (tally->throttled)
		fprintf(file, "# Throttling stopped real-time tasks for %"
			PRId64 " us at a time, as the load left its CPU no rest\n",
			tw_ns_to_us(throttle->stall_ns));
	else
		fprintf(file, "# Throttling may have stopped real-time tasks for up to %"
			PRId64 " us at a time; counted are only stalls from %"
			PRId64 " us on\n", tw_ns_to_us(throttle->stall_ns),
			tw_ns_to_us(tally->stall_min_ns));
	if (throttle->runtime_us > 0 &&
	    (throttle->group || !throttle->fair_server))
		fprintf(file, "# (sched_rt_runtime_us %" PRId64 " of %" PRId64
			"): not this kernel's latency; --rt-runtime=-1 lifts it for a run\n",
			throttle->runtime_us, throttle->period_us);
	else
		fprintf(file, "# (the fair server, debug/sched/fair_server): not this kernel's latency\n");
}

static void print_work(FILE *file, const struct tw_report *report)
{
	const struct tw_step_result *step = &report->session->steps[0];
	const struct tw_load_ops *load = report->config->load;
	double rate = tw_report_work_rate(step);

	fprintf(file, "# Load: %s, %d %s, %.1f %s a second, %.1f a %s\n",
		load->name, step->workers,
		step->workers == 1 ? load->one : load->many, rate, load->work,
		step->workers ? rate / step->workers : 0, load->one);
}

void tw_report_settings(const struct tw_report *report, enum tw_role role,
			const struct tw_settings **begin,
			const struct tw_settings **end)
{
	const struct tw_session *session = report->session;
	const struct tw_side *side = &session->pair->side[role];
	bool main = role == TW_MAIN;

	*begin = main ? &session->main_settings : &side->settings;
	*end = main ? &session->main_left : &side->left;
}

static void print_settings(FILE *file, const char *before,
			   const struct tw_settings *settings)
{
	char list[512];

	fprintf(file, "%sCPU %s, policy %s, priority %d", before,
		tw_place_format(&settings->cpus, list, sizeof(list)),
		tw_system_policy_name(settings->policy), settings->priority);
}

/* By somebody else, or by the kernel when a CPU was taken away. */
static void print_changes(FILE *file, const struct tw_report *report)
{
	const struct tw_settings *begin, *end;
	int role;

	for (role = TW_MAIN; role <= TW_CLIENT; role++) {
		tw_report_settings(report, role, &begin, &end);
		if (!tw_system_changed(begin, end))
			continue;
		fprintf(file, "# Changed while it ran: %s, ",
			tw_role_titles[role]);
		print_settings(file, "from ", begin);
		print_settings(file, " to ", end);
		fprintf(file, "\n");
	}
}

void tw_report_remarks(FILE *file, const struct tw_report *report)
{
	const struct tw_session *session = report->session;
	const struct tw_pair *pair = session->pair;
	const struct tw_child *client = &pair->side[TW_CLIENT].child;
	const struct tw_child *server = &pair->side[TW_SERVER].child;

	if (pair->tally->missed && !report->config->histogram_us)
		fprintf(file, "# Missed: %" PRIu64 "\n", pair->tally->missed);
	if (pair->tally->throttled && !report->config->histogram_us)
		fprintf(file, "# Throttled: %" PRIu64 "\n",
			pair->tally->throttled);
	if (pair->tally->throttled || may_be_throttled(session))
		print_throttling(file, session);
	if (client->stops || server->stops)
		fprintf(file, "# Stopped by a signal, and continued: client %d, server %d times; that time is in the results\n",
			client->stops, server->stops);
	if (report->config->load && report->config->steps == 1)
		print_work(file, report);
	if (tw_report_not_dumped(report))
		fprintf(file, "# Not dumped: %" PRIu64 " cycles, as the parent process could not keep up\n",
			tw_report_not_dumped(report));
	if (report->not_printed)
		fprintf(file, "# Not printed: %" PRIu64 " cycles, as the reader did not keep up\n",
			report->not_printed);
	if (report->config->verbose && !report->config->quiet)
		tw_report_cost(file, report);
	tw_report_drift(file, report);
	print_changes(file, report);
	if (session->strangers)
		fprintf(file, "# Unexpected connections refused: %" PRIu64 "\n",
			session->strangers);
}
