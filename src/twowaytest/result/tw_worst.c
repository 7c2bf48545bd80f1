// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/tw_time.h"
#include "measure/tw_excess.h"
#include "result/tw_kept.h"
#include "result/tw_worst.h"
#include "run/tw_session.h"

#define LABEL	12	/* "response.255" */
#define NUMBER	8	/* behind a space; longer ones are not cut */

static const struct tw_kept *kept_of(const struct tw_worst *worst)
{
	return &worst->tally->worst[worst->id];
}

static void print_label(FILE *file, const struct tw_run *run,
			const struct tw_worst *worst)
{
	char label[LABEL + 1];

	if (tw_session(run)->config->pairs.count > 1)
		snprintf(label, sizeof(label), "%s.%u",
			 tw_metrics[worst->id].token, worst->tally->pair % 1000);
	else
		snprintf(label, sizeof(label), "%s",
			 tw_metrics[worst->id].token);
	fprintf(file, "# %-*s", LABEL, label);
}

/* Which cycle it was, and where it ran. */
static void print_place(FILE *file, const struct tw_run *run,
			const struct tw_worst *worst)
{
	const struct tw_kept *kept = kept_of(worst);
	const struct tw_cycle *cycle = &kept->cycle;
	char time[TW_KEPT_TIME], cpus[16];

	snprintf(cpus, sizeof(cpus), "%d/%d", cycle->client_cpu,
		 cycle->server_cpu);
	print_label(file, run, worst);
	fprintf(file, " %7" PRId64, tw_kept_max(run, worst->tally, worst->id));
	if (run->steps > 1)
		fprintf(file, " %4d", kept->step + 1);
	fprintf(file, " %9" PRIu64 " %11.6f %.12s %7s %6" PRIu64 "%s\n",
		tw_cycle_number(run, kept),
		(double)(cycle->t0_ns - worst->tally->start_ns) /
		(double)TW_NS_PER_S, tw_kept_time(kept, time), cpus,
		cycle->missed, kept->throttled ? " t" : "");
}

static void print_places(FILE *file, const struct tw_run *run,
			 const struct tw_worst *worst, int count)
{
	bool throttled = false;
	int i;

	fprintf(file, "# Worst cycles, in %s; s: since the first cycle; CPUs: of client/server\n",
		run->show->nsecs ? "ns" : "us");
	fprintf(file, "# %-*s %7s%s %9s %11s %12s %7s %6s\n", LABEL, "worst",
		"max", run->steps > 1 ? " step" : "", "cycle", "s", "time",
		"CPUs", "missed");
	for (i = 0; i < count; i++) {
		print_place(file, run, &worst[i]);
		throttled = throttled || kept_of(&worst[i])->throttled;
	}
	if (throttled)
		fprintf(file, "# t: real-time throttling explains the cycle\n");
}

/* Calls @print for each phase that there is, with its place. */
static void for_phases(FILE *file, const struct tw_run *run,
		       const struct tw_worst *worst,
		       void (*print)(FILE *file, const struct tw_run *run,
				     const struct tw_worst *worst,
				     enum tw_metric_id id))
{
	const struct tw_metric_list *phases = tw_kept_phases(run);
	int i;

	for (i = 0; i < phases->count; i++)
		if (tw_kept_shows(run, phases->id[i]))
			print(file, run, worst, phases->id[i]);
	fprintf(file, "\n");
}

static void print_name(FILE *file, const struct tw_run *run,
		       const struct tw_worst *worst, enum tw_metric_id id)
{
	(void)run;
	(void)worst;
	fprintf(file, " %*s", NUMBER, tw_metrics[id].token);
}

static void print_value(FILE *file, const struct tw_run *run,
			const struct tw_worst *worst, enum tw_metric_id id)
{
	fprintf(file, " %*" PRId64, NUMBER,
		tw_kept_value(run, kept_of(worst), id));
}

static void print_mean(FILE *file, const struct tw_run *run,
		       const struct tw_worst *worst, enum tw_metric_id id)
{
	double means_ns[TW_METRICS];

	tw_kept_means(worst->tally, means_ns);
	fprintf(file, " %*" PRId64, NUMBER, tw_kept_mean(run, means_ns[id]));
}

/* "-": the phase is no part of the metric. */
static void print_share(FILE *file, const struct tw_run *run,
			const struct tw_worst *worst, enum tw_metric_id id)
{
	const struct tw_tally *tally = worst->tally;
	struct tw_share parts[TW_PARTS];
	double means_ns[TW_METRICS];
	int i, count;

	(void)run;
	tw_kept_means(tally, means_ns);
	count = tw_excess(&kept_of(worst)->cycle, &tally->params, means_ns,
			  worst->id, parts);
	for (i = 0; i < count && parts[i].phase != id; i++)
		;
	if (i == count)
		fprintf(file, " %*s", NUMBER, "-");
	else
		fprintf(file, " %*.0f", NUMBER,
			round(100 * parts[i].share) + 0.0);
}

/* Of a metric that is a phase, it is all in this one. */
static void print_shares(FILE *file, const struct tw_run *run,
			 const struct tw_worst *worst)
{
	bool two_clocks = tw_session(run)->config->two_clocks;

	if (!tw_metrics[worst->id].parts[two_clocks].count)
		return;
	fprintf(file, "# %*s", LABEL, "%");
	for_phases(file, run, worst, print_share);
}

static void print_phases(FILE *file, const struct tw_run *run,
			 const struct tw_worst *worst, int count)
{
	const struct tw_tally *before = NULL;
	int i;

	fprintf(file, "# Their phases; %%: each one's share of the excess over the mean\n");
	fprintf(file, "# %-*s", LABEL, "worst");
	for_phases(file, run, NULL, print_name);
	for (i = 0; i < count; i++) {
		if (worst[i].tally != before) {
			fprintf(file, "# %-*s", LABEL, "(mean)");
			for_phases(file, run, &worst[i], print_mean);
		}
		before = worst[i].tally;
		print_label(file, run, &worst[i]);
		for_phases(file, run, &worst[i], print_value);
		print_shares(file, run, &worst[i]);
	}
}

void tw_worst_print(FILE *file, const struct tw_run *run,
		    const struct tw_worst *worst, int count)
{
	if (!count)
		return;
	print_places(file, run, worst, count);
	print_phases(file, run, worst, count);
}
