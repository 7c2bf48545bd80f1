// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "base/tw_json.h"
#include "base/tw_time.h"
#include "measure/tw_excess.h"
#include "result/tw_kept.h"
#include "run/tw_session.h"

/* Of the pair that the cycle is of. */
static const struct tw_tally *tally_of(const struct tw_run *run,
				       const struct tw_kept *kept)
{
	return tw_session_pair(tw_session(run), kept->pair)->tally;
}

uint64_t tw_cycle_number(const struct tw_run *run,
			 const struct tw_kept *kept)
{
	return kept->cycle.seq - tally_of(run, kept)->first_seq;
}

void tw_kept_print_pair(FILE *file, const struct tw_run *run,
			unsigned int pair)
{
	if (tw_session(run)->config->pairs.count > 1)
		fprintf(file, "pair %u, ", pair);
}

const struct tw_metric_list *tw_kept_phases(const struct tw_run *run)
{
	return &tw_phases[tw_session(run)->config->two_clocks];
}

bool tw_kept_shows(const struct tw_run *run, enum tw_metric_id id)
{
	return !tw_config_unfit(tw_session(run)->config, id);
}

bool tw_kept_has(const struct tw_config *config, enum tw_metric_id id)
{
	return !config->two_clocks || !tw_metrics[id].across;
}

int64_t tw_kept_mean(const struct tw_run *run, double mean_ns)
{
	return tw_value(run->show->nsecs, (int64_t)mean_ns);
}

int64_t tw_kept_value(const struct tw_run *run, const struct tw_kept *kept,
		      enum tw_metric_id id)
{
	return tw_value(run->show->nsecs, tw_metrics[id].value_ns(
		&kept->cycle, &tally_of(run, kept)->params));
}

/* Of the cycle's t0. */
static void wall_time(const struct tw_kept *kept, struct tm *tm, int *us)
{
	int64_t wall_ns = kept->cycle.t0_ns - kept->ahead_ns;
	time_t seconds = (time_t)(wall_ns / TW_NS_PER_S);

	localtime_r(&seconds, tm);
	*us = (int)(wall_ns % TW_NS_PER_S / TW_NS_PER_US);
}

const char *tw_kept_time(const struct tw_kept *kept, char text[TW_KEPT_TIME])
{
	struct tm tm;
	int us;

	wall_time(kept, &tm, &us);
	snprintf(text, TW_KEPT_TIME, "%02d:%02d:%02d.%06d", tm.tm_hour,
		 tm.tm_min, tm.tm_sec, us);
	return text;
}

int64_t tw_kept_max(const struct tw_run *run, const struct tw_tally *tally,
		    enum tw_metric_id id)
{
	return tw_value(run->show->nsecs, tally->series.row[id].stats.max_ns);
}

void tw_kept_means(const struct tw_tally *tally, double means_ns[TW_METRICS])
{
	int id;

	for (id = 0; id < TW_METRICS; id++)
		means_ns[id] = tw_stats_mean(&tally->series.row[id].stats);
}

static void print_shares(FILE *file, const struct tw_run *run,
			 const struct tw_kept *kept,
			 const double means_ns[TW_METRICS],
			 enum tw_metric_id id)
{
	const struct tw_tally *tally = tally_of(run, kept);
	struct tw_share parts[TW_PARTS];
	int count = tw_excess(&kept->cycle, &tally->params, means_ns, id, parts);
	int i;

	for (i = 0; i < count; i++)
		if (tw_kept_shows(run, parts[i].phase))
			fprintf(file, "%s%s %.0f %%", i ? ", " : "; excess: ",
				tw_metrics[parts[i].phase].token,
				round(100 * parts[i].share) + 0.0);
}

static void print_phase(FILE *file, const struct tw_run *run,
			const struct tw_kept *kept,
			const double means_ns[TW_METRICS],
			enum tw_metric_id id, const char *before)
{
	fprintf(file, "%s %s %" PRId64, before, tw_metrics[id].token,
		tw_kept_value(run, kept, id));
	if (means_ns)
		fprintf(file, " (%" PRId64 ")",
			tw_kept_mean(run, means_ns[id]));
	else
		fprintf(file, " (-)");
}

void tw_kept_print(FILE *file, const struct tw_run *run,
		   const struct tw_kept *kept,
		   const double means_ns[TW_METRICS], enum tw_metric_id id)
{
	const struct tw_metric_list *phases = tw_kept_phases(run);
	const struct tw_tally *tally = tally_of(run, kept);
	const struct tw_cycle *cycle = &kept->cycle;
	char time[TW_KEPT_TIME];
	int i;

	tw_kept_print_pair(file, run, kept->pair);
	if (run->steps > 1)
		fprintf(file, "step %d, ", kept->step + 1);
	fprintf(file, "cycle %" PRIu64 ", %.6f s after start, %s:",
		tw_cycle_number(run, kept),
		(double)(cycle->t0_ns - tally->start_ns) /
		(double)TW_NS_PER_S, tw_kept_time(kept, time));
	for (i = 0; i < phases->count; i++)
		if (tw_kept_shows(run, phases->id[i]))
			print_phase(file, run, kept, means_ns,
				    phases->id[i], i ? "," : "");
	if (means_ns)
		print_shares(file, run, kept, means_ns, id);
	fprintf(file, "; CPU client %d, server %d; missed %" PRIu64 "%s\n",
		cycle->client_cpu, cycle->server_cpu, cycle->missed,
		kept->throttled ? ", throttled" : "");
}

void tw_kept_json(struct tw_json *json, const struct tw_run *run,
		  const struct tw_kept *kept)
{
	const struct tw_metric_list *phases = tw_kept_phases(run);
	const struct tw_tally *tally = tally_of(run, kept);
	const struct tw_cycle *cycle = &kept->cycle;
	char date[32], zone[16], text[64];
	struct tm tm;
	int us, i;

	wall_time(kept, &tm, &us);
	strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &tm);
	strftime(zone, sizeof(zone), "%z", &tm);
	snprintf(text, sizeof(text), "%s.%06d%s", date, us, zone);
	tw_json_uint(json, "pair", kept->pair);
	tw_json_uint(json, "cycle", tw_cycle_number(run, kept));
	tw_json_int(json, "step", kept->step);
	tw_json_int(json, "since_start_ns", cycle->t0_ns - tally->start_ns);
	tw_json_text(json, "time", text);
	tw_json_uint(json, "missed", cycle->missed);
	tw_json_bool(json, "throttled", kept->throttled);
	tw_json_int(json, "client_cpu", cycle->client_cpu);
	tw_json_int(json, "server_cpu", cycle->server_cpu);
	for (i = 0; i < phases->count; i++) {
		const struct tw_metric *metric = &tw_metrics[phases->id[i]];

		if (!tw_kept_shows(run, phases->id[i]))
			continue;
		snprintf(text, sizeof(text), "%s_ns", metric->token);
		tw_json_int(json, text,
			    metric->value_ns(cycle, &tally->params));
	}
}
