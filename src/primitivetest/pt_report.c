// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "pt_report.h"
#include "tw_array.h"
#include "tw_jumps.h"
#include "tw_place.h"

#define EDGES	2	/* switches of a task before and after all trials */
#define NAMES	6	/* of rows in a line */
#define ROOM	(PT_TEXT + 16)

struct pt_derived pt_derived[PT_DERIVED_MAX];
int pt_derived_count;

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

static void print_changes(FILE *file, const struct pt_case *c)
{
	char whose[PT_NAME + 32];
	int i;

	for (i = 0; i < c->task_count; i++) {
		snprintf(whose, sizeof(whose), "%s: task %s", c->name,
			 c->task[i].name);
		tw_process_print_change(file, whose, &c->task[i].begun,
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

static void print_rates(FILE *file, const struct pt_case *c)
{
	int i;

	for (i = 0; i < c->columns; i++)
		if (c->column[i].shown && pt_rate(&c->column[i]) > 0)
			fprintf(file, "# Rate: %s %.0f %s/s\n",
				c->column[i].name, pt_rate(&c->column[i]),
				c->column[i].metric->rate);
}

/* What rows have to say, each the @n-th time; false: nothing. */
struct remark {
	const char *word;
	bool (*text)(const struct pt_case *c, int n, char text[ROOM]);
	bool joined;		/* without details, all are in one line */
	bool skipped;		/* of rows that were not measured, only */
};

static bool has(const struct remark *of, int number, int n, char text[ROOM])
{
	const struct pt_case *c = pt_cases[number];

	return of->skipped == (*c->refused != '\0') && of->text(c, n, text);
}

static bool has_same(const struct remark *of, int number, const char *text)
{
	char other[ROOM];
	int n;

	for (n = 0; has(of, number, n, other); n++)
		if (!strcmp(other, text))
			return true;
	return false;
}

/* From this row on, the names of all that have this text. */
static void print_names(FILE *file, const struct remark *of, int first,
			const char *text)
{
	int i, names = 0;

	for (i = first; i < (pt_config.details ? first + 1 : pt_case_count);
	     i++)
		if (has_same(of, i, text) && names++ < NAMES)
			fprintf(file, "%s%s", names > 1 ? ", " : "",
				pt_cases[i]->name);
	if (names > NAMES)
		fprintf(file, " and %d more", names - NAMES);
}

/* A line for each row; without details, one for all that share a text. */
static void print_remark(FILE *file, const struct remark *of)
{
	bool joined = of->joined && !pt_config.details;
	int i, k, n, lines = 0;
	char text[ROOM];

	for (i = 0; i < pt_case_count; i++)
		for (n = 0; has(of, i, n, text); n++) {
			for (k = pt_config.details ? i : 0; k < i; k++)
				if (has_same(of, k, text))
					break;
			if (k < i)
				continue;
			if (joined && lines++ >= NAMES)
				continue;
			if (joined && lines > 1)
				fprintf(file, "; ");
			else
				fprintf(file, "# %s: ", of->word);
			print_names(file, of, i, text);
			fprintf(file, ": %s%s", text, joined ? "" : "\n");
		}
	if (lines > NAMES)
		fprintf(file, "; and %d more", lines - NAMES);
	if (lines)
		fprintf(file, "\n");
}

static bool text_skipped(const struct pt_case *c, int n, char text[ROOM])
{
	snprintf(text, ROOM, "%s", c->refused);
	return !n;
}

static bool text_missed(const struct pt_case *c, int n, char text[ROOM])
{
	snprintf(text, ROOM, "%" PRIu64, c->missed);
	return !n && c->missed;
}

static bool text_throttled(const struct pt_case *c, int n, char text[ROOM])
{
	snprintf(text, ROOM, "%" PRIu64, c->throttled);
	return !n && c->throttled;
}

static bool text_verdict(const struct pt_case *c, int n, char text[ROOM])
{
	if (n < c->verdicts)
		snprintf(text, ROOM, "%s%s",
			 c->verdict[n].failed ? "failed: " : "",
			 c->verdict[n].text);
	return n < c->verdicts;
}

static bool text_lack(const struct pt_case *c, int n, char text[ROOM])
{
	struct pt_switches of = pt_switches(c);

	snprintf(text, ROOM, "%" PRId64 " of %" PRId64 " switches happened",
		 of.had, of.needed);
	return !n && of.lack;
}

static bool text_preempted(const struct pt_case *c, int n, char text[ROOM])
{
	struct pt_switches of = pt_switches(c);

	if (pt_config.details)
		snprintf(text, ROOM, "%" PRId64 " switches more than the %" PRId64 " needed",
			 of.had - of.usual, of.usual);
	else
		snprintf(text, ROOM, "%" PRId64 " times", of.had - of.usual);
	return !n && !of.lack && of.needed &&
	       of.had > of.usual + of.usual / 100 + EDGES * c->task_count;
}

static const struct remark remarks[] = {
	{ "Skipped", text_skipped, false, true },
	{ "Missed", text_missed, true, false },
	{ "Throttled", text_throttled, true, false },
	{ "Verdict", text_verdict, false, false },
}, amiss[] = {
	{ "Not switched", text_lack, false, false },
	{ "Preempted", text_preempted, true, false },
};

/* Without details, only the figure that others lead to. */
static void print_derived(FILE *file)
{
	const struct pt_derived *of = pt_derived;

	for (; of < pt_derived + pt_derived_count; of++) {
		bool last = !strncmp(of->name, "rhealstone", 10);

		if (!last && !pt_config.details)
			continue;
		fprintf(file, "# %s: %s %.1f%s%s = %s\n",
			last ? "Rhealstone" : "Derived", of->name, of->value,
			strcmp(of->unit, "ns") ? " " : "",
			strcmp(of->unit, "ns") ? of->unit : "", of->formula);
	}
}

static void text(FILE *file, const struct tw_run *run)
{
	int i;

	tw_place_print(file, tw_place_words[TW_CLIENT] ? NULL : "-a ");
	if (pt_column_count && pt_config.details)
		fprintf(file, "# Clock: a reading of %s takes %.1f ns, which is subtracted only from values of several operations\n",
			tw_config.clock->name,
			(double)pt_clock_ps / PT_PS_PER_NS);
	for (i = 0; i < pt_case_count && pt_config.details; i++)
		if (!*pt_cases[i]->refused) {
			print_first(file, pt_cases[i]);
			print_rates(file, pt_cases[i]);
		}
	for (i = 0; i < (int)ARRAY_SIZE(remarks); i++)
		print_remark(file, &remarks[i]);
	print_derived(file);
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
	for (i = 0; i < (int)ARRAY_SIZE(amiss); i++)
		print_remark(file, &amiss[i]);
	for (i = 0; i < pt_case_count; i++) {
		if (*pt_cases[i]->refused)
			continue;
		print_changes(file, pt_cases[i]);
		print_break(file, pt_cases[i]);
	}
}

const struct tw_part pt_part_amiss = {
	.text = print_amiss, .tells_end = true,
};
