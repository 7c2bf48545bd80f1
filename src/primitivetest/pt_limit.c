// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --limit: a verdict for each limit and each column that it is for, and from
 * them the exit status.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "pt_parts.h"
#include "pt_report.h"
#include "pt_select.h"
#include "rt-error.h"
#include "tw_limit.h"
#include "tw_percentile.h"

static struct {
	struct tw_limit limit;
	char name[PT_NAME + 16];	/* as sync2.roundtrip */
} limits[TW_LIMITS_MAX];
static int count;

static const char *const verdicts[] = { "met", "undecided", "exceeded" };

/* The column that is judged. */
static int judged;

static const char *name_of(int about)
{
	return !about && strchr(limits[count].name, '.') ? limits[count].name :
							   NULL;
}

/* What the buckets say, narrowed by what is known of the bounds. */
static bool percentile_ps(const struct tw_run *run, int number, double percent,
			  int64_t *value_ps)
{
	const struct pt_column *column = pt_column(number);
	uint64_t rank = tw_buckets_rank(column->stats.count, percent);
	int64_t least_ps = column->stats.min_ns, most_ps = column->stats.max_ns;
	int i;

	if (column->stats.count < tw_buckets_needed(percent))
		return false;
	for (i = 0; i < column->bounds; i++) {
		int64_t bound_ps = column->bounds_ps[i];
		bool above = column->stats.count - column->above[i] < rank;

		if (above && bound_ps >= least_ps)
			least_ps = bound_ps + 1;
		if (!above && bound_ps < most_ps)
			most_ps = bound_ps;
	}
	*value_ps = tw_buckets_value_ns(column->buckets, rank);
	*value_ps = *value_ps < least_ps ? least_ps :
		    *value_ps > most_ps ? most_ps : *value_ps;
	return true;
}

static int one(const struct tw_run *run)
{
	return 1;
}

static struct tw_limit_value value(const struct tw_run *run, int result,
				   const struct tw_limit *limit)
{
	const struct tw_stats *of = &pt_column(judged)->stats;
	double ps = limit->average ? tw_stats_mean(of) : (double)of->max_ns;
	int64_t percentile;

	if (limit->percent > 0 &&
	    percentile_ps(run, judged, limit->percent, &percentile))
		ps = (double)percentile;
	return (struct tw_limit_value) { of->count, ps / PT_PS_PER_NS };
}

static const struct tw_limited limited = {
	.name = name_of, .metrics = INT32_MAX, .usual = -1, .noun = "column",
	.results = one, .value = value,
};

static void parse(const struct tw_option *option, char *text)
{
	size_t length = strcspn(text, ":");

	if (count == TW_LIMITS_MAX)
		tw_option_refuse(option, text, "allowed are at most 64 limits");
	if (length >= sizeof(limits[0].name) ||
	    !memchr(text, '.', length))
		tw_option_refuse(option, text, "allowed is TEST.METRIC:US, :avg:US or :pPERCENT:US, as in sync2.roundtrip:p99:12.5");
	memcpy(limits[count].name, text, length);
	tw_limit_parse(option, text, &limited, &limits[count].limit);
	count++;
}

static const struct tw_option options[] = {
	{ 0, "limit", required_argument, "LIMIT", parse,
	  .help = "exit status 2 if a value is above US microseconds:\n"
		  "TEST.METRIC:US its maximum, :avg:US its average,\n"
		  ":p99.9:US that percentile; may be repeated" },
	{ .name = NULL }
};

/* Whether it is for a metric of this choice. */
static bool is_for(int i, const struct pt_choice *choice)
{
	const struct pt_metric *metric = pt_choice_metrics(choice);
	char name[PT_NAME];

	pt_choice_name(choice, name);
	for (; metric->token; metric++)
		if (pt_name_is_for(limits[i].name, name, metric->token))
			return true;
	return false;
}

bool pt_limit_any(const struct pt_choice *choice)
{
	int i;

	for (i = 0; i < count; i++)
		if (limits[i].limit.percent > 0 && is_for(i, choice))
			return true;
	return false;
}

void pt_limit_bounds(struct pt_column *column)
{
	int i;

	for (i = 0; i < count && column->bounds < PT_BOUNDS; i++)
		if (limits[i].limit.percent > 0 &&
		    pt_name_is_for(limits[i].name, column->in->name,
				   column->metric->token))
			column->bounds_ps[column->bounds++] = (int64_t)
				(limits[i].limit.most * PT_PS_PER_NS + 0.5);
}

/* A limit for what is not measured would be met without a word. */
static void check(struct tw_run *run)
{
	int i, k;

	tw_percentile_of = percentile_ps;
	for (i = 0; i < count; i++) {
		for (k = 0; k < pt_selection.count; k++)
			if (is_for(i, &pt_selection.choice[k]))
				break;
		if (k == pt_selection.count)
			fatal("--limit=%s: nothing that is measured has this name; see --test and --list\n",
			      limits[i].limit.text);
	}
}

/* Calls @tell for each limit and column; returns whether all are met. */
static bool for_each(const struct tw_run *run, FILE *file,
		     void (*tell)(FILE *file, const struct tw_limit *limit,
				  const struct tw_judgment *judgment))
{
	bool cut = run->interrupted || run->failed || run->broken, all = true;
	struct tw_judgment judgment;
	int i;

	for (i = 0; i < count; i++) {
		bool found = false;

		for (judged = 0; judged < pt_column_count(); judged++) {
			const struct pt_column *column = pt_column(judged);

			if (!pt_name_is_for(limits[i].name, column->in->name,
					    column->metric->token))
				continue;
			found = true;
			judgment = tw_limit_judge(&limits[i].limit, &limited,
						  run, cut);
			all &= judgment.verdict == TW_MET;
			if (file)
				tell(file, &limits[i].limit, &judgment);
		}
		all &= found;
		judgment = (struct tw_judgment) { .verdict = TW_UNDECIDED };
		if (!found && file)
			tell(file, &limits[i].limit, &judgment);
	}
	return all;
}

static bool exceeded(const struct tw_run *run)
{
	return !for_each(run, NULL, NULL);
}

static void print(FILE *file, const struct tw_limit *limit,
		  const struct tw_judgment *judgment)
{
	uint64_t needed = tw_limit_needed(limit);

	fprintf(file, "# Limit %s: %s: ", limit->text,
		verdicts[judgment->verdict]);
	if (judged == pt_column_count())
		fprintf(file, "it was not measured\n");
	else if (judgment->of.cycles < needed)
		fprintf(file, "%s has %" PRIu64 " values, needed are %" PRIu64
			"\n", pt_column(judged)->name, judgment->of.cycles,
			needed);
	else
		fprintf(file, "%s%s %.1f ns\n", judgment->cut ?
			"the run was cut short; so far " : "",
			pt_column(judged)->name, judgment->of.value);
}

static void text(FILE *file, const struct tw_run *run)
{
	for_each(run, file, print);
}

static const char *comma;

static void write_limit(FILE *file, const struct tw_limit *limit,
			const struct tw_judgment *judgment)
{
	fprintf(file, "%s\n      { \"limit\": \"%s\", \"metric\": ", comma,
		limit->text);
	comma = ",";
	if (judged == pt_column_count())
		fprintf(file, "null");
	else
		fprintf(file, "\"%s\"", pt_column(judged)->name);
	fprintf(file, ", \"most_ns\": %.15g, \"value_ns\": ", limit->most);
	if (judgment->verdict == TW_UNDECIDED)
		fprintf(file, "null");
	else
		fprintf(file, "%.15g", judgment->of.value);
	fprintf(file, ", \"verdict\": \"%s\" }", verdicts[judgment->verdict]);
}

static void json(FILE *file, const struct tw_run *run)
{
	fprintf(file, "    \"limits\": [");
	comma = "";
	for_each(run, file, write_limit);
	fprintf(file, "],\n");
}

const struct tw_part pt_part_limit = {
	.options = options, .check = check, .exceeded = exceeded, .text = text,
	.json = json,
};
