// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

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
	const char *token = tw_metrics[worst->id].token;
	char of[TW_SUFFIX];

	fprintf(file, "# %s%-*s", token, LABEL - (int)strlen(token),
		tw_config_suffix(tw_session(run)->config, worst->tally->pair,
				 of));
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

/* A row of the phases: by metric, only those that there are. */
struct row {
	char cell[TW_METRICS][24];
};

static void print_row(FILE *file, const struct tw_run *run,
		      const struct row *row)
{
	const struct tw_metric_list *phases = tw_kept_phases(run);
	int i;

	for (i = 0; i < phases->count; i++)
		if (tw_kept_shows(run, phases->id[i]))
			fprintf(file, " %*s", NUMBER,
				row->cell[phases->id[i]]);
	fprintf(file, "\n");
}

static void print_names(FILE *file, const struct tw_run *run)
{
	struct row row;
	int id;

	for (id = 0; id < TW_METRICS; id++)
		snprintf(row.cell[id], sizeof(row.cell[id]), "%s",
			 tw_metrics[id].token);
	print_row(file, run, &row);
}

static void print_means(FILE *file, const struct tw_run *run,
			const double means_ns[TW_METRICS])
{
	struct row row;
	int id;

	for (id = 0; id < TW_METRICS; id++)
		snprintf(row.cell[id], sizeof(row.cell[id]), "%" PRId64,
			 tw_kept_mean(run, means_ns[id]));
	print_row(file, run, &row);
}

static void print_values(FILE *file, const struct tw_run *run,
			 const struct tw_kept *kept)
{
	struct row row;
	int id;

	for (id = 0; id < TW_METRICS; id++)
		snprintf(row.cell[id], sizeof(row.cell[id]), "%" PRId64,
			 tw_kept_value(run, kept, id));
	print_row(file, run, &row);
}

/*
 * "-": the phase is no part of the metric. Of a metric that is a phase, it is
 * all in this one.
 */
static void print_shares(FILE *file, const struct tw_run *run,
			 const struct tw_worst *worst,
			 const double means_ns[TW_METRICS])
{
	const struct tw_metric_params *params = &worst->tally->params;
	struct tw_share parts[TW_PARTS];
	struct row row;
	int i, count;

	if (!tw_metrics[worst->id].parts[params->two_clocks].count)
		return;
	for (i = 0; i < TW_METRICS; i++)
		strcpy(row.cell[i], "-");
	count = tw_excess(&kept_of(worst)->cycle, params, means_ns, worst->id,
			  parts);
	for (i = 0; i < count; i++)
		snprintf(row.cell[parts[i].phase], sizeof(row.cell[0]), "%.0f",
			 round(100 * parts[i].share) + 0.0);
	fprintf(file, "# %*s", LABEL, "%");
	print_row(file, run, &row);
}

static void print_phases(FILE *file, const struct tw_run *run,
			 const struct tw_worst *worst, int count)
{
	const struct tw_tally *before = NULL;
	double means_ns[TW_METRICS];
	int i;

	fprintf(file, "# Their phases; %%: each one's share of the excess over the mean\n");
	fprintf(file, "# %-*s", LABEL, "worst");
	print_names(file, run);
	for (i = 0; i < count; i++) {
		tw_kept_means(worst[i].tally, means_ns);
		if (worst[i].tally != before) {
			fprintf(file, "# %-*s", LABEL, "(mean)");
			print_means(file, run, means_ns);
		}
		before = worst[i].tally;
		print_label(file, run, &worst[i]);
		print_values(file, run, kept_of(&worst[i]));
		print_shares(file, run, &worst[i], means_ns);
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
