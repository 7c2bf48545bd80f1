// SPDX-License-Identifier: GPL-2.0-or-later
/* Status lines, single values and cycles, as cyclictest prints them. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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

static void print_status(FILE *file, const struct tw_report *report,
			 int column, enum tw_metric_id id,
			 const struct tw_status *status)
{
	const struct tw_config *config = report->config;
	const struct tw_pair *pair = report->session->pair;
	int width = config->nsecs ? 8 : 5;

	fprintf(file, "T:%2d (%5d) P:%2d I:%" PRId64 " C:%7" PRIu64
		" Min:%7" PRId64 " Act:%*" PRId64 " Avg:%*" PRId64
		" Max:%8" PRId64 " Std:%8.1f %s\n",
		column, (int)pair->side[TW_CLIENT].child.pid,
		pair->task.priority[TW_CLIENT], config->interval_us,
		status->count, tw_report_value(config, status->min_ns),
		width, tw_report_value(config, status->last_ns),
		width, tw_report_value(config, (int64_t)status->mean_ns),
		tw_report_value(config, status->max_ns),
		tw_report_real(config, status->deviation_ns),
		tw_metrics[id].token);
}

void tw_report_status(FILE *file, const struct tw_report *report)
{
	const struct tw_config *config = report->config;
	struct tw_status status[TW_METRICS];
	int i;

	tw_tally_snapshot(report->session->pair->tally, status);
	for (i = 0; i < config->metric_count; i++)
		print_status(file, report, i, config->metrics[i],
			     &status[config->metrics[i]]);
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
	const struct tw_stats *stats =
		&report->session->pair->tally->stats[id];
	int64_t value_ns;
	int i;

	fprintf(file, "# Percentiles %s:", tw_metrics[id].token);
	for (i = 0; i < config->percentile_count; i++) {
		double percent = config->percentiles[i];

		if (tw_stats_percentile(stats, percent, &value_ns))
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

/* What stopped the throttled cycles, and how to do without. */
static void print_throttling(FILE *file, const struct tw_throttle *throttle)
{
	fprintf(file, "# Throttling stopped real-time tasks for %" PRId64
		" us at a time, as the load left its CPU no rest\n",
		tw_ns_to_us(throttle->stall_ns));
	if (throttle->group || !throttle->fair_server)
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
	if (pair->tally->throttled)
		print_throttling(file, &session->throttle);
	if (client->stops || server->stops)
		fprintf(file, "# Stopped by a signal, and continued: client %d, server %d times; that time is in the results\n",
			client->stops, server->stops);
	if (report->config->load && report->config->steps == 1)
		print_work(file, report);
	if (tw_report_not_dumped(report))
		fprintf(file, "# Not dumped: %" PRIu64 " cycles, as main could not keep up\n",
			tw_report_not_dumped(report));
	if (report->not_printed)
		fprintf(file, "# Not printed: %" PRIu64 " cycles, as the reader did not keep up\n",
			report->not_printed);
	if (report->config->verbose && !report->config->quiet)
		tw_report_cost(file, report);
	tw_report_drift(file, report);
	if (session->strangers)
		fprintf(file, "# Strangers turned away: %" PRIu64 "\n",
			session->strangers);
}

void tw_live_open(struct tw_live *live)
{
	memset(live, 0, sizeof(*live));
	live->loadavg_fd = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
}

void tw_live_close(struct tw_live *live)
{
	if (live->loadavg_fd >= 0)
		close(live->loadavg_fd);
	live->loadavg_fd = -1;
}

/* -M: has anything that is shown reached a new maximum? */
static bool max_has_grown(struct tw_live *live,
			  const struct tw_report *report)
{
	struct tw_status status[TW_METRICS];
	bool grown = !live->drawn;
	int i, id;

	tw_tally_snapshot(report->session->pair->tally, status);
	for (i = 0; i < report->config->metric_count; i++) {
		id = report->config->metrics[i];
		if (status[id].max_ns > live->shown_max_ns[id])
			grown = true;
		live->shown_max_ns[id] = status[id].max_ns;
	}
	return grown;
}

/* What is left of the step, in seconds; -1: nobody knows. */
static int64_t seconds_left(const struct tw_report *report)
{
	const struct tw_config *config = report->config;
	uint64_t cycles = report->session->pair->tally->cycles;
	int64_t now_ns = tw_now_ns(CLOCK_MONOTONIC);
	int64_t left_ns = INT64_MAX;

	if (config->loops && config->interval_us)
		left_ns = (config->loops - (int64_t)cycles) *
			  config->interval_us * TW_NS_PER_US;
	if (config->duration_s && report->session->end_ns - now_ns < left_ns)
		left_ns = report->session->end_ns - now_ns;
	return left_ns == INT64_MAX ? -1 : left_ns / TW_NS_PER_S;
}

/* The line that cyclictest leaves empty. */
static void draw_step(FILE *file, const struct tw_report *report)
{
	const struct tw_session *session = report->session;
	const struct tw_load_ops *load = report->config->load;
	int steps = (int)report->config->steps;
	int workers = session->steps[session->step].workers;

	if (steps > 1)
		fprintf(file, "step: %d/%d: %d %s: %" PRId64 " s left          ",
			session->step + 1, steps, workers,
			workers == 1 ? load->one : load->many,
			seconds_left(report));
	fprintf(file, "\n");
}

void tw_live_draw(struct tw_live *live, FILE *file,
		  const struct tw_report *report, bool last)
{
	const struct tw_config *config = report->config;
	char load[128] = "";

	if (config->refresh_on_max && !max_has_grown(live, report) && !last)
		return;
	if (live->drawn)
		fprintf(file, "\033[%dA", config->metric_count + 2);
	live->drawn = true;
	if (pread(live->loadavg_fd, load, sizeof(load) - 1, 0) > 0)
		load[strcspn(load, "\n")] = '\0';
	fprintf(file, "policy: %s: loadavg: %s          \n",
		tw_system_policy_name(config->policy), load);
	draw_step(file, report);
	tw_report_status(file, report);
}
