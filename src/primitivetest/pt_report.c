// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "pt_report.h"
#include "tw_jumps.h"
#include "tw_place.h"

#define EDGES	2	/* switches of a task before and after all trials */

struct pt_derived pt_derived[PT_DERIVED_MAX];
int pt_derived_count;

bool pt_report_json;

/* What the shared files print: "ns" are ps here. */
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

int tw_text_pair(int column)
{
	return pt_columns[column]->in->pair->number;
}

enum tw_metric_id tw_text_metric(int column)
{
	return pt_columns[column] - pt_columns[column]->in->column;
}

const char *tw_text_name(int column)
{
	return pt_columns[column]->name;
}

void pt_derive(double value, const char *unit, const char *formula,
	       const char *name, ...)
{
	struct pt_derived *to = &pt_derived[pt_derived_count];
	va_list args;

	if (pt_derived_count == PT_DERIVED_MAX)
		return;
	pt_derived_count++;
	to->value = value;
	to->unit = unit;
	snprintf(to->formula, sizeof(to->formula), "%s", formula);
	va_start(args, name);
	vsnprintf(to->name, sizeof(to->name), name, args);
	va_end(args);
}

void pt_derive_all(void)
{
	int i;

	for (i = 0; i < pt_case_count; i++)
		if (pt_cases[i]->choice.test->derive)
			pt_cases[i]->choice.test->derive(pt_cases[i]);
	pt_rhealstone_derive();
}

struct tw_jumps pt_jumps(void)
{
	struct tw_jumps all = { .times = 0 };
	int i;

	for (i = 0; i < pt_case_count; i++)
		tw_jumps_add(&all, &pt_cases[i]->jumps);
	return all;
}

double pt_rate(const struct pt_column *column)
{
	double mean_ps = tw_stats_mean(&column->stats);

	return column->metric->rate && mean_ps > 0 ?
	       1e9 * PT_PS_PER_NS / mean_ps : 0;
}

/* Nanoseconds are rounded down to whole ones. */
static double shown(double ps)
{
	return pt_config.us ? tw_text_real(ps) : floor(tw_text_real(ps));
}

static void print_column(FILE *file, int number)
{
	const struct pt_column *column = pt_columns[number];
	const struct tw_stats *of = &column->stats;
	const struct pt_task *task = &column->in->task[0];
	int digits = pt_config.us ? 3 : 0;

	fprintf(file, "T:%2d (%5d) P:%2d I:%" PRId64 " C:%7" PRIu64
		" Min:%7.*f Act:%8.*f Avg:%8.*f Max:%8.*f Std:%8.1f %s\n",
		number, task->pid, task->priority, pt_config.interval_us,
		of->count, digits, shown((double)of->min_ns), digits,
		shown((double)of->last_ns), digits, shown(tw_stats_mean(of)),
		digits, shown((double)of->max_ns),
		tw_text_real(tw_stats_deviation(of)), column->name);
}

/* The columns of the cases that have ended. */
void tw_text_status(FILE *file, const struct tw_run *run)
{
	int i;

	for (i = 0; i < pt_column_count; i++)
		print_column(file, i);
}

void tw_text_print(FILE *file, const struct tw_run *run)
{
	int i;

	if (!run->no_status)
		tw_text_status(file, run);
	for (i = 0; tw_parts[i]; i++)
		if (tw_parts[i]->text)
			tw_parts[i]->text(file, run);
	for (i = 0; tw_parts[i]; i++)
		if (tw_parts[i]->remark)
			tw_parts[i]->remark(file, run);
}

static void print_value(FILE *file, int64_t ps)
{
	if (ps == PT_NO_VALUE)
		fprintf(file, " -");
	else
		fprintf(file, " %" PRId64, ps / PT_PS_PER_NS);
}

/* The warm-up's values: they stand apart. */
static void print_first(FILE *file, const struct pt_case *c)
{
	uint64_t n;
	int i;

	if (!c->first_count)
		return;
	fprintf(file, "# First: %s", c->name);
	for (i = 0; i < c->columns; i++) {
		fprintf(file, "%s %s", i ? ";" : "",
			c->column[i].metric->token);
		for (n = 0; n < c->first_count; n++)
			print_value(file, c->first_ps[n][i]);
	}
	fprintf(file, "\n");
}

static void print_switches(FILE *file, const struct pt_case *c)
{
	struct pt_switches of = pt_switches(c);

	if (of.lack)
		fprintf(file, "# Not switched: %s: %" PRId64 " of %" PRId64 " switches happened\n",
			c->name, of.had, of.needed);
	else if (of.needed && of.had > of.usual + of.usual / 100 +
				       EDGES * c->task_count)
		fprintf(file, "# Preempted: %s: %" PRId64 " switches more than the %" PRId64 " needed\n",
			c->name, of.had - of.usual, of.usual);
}

static void print_changes(FILE *file, const struct pt_case *c)
{
	char before[PT_NAME + 64];
	int i;

	for (i = 0; i < c->task_count; i++) {
		snprintf(before, sizeof(before), TW_CHANGED "%s: task %s, ",
			 c->name, c->task[i].name);
		tw_process_print_change(file, before, &c->task[i].begun,
					&c->task[i].left);
	}
}

void pt_report_values(FILE *file, const struct pt_case *c,
		      const int64_t values_ps[])
{
	int i;

	for (i = 0; i < c->columns; i++) {
		fprintf(file, " %s", c->column[i].metric->token);
		print_value(file, values_ps[i]);
	}
}

static void print_case(FILE *file, const struct tw_run *run,
		       const struct pt_case *c)
{
	int i;

	print_first(file, c);
	if (c->missed)
		fprintf(file, "# Missed: %s: %" PRIu64 "\n", c->name,
			c->missed);
	if (c->throttled)
		fprintf(file, "# Throttled: %s: %" PRIu64 "\n", c->name,
			c->throttled);
	for (i = 0; i < c->columns; i++)
		if (pt_rate(&c->column[i]) > 0)
			fprintf(file, "# Rate: %s %.0f %s/s\n",
				c->column[i].name, pt_rate(&c->column[i]),
				c->column[i].metric->rate);
	for (i = 0; i < c->verdicts; i++)
		fprintf(file, "# Verdict: %s: %s%s\n", c->name,
			c->verdict[i].failed ? "failed: " : "",
			c->verdict[i].text);
}

static void text(FILE *file, const struct tw_run *run)
{
	const struct pt_derived *of;
	int i;

	tw_place_print(file, tw_place_words[TW_CLIENT] ? NULL : "-a ");
	if (pt_column_count)
		fprintf(file, "# Clock: a reading of %s takes %.1f ns, which is subtracted only from values of several operations\n",
			tw_config.clock->name,
			(double)pt_clock_ps / PT_PS_PER_NS);
	for (i = 0; i < pt_case_count; i++)
		if (*pt_cases[i]->refused)
			fprintf(file, "# Skipped: %s: %s\n", pt_cases[i]->name,
				pt_cases[i]->refused);
		else
			print_case(file, run, pt_cases[i]);
	for (i = 0; i < pt_derived_count; i++) {
		of = &pt_derived[i];
		fprintf(file, "# %s: %s %.1f%s%s = %s\n",
			strncmp(of->name, "rhealstone", 10) ? "Derived" :
			"Rhealstone", of->name, of->value,
			strcmp(of->unit, "ns") ? " " : "",
			strcmp(of->unit, "ns") ? of->unit : "", of->formula);
	}
}

static bool exceeded(const struct tw_run *run)
{
	return run->broken;
}

const struct tw_part pt_part_report = {
	.text = text, .exceeded = exceeded,
};

static void print_break(FILE *file, const struct pt_case *c)
{
	if (!c->broke.kept.number)
		return;
	fprintf(file, "# Break: %s, trial %" PRIu64 ":",
		c->column[c->broke.column].name, c->broke.kept.number);
	pt_report_values(file, c, c->broke.kept.values_ps);
	fprintf(file, " ns\n");
}

/* Of a case that was skipped, there is nothing. */
static void print_amiss(FILE *file, const struct tw_run *run)
{
	const struct tw_jumps jumps = pt_jumps();
	int i;

	tw_jumps_text(file, &jumps, "trial");
	for (i = 0; i < pt_case_count; i++) {
		if (*pt_cases[i]->refused)
			continue;
		print_switches(file, pt_cases[i]);
		print_changes(file, pt_cases[i]);
		print_break(file, pt_cases[i]);
	}
}

const struct tw_part pt_part_amiss = {
	.text = print_amiss, .tells_end = true,
};
