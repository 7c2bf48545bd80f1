// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is printed of the columns: a table with a line for each row, of the
 * metric that says most of it; with --metrics, a line for each metric.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "pt_report.h"
#include "tw_place.h"
#include "tw_say.h"

#define WIDTH	10	/* of a value */

bool pt_report_json;

static const char *listed;	/* --metrics */

/* Values are in ps. */
double tw_text_real(double ps)
{
	bool us = pt_report_json ? !tw_config.nsecs : pt_config.us;

	return ps / PT_PS_PER_NS / (us ? TW_NS_PER_US : 1);
}

int64_t tw_text_whole(int64_t ps)
{
	return (int64_t)tw_text_real((double)ps);
}

int tw_text_columns(void)
{
	return pt_column_count;
}

struct tw_series tw_series_of(const struct tw_run *run, int column)
{
	const struct pt_column *of = pt_columns[column];

	return (struct tw_series) {
		of->name, (int)(of - of->in->column), &of->stats, of->in->rooms,
		tw_place_single(&of->in->task[0].begun.cpus),
	};
}

int tw_series_value(int i)
{
	return i;
}

int64_t tw_series_base(int value, int owner, int64_t rows)
{
	return 0;
}

/* Nanoseconds are rounded down to whole ones. */
static double shown(double ps)
{
	return pt_config.us ? tw_text_real(ps) : floor(tw_text_real(ps));
}

static int digits(void)
{
	return pt_config.us ? 3 : 0;
}

static void print_column(FILE *file, int number)
{
	const struct pt_column *column = pt_columns[number];
	const struct tw_stats *of = &column->stats;
	const struct pt_task *task = &column->in->task[0];

	fprintf(file, "T:%2d (%5d) P:%2d I:%" PRId64 " C:%7" PRIu64
		" Min:%7.*f Act:%8.*f Avg:%8.*f Max:%8.*f Std:%8.1f %s\n",
		number, task->pid, task->priority, pt_config.interval_us,
		of->count, digits(), shown((double)of->min), digits(),
		shown((double)of->last), digits(), shown(tw_stats_mean(of)),
		digits(), shown((double)of->max),
		tw_text_real(tw_stats_deviation(of)), column->name);
}

/* Of what the row has measured, what is before a semicolon. */
static void print_words(FILE *file, const struct pt_case *c, const char *about)
{
	if (c->kind.words)
		fprintf(file, "%s: ", c->kind.words);
	fprintf(file, "%.*s", (int)strcspn(about, ";"), about);
}

/* A kind that has metrics of its own has their words. */
static const char *about(const struct pt_column *column)
{
	const struct pt_test *test = column->in->choice.test;

	return column->in->kind.metrics == test->metrics ?
	       test->about : column->metric->label;
}

/* Before its columns. */
static void print_test(FILE *file, const struct pt_case *c)
{
	const char *before = "";
	int i;

	fprintf(file, "# Test: %s: ", c->name);
	print_words(file, c, about(c->column));
	fprintf(file, ". In %s: ", pt_config.us ? "us" : "ns");
	for (i = 0; i < c->columns; i++) {
		if (!c->column[i].shown)
			continue;
		fprintf(file, "%s%s: %s", before, c->column[i].metric->token,
			c->column[i].metric->label);
		before = "; ";
	}
	fprintf(file, "\n");
}

static void print_details(FILE *file)
{
	const struct pt_case *last = NULL;
	int i;

	for (i = 0; i < pt_column_count; i++) {
		if (!pt_columns[i]->shown)
			continue;
		if (pt_columns[i]->in != last)
			print_test(file, pt_columns[i]->in);
		last = pt_columns[i]->in;
		print_column(file, i);
	}
}

static void print_value(FILE *file, const struct tw_stats *of, double ps)
{
	if (of->count)
		fprintf(file, " %*.*f", WIDTH, digits(), shown(ps));
	else
		fprintf(file, " %*s", WIDTH, "-");
}

static void print_row(FILE *file, const struct pt_column *column, int width)
{
	const struct pt_case *c = column->in;
	const struct tw_stats *of = &column->stats;

	fprintf(file, "%-*s %8" PRIu64, width, c->name, of->count);
	print_value(file, of, (double)of->min);
	print_value(file, of, tw_stats_mean(of));
	print_value(file, of, (double)of->max);
	fprintf(file, "  ");
	print_words(file, c, about(column));
	fprintf(file, " (%s)\n", column->metric->token);
}

static void print_table(FILE *file)
{
	int i, width = 6;

	for (i = 0; i < pt_column_count; i++)
		if ((int)strlen(pt_columns[i]->in->name) > width)
			width = (int)strlen(pt_columns[i]->in->name);
	if (pt_column_count)
		fprintf(file, "# How long each of these took, in %s; --metrics=all prints all that was measured\n"
			"# %-*s %8s %*s %*s %*s  what was measured (metric)\n",
			pt_config.us ? "us" : "ns", width - 2, "test", "trials",
			WIDTH, "min", WIDTH, "avg", WIDTH, "max");
	for (i = 0; i < pt_column_count; i++)
		if (pt_columns[i]->shown)
			print_row(file, pt_columns[i], width);
}

/* The rows that have ended. */
void tw_text_status(FILE *file, const struct tw_run *run)
{
	if (pt_config.details)
		print_details(file);
	else
		print_table(file);
}

void tw_text_print(FILE *file, const struct tw_run *run)
{
	if (!run->no_status)
		tw_text_status(file, run);
	TW_PARTS(text, file, run);
	TW_PARTS(remark, file, run);
}

static void parse(const struct tw_option *option, char *value)
{
	listed = value;
}

static const struct tw_option options[] = {
	{ 0, "metrics", TW_LIST, .parse = parse,
	  .help = "a line for each of these metrics, as out or roundtrip, or all; default: a line for each test" },
	{ .name = NULL }
};

/* Of a row, what says most: how often a second it can be done; or the first. */
static const struct pt_metric *main_metric(const struct pt_case *c)
{
	const struct pt_metric *metric = c->kind.metrics;

	while (metric->token && !metric->rate)
		metric++;
	return metric->token ? metric : c->kind.metrics;
}

/* @word: of --metrics; NULL: the main ones. */
static bool is_meant(const char *word, const struct pt_column *column)
{
	return word ? !strcmp(word, "all") ||
		      !strcmp(word, column->metric->token) :
		      column->metric == main_metric(column->in);
}

/* Whether there is one. */
static bool show(const char *word)
{
	bool any = false;
	int i, k;

	for (i = 0; i < pt_chosen_count; i++)
		for (k = 0; k < pt_cases[i]->columns; k++)
			if (is_meant(word, &pt_cases[i]->column[k]))
				any = pt_cases[i]->column[k].shown = true;
	return any;
}

/* The rows are known. -v has each value: what follows from all of them, too. */
static void check(struct tw_run *run)
{
	const char *list = listed ? listed : tw_config.verbose ? "all" : NULL;
	char *words = list ? strdup(list) : NULL, *rest = words, *word;

	pt_config.details = list;
	if (!list)
		show(NULL);
	while (rest && (word = strsep(&rest, ", ")))
		if (!show(word))
			tw_say_fatal("--metrics=%s: %s: no test that is run has this metric; allowed are all, and those that the man page names for each test, such as roundtrip\n",
				     list, word);
	free(words);
}

const struct tw_part pt_part_text = {
	.options = options, .group = TW_OUTPUT, .check = check,
};
