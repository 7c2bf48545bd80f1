// SPDX-License-Identifier: GPL-2.0-or-later
/* --worst and --spike: reports the cycles that were kept. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "tw_excess.h"
#include "tw_json.h"
#include "tw_report.h"
#include "tw_time.h"

static bool is_there(const struct tw_config *config, enum tw_metric_id id)
{
	return config->interval_us || !tw_metrics[id].needs_timer;
}

/* Whole us, or ns, rounded as the status lines do. */
static int64_t mean_value(const struct tw_config *config, double mean_ns)
{
	return tw_report_value(config, (int64_t)mean_ns);
}

/* A metric's value in one cycle, in the user's unit. */
static int64_t value_of(const struct tw_report *report,
			const struct tw_cycle *cycle, enum tw_metric_id id)
{
	return tw_report_value(report->config, tw_metrics[id].value_ns(
		cycle, &report->session->pair->tally->params));
}

/* Of the cycle's t0. */
static void wall_time(const struct tw_kept *kept, struct tm *tm, int *us)
{
	int64_t wall_ns = kept->cycle.t0_ns - kept->ahead_ns;
	time_t seconds = (time_t)(wall_ns / TW_NS_PER_S);

	localtime_r(&seconds, tm);
	*us = (int)(wall_ns % TW_NS_PER_S / TW_NS_PER_US);
}

void tw_report_means(const struct tw_tally *tally, double means_ns[TW_METRICS])
{
	int id;

	for (id = 0; id < TW_METRICS; id++)
		means_ns[id] = tw_stats_mean(&tally->stats[id]);
}

static void print_shares(FILE *file, const struct tw_report *report,
			 const struct tw_cycle *cycle,
			 const double means_ns[TW_METRICS],
			 enum tw_metric_id id)
{
	const struct tw_tally *tally = report->session->pair->tally;
	struct tw_part parts[TW_PARTS];
	int count = tw_excess(cycle, &tally->params, means_ns, id, parts);
	int i;

	for (i = 0; i < count; i++)
		if (is_there(report->config, parts[i].phase))
			fprintf(file, "%s%s %.0f %%", i ? ", " : "; excess: ",
				tw_metrics[parts[i].phase].token,
				round(100 * parts[i].share) + 0.0);
}

static void print_phase(FILE *file, const struct tw_report *report,
			const struct tw_cycle *cycle,
			const double means_ns[TW_METRICS],
			enum tw_metric_id id, const char *before)
{
	fprintf(file, "%s %s %" PRId64, before, tw_metrics[id].token,
		value_of(report, cycle, id));
	if (means_ns)
		fprintf(file, " (%" PRId64 ")",
			mean_value(report->config, means_ns[id]));
	else
		fprintf(file, " (-)");
}

void tw_report_kept(FILE *file, const struct tw_report *report,
		    const struct tw_kept *kept,
		    const double means_ns[TW_METRICS], enum tw_metric_id id)
{
	const struct tw_config *config = report->config;
	const struct tw_tally *tally = report->session->pair->tally;
	const struct tw_cycle *cycle = &kept->cycle;
	struct tm tm;
	size_t i;
	int us;

	wall_time(kept, &tm, &us);
	if (config->steps > 1)
		fprintf(file, "step %d, ", kept->step + 1);
	fprintf(file, "cycle %" PRIu64 ", %.6f s after start, %02d:%02d:%02d.%06d:",
		tw_report_cycle_number(report, cycle),
		(double)(cycle->t0_ns - tally->start_ns) /
		(double)TW_NS_PER_S, tm.tm_hour, tm.tm_min, tm.tm_sec, us);
	for (i = 0; i < TW_PHASES; i++)
		if (is_there(config, tw_phases[i]))
			print_phase(file, report, cycle, means_ns,
				    tw_phases[i], i ? "," : "");
	if (means_ns)
		print_shares(file, report, cycle, means_ns, id);
	fprintf(file, "; CPU client %d, server %d; missed %" PRIu64 "%s\n",
		cycle->client_cpu, cycle->server_cpu, cycle->missed,
		kept->throttled ? ", throttled" : "");
}

void tw_report_worst(FILE *file, const struct tw_report *report)
{
	const struct tw_config *config = report->config;
	const struct tw_tally *tally = report->session->pair->tally;
	double means_ns[TW_METRICS];
	int i;

	if (!config->worst || !tally->cycles)
		return;
	tw_report_means(tally, means_ns);
	for (i = 0; i < config->metric_count; i++) {
		enum tw_metric_id id = config->metrics[i];

		fprintf(file, "# Worst %s: %" PRId64 " (mean %" PRId64 "): ",
			tw_metrics[id].token,
			tw_report_value(config, tally->stats[id].max_ns),
			mean_value(config, means_ns[id]));
		tw_report_kept(file, report, &tally->worst[id], means_ns, id);
	}
}

/* The column that the metric has, or would have if it were the last. */
static int column_of(const struct tw_config *config, enum tw_metric_id id)
{
	int i;

	for (i = 0; i < config->metric_count; i++)
		if (config->metrics[i] == id)
			break;
	return i;
}

void tw_report_spikes(FILE *file, const struct tw_report *report)
{
	const struct tw_config *config = report->config;
	const struct tw_tally *tally = report->session->pair->tally;
	const struct tw_spikes *spikes = &tally->spikes;
	uint64_t n;
	size_t i;

	if (!config->spike_us)
		return;
	fprintf(file, "# Spikes: cycles whose %s exceeds %" PRId64 "\n",
		tw_metrics[spikes->metric].token,
		tw_report_value(config, spikes->limit_ns));
	for (n = 0; n < spikes->count; n++) {
		const struct tw_kept *kept = &spikes->kept[n];

		/* As cyclictest, whose line ends with the time stamp. */
		fprintf(file, "T:%2d Spike:%8" PRId64 ": TS: %12" PRId64
			" C: %7" PRIu64, column_of(config, spikes->metric),
			value_of(report, &kept->cycle, spikes->metric),
			tw_ns_to_us(kept->cycle.t0_ns),
			tw_report_cycle_number(report, &kept->cycle));
		if (config->steps > 1)
			fprintf(file, " step %d", kept->step + 1);
		for (i = 0; i < TW_PHASES - 2; i++)
			if (is_there(config, tw_phases[i]))
				fprintf(file, " %s %" PRId64,
					tw_metrics[tw_phases[i]].token,
					value_of(report, &kept->cycle,
						 tw_phases[i]));
		fprintf(file, "%s\n", kept->throttled ? " throttled" : "");
	}
	fprintf(file, "spikes = %" PRIu64 "\n", spikes->seen);
	if (spikes->seen > spikes->count)
		fprintf(file, "# Spikes not kept: %" PRIu64 "; give more --spike-nodes\n",
			spikes->seen - spikes->count);
}

void tw_report_json_kept(FILE *file, const struct tw_report *report,
			 const struct tw_kept *kept)
{
	const struct tw_tally *tally = report->session->pair->tally;
	const struct tw_cycle *cycle = &kept->cycle;
	char date[32], zone[16];
	struct tm tm;
	size_t i;
	int us;

	wall_time(kept, &tm, &us);
	strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &tm);
	strftime(zone, sizeof(zone), "%z", &tm);
	fprintf(file, "\"cycle\": %" PRIu64 ", \"step\": %d, \"since_start_ns\": %"
		PRId64 ", \"time\": \"%s.%06d%s\", \"missed\": %" PRIu64
		", \"throttled\": %s, \"client_cpu\": %d, \"server_cpu\": %d",
		tw_report_cycle_number(report, cycle), kept->step,
		cycle->t0_ns - tally->start_ns, date, us, zone, cycle->missed,
		tw_json_bool(kept->throttled), cycle->client_cpu,
		cycle->server_cpu);
	for (i = 0; i < TW_PHASES; i++)
		if (is_there(report->config, tw_phases[i]))
			fprintf(file, ", \"%s_ns\": %" PRId64,
				tw_metrics[tw_phases[i]].token,
				tw_metrics[tw_phases[i]].value_ns(cycle,
							&tally->params));
}

static void json_parts(FILE *file, const struct tw_report *report,
		       const struct tw_cycle *cycle,
		       const double means_ns[TW_METRICS], enum tw_metric_id id)
{
	const struct tw_tally *tally = report->session->pair->tally;
	struct tw_part parts[TW_PARTS];
	int count = tw_excess(cycle, &tally->params, means_ns, id, parts);
	int i;

	fprintf(file, ", \"parts\": [");
	for (i = 0; i < count; i++)
		fprintf(file, "%s{\"phase\": \"%s\", \"ns\": %" PRId64
			", \"mean_ns\": %.1f, \"share\": %.4f}",
			i ? ", " : "", tw_metrics[parts[i].phase].token,
			parts[i].value_ns, parts[i].mean_ns, parts[i].share);
	fprintf(file, "]");
}

static void json_worst(FILE *file, const struct tw_report *report)
{
	const struct tw_config *config = report->config;
	const struct tw_tally *tally = report->session->pair->tally;
	double means_ns[TW_METRICS];
	int i;

	tw_report_means(tally, means_ns);
	for (i = 0; tally->cycles && i < config->metric_count; i++) {
		enum tw_metric_id id = config->metrics[i];
		const struct tw_kept *kept = &tally->worst[id];

		fprintf(file, "%s\n      \"%s\": {", i ? "," : "",
			tw_metrics[id].token);
		tw_report_json_kept(file, report, kept);
		json_parts(file, report, &kept->cycle, means_ns, id);
		fprintf(file, "}");
	}
}

void tw_report_json_worst(FILE *file, const struct tw_report *report)
{
	const struct tw_spikes *spikes =
		&report->session->pair->tally->spikes;
	uint64_t n;

	fprintf(file, "    \"worst\": {");
	json_worst(file, report);
	fprintf(file, "\n    },\n");
	if (!report->config->spike_us) {
		fprintf(file, "    \"spikes\": null,\n");
		return;
	}
	fprintf(file, "    \"spikes\": {\n      \"metric\": \"%s\",\n"
		"      \"limit_us\": %" PRId64
		",\n      \"seen\": %" PRIu64 ",\n      \"kept\": [",
		tw_metrics[spikes->metric].token, report->config->spike_us,
		spikes->seen);
	for (n = 0; n < spikes->count; n++) {
		fprintf(file, "%s\n        {", n ? "," : "");
		tw_report_json_kept(file, report, &spikes->kept[n]);
		fprintf(file, "}");
	}
	fprintf(file, "]\n    },\n");
}
