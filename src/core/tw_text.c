// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdio.h>

#include "tw_part.h"
#include "tw_place.h"
#include "tw_process.h"
#include "tw_text.h"
#include "tw_time.h"

#define PHASES	(1 + TW_TOTAL - TW_LATENCY)	/* lines, at most */

static bool unbuffered;

static const struct tw_option options[] = {
	{ 'u', "unbuffered", TW_FLAG, &unbuffered,
	  .help = "do not buffer the output" },
	{ .name = NULL }
};

static void check(struct tw_run *run)
{
	if (unbuffered)
		setvbuf(stdout, NULL, _IONBF, 0);
}

static void begin(struct tw_run *run)
{
	if (!tw_config.priority && !run->step &&
	    tw_config.schedule == tw_process_schedule)
		printf("# Not real-time: no -p; these are times of an ordinary process (as a rule: -m -p 98 -a)\n");
}

const struct tw_part tw_part_text = {
	.options = options, .group = TW_OUTPUT, .check = check, .begin = begin,
};

int64_t tw_text_whole(int64_t ns)
{
	return tw_config.nsecs ? ns : tw_ns_to_us(ns);
}

double tw_text_real(double ns)
{
	return tw_config.nsecs ? ns : ns / (double)TW_NS_PER_US;
}

double tw_text_mean(const struct tw_stats *stats)
{
	double mean = tw_text_real(tw_stats_mean(stats));
	double max = (double)tw_text_whole(stats->max);

	return mean < max ? mean : max;
}

int tw_text_columns(void)
{
	return tw_run_pairs * tw_config.columns;
}

int tw_text_pair(int column)
{
	return column / tw_config.columns;
}

enum tw_metric_id tw_text_metric(int column)
{
	return tw_config.metrics[column % tw_config.columns];
}

/* The one CPU of a client; -1: it may use several, or was moved. */
static int cpu_of(const struct tw_pair *pair)
{
	cpu_set_t cpus = pair->process[TW_CLIENT].cpus;

	if (pair->left[TW_CLIENT].pid)
		CPU_OR(&cpus, &cpus, &pair->left[TW_CLIENT].cpus);
	return tw_place_single(&cpus);
}

struct tw_series tw_text_series(const struct tw_run *run, int pair,
				enum tw_metric_id id)
{
	return (struct tw_series) {
		tw_metrics[id].name, id, &run->pairs[pair]->total.stats[id],
		run->pairs[pair]->rooms, cpu_of(run->pairs[pair]),
	};
}

struct tw_series tw_series_of(const struct tw_run *run, int column)
{
	return tw_text_series(run, tw_text_pair(column),
			      tw_text_metric(column));
}

int tw_series_value(int i)
{
	return (int)tw_config.metrics[i];
}

/* Where its values are to be expected; an interval may be shorter, too. */
int64_t tw_series_base(int value, int pair, int64_t rows)
{
	const struct tw_metric_params params = tw_config_params(pair);
	int64_t us = tw_ns_to_us(tw_metric_ideal_ns(value, &params));

	if (value == TW_INTERVAL)
		return us > rows / 2 ? us - rows / 2 : 0;
	return us;
}

static void print_column(FILE *file, const struct tw_run *run, int column,
			 const struct tw_results *results)
{
	const struct tw_stats *of = &results->stats[tw_text_metric(column)];
	int pair = tw_text_pair(column), width = tw_config.nsecs ? 8 : 5;

	fprintf(file, "T:%2d (%5d) P:%2d I:%" PRId64 " C:%7" PRIu64
		" Min:%7" PRId64 " Act:%*" PRId64 " Avg:%*" PRId64 " Max:%8"
		PRId64, column, run->pairs[pair]->process[TW_CLIENT].pid,
		tw_config_rank(TW_CLIENT, pair).priority,
		tw_config_interval_us(pair), of->count,
		tw_text_whole(of->min), width, tw_text_whole(of->last),
		width, tw_text_whole((int64_t)tw_stats_mean(of)),
		tw_text_whole(of->max));
	if (!tw_config.latency_only)
		fprintf(file, " Std:%8.1f %s",
			tw_text_real(tw_stats_deviation(of)),
			tw_metrics[tw_text_metric(column)].name);
	fputc('\n', file);
}

/* Returns the number of lines. */
static int print_phases(FILE *file, const struct tw_results *results)
{
	const struct tw_metric_params params = tw_config_params(0);
	int id, lines = 1;

	fprintf(file, "# %-9s %8s %8s %8s %8s\n", "", "min", "avg", "max",
		"std");
	for (id = 0; id < TW_METRICS; id++) {
		const struct tw_stats *of = &results->stats[id];

		if (!tw_metric_is_phase(id, &params))
			continue;
		fprintf(file, "# %-9s %8" PRId64 " %8" PRId64 " %8" PRId64
			" %8.1f\n", tw_metrics[id].name,
			tw_text_whole(of->min),
			tw_text_whole((int64_t)tw_stats_mean(of)),
			tw_text_whole(of->max),
			tw_text_real(tw_stats_deviation(of)));
		lines++;
	}
	return lines;
}

/* Of a pair; NULL: the names. */
static void print_maxima(FILE *file, const struct tw_results *results)
{
	const struct tw_metric_params params = tw_config_params(0);
	int id;

	for (id = 0; id < TW_METRICS; id++) {
		if (!tw_metric_is_phase(id, &params) || id == TW_INTERVAL ||
		    id == TW_TOTAL)
			continue;
		if (results)
			fprintf(file, " %8" PRId64, tw_text_whole(
				results->stats[id].max));
		else
			fprintf(file, " %8s", tw_metrics[id].name);
	}
	fputc('\n', file);
}

/* Which pair was slow, and in what. Returns the number of lines. */
static int print_pairs(FILE *file, const struct tw_run *run)
{
	struct tw_results results;
	int pair;

	fprintf(file, "# %-9s", "Max of");
	print_maxima(file, NULL);
	for (pair = 0; pair < tw_run_pairs; pair++) {
		tw_tally_read(&run->pairs[pair]->tally, &results);
		fprintf(file, "# T:%2d%*s", pair, pair > 99 ? 4 : 5, "");
		print_maxima(file, &results);
	}
	return 1 + pair;
}

/* Of all columns from the one @from on; the latency of which is comparable. */
static void print_rest(FILE *file, const struct tw_run *run, int from)
{
	int column, worst = from, count = tw_text_columns();
	int64_t ns, most_ns = -1;

	for (column = from; column < count && tw_config.latency_only;
	     column++) {
		ns = run->pairs[column]->tally.results.stats[TW_LATENCY].max;
		if (ns > most_ns) {
			most_ns = ns;
			worst = column;
		}
	}
	fprintf(file, "# and %d more", count - from);
	if (tw_config.latency_only)
		fprintf(file, "; longest: %" PRId64 " (T:%d)",
			tw_text_whole(most_ns), worst);
	fputc('\n', file);
}

int tw_text_lines(FILE *file, const struct tw_run *run, int lines)
{
	struct tw_results all = { .missed = 0 }, results;
	int column, printed = 0, count = tw_text_columns();
	bool fits = count <= lines;

	for (column = 0; column < count; column++) {
		int pair = tw_text_pair(column);

		if (column % tw_config.columns == 0) {
			tw_tally_read(&run->pairs[pair]->tally, &results);
			tw_tally_merge(&all, &results);
		}
		if (printed < lines - !fits) {
			print_column(file, run, column, &results);
			printed++;
		}
	}
	if (!fits) {
		print_rest(file, run, printed);
		return printed + 1;
	}
	if (!tw_config.latency_only || printed + PHASES > lines)
		return printed;
	printed += print_phases(file, &all);
	if (tw_run_pairs > 1 && printed + tw_run_pairs < lines)
		printed += print_pairs(file, run);
	return printed;
}

void tw_text_status(FILE *file, const struct tw_run *run)
{
	tw_text_lines(file, run, INT32_MAX);
}

void tw_text_print(FILE *file, const struct tw_run *run)
{
	uint64_t missed = 0;
	int i;

	if (!run->no_status && !run->ramp)
		tw_text_status(file, run);
	TW_PARTS(text, file, run);
	for (i = 0; i < tw_run_pairs; i++)
		missed += run->pairs[i]->total.missed;
	if (missed)
		fprintf(file, "# Missed: %" PRIu64 "\n", missed);
	TW_PARTS(remark, file, run);
}
