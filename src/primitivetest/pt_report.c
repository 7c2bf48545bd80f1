// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "pt_report.h"
#include "tw_jumps.h"
#include "tw_place.h"

#define EDGES	2	/* switches of a task before and after all trials */
#define NAMES	6	/* of rows in a line */
#define REMARKS	(PT_VERDICTS + 4)

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
	const char *before = "";
	uint64_t n;
	int i;

	for (i = 0; c->first_count && i < c->columns; i++) {
		if (!c->column[i].shown)
			continue;
		if (!*before)
			fprintf(file, "# First: %s", c->name);
		fprintf(file, "%s %s", before, c->column[i].metric->token);
		for (n = 0; n < c->first_count; n++)
			print_value(file, c->first_ps[n][i]);
		before = ";";
	}
	if (*before)
		fprintf(file, " ns\n");
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

static void print_rates(FILE *file, const struct pt_case *c)
{
	int i;

	for (i = 0; i < c->columns; i++)
		if (c->column[i].shown && pt_rate(&c->column[i]) > 0)
			fprintf(file, "# Rate: %s %.0f %s/s\n",
				c->column[i].name, pt_rate(&c->column[i]),
				c->column[i].metric->rate);
}

/* What a row has to say; its text is without its name. */
struct remark {
	const char *word;
	char text[PT_TEXT + 16];
};

static void __attribute__((format(printf, 3, 4)))
say(struct remark **next, const char *word, const char *format, ...)
{
	struct remark *to = (*next)++;
	va_list args;

	to->word = word;
	va_start(args, format);
	vsnprintf(to->text, sizeof(to->text), format, args);
	va_end(args);
}

/* Returns the end. Of a row that was skipped, there is nothing else. */
static struct remark *list_remarks(struct remark *next, const struct pt_case *c)
{
	const struct pt_switches of = pt_switches(c);
	const int64_t more = of.had - of.usual;
	int i;

	if (*c->refused) {
		say(&next, "Skipped", "%s", c->refused);
		return next;
	}
	if (c->missed)
		say(&next, "Missed", "%" PRIu64, c->missed);
	if (c->throttled)
		say(&next, "Throttled", "%" PRIu64, c->throttled);
	for (i = 0; i < c->verdicts; i++)
		say(&next, "Verdict", "%s%s",
		    c->verdict[i].failed ? "failed: " : "", c->verdict[i].text);
	if (of.lack)
		say(&next, "Not switched", "%" PRId64 " of %" PRId64 " switches happened",
		    of.had, of.needed);
	if (of.lack || !of.needed ||
	    more <= of.usual / 100 + EDGES * c->task_count)
		return next;
	if (pt_config.details)
		say(&next, "Preempted", "%" PRId64 " switches more than the %" PRId64 " needed",
		    more, of.usual);
	else
		say(&next, "Preempted", "%" PRId64 " times", more);
	return next;
}

/* The @n-th of a row that has this word; false: there is none. */
static bool find(int row, const char *word, int n, struct remark *found)
{
	struct remark list[REMARKS], *end = list_remarks(list, pt_cases[row]);
	const struct remark *of;

	for (of = list; of < end; of++)
		if (!strcmp(of->word, word) && !n--) {
			*found = *of;
			return true;
		}
	return false;
}

static bool has_same(int row, const struct remark *remark)
{
	struct remark other;
	int n;

	for (n = 0; find(row, remark->word, n, &other); n++)
		if (!strcmp(other.text, remark->text))
			return true;
	return false;
}

/* Of this row and, without details, of all after it that have the same. */
static void print_names(FILE *file, int first, const struct remark *remark)
{
	int i, names = 0;

	for (i = first; i < (pt_config.details ? first + 1 : pt_case_count);
	     i++)
		if (has_same(i, remark) && names++ < NAMES)
			fprintf(file, "%s%s", names > 1 ? ", " : "",
				pt_cases[i]->name);
	if (names > NAMES)
		fprintf(file, " and %d more", names - NAMES);
}

static bool is_told(int row, const struct remark *remark)
{
	int i = pt_config.details ? row : 0;

	while (i < row && !has_same(i, remark))
		i++;
	return i < row;
}

/* A line for each text; if they are @counts, and without details, for all. */
static void print_remarks(FILE *file, const char *word, bool counts)
{
	bool joined = counts && !pt_config.details;
	struct remark remark;
	int i, n, texts = 0;

	for (i = 0; i < pt_case_count; i++)
		for (n = 0; find(i, word, n, &remark); n++) {
			if (is_told(i, &remark) ||
			    (joined && texts++ >= NAMES))
				continue;
			if (joined && texts > 1)
				fprintf(file, "; ");
			else
				fprintf(file, "# %s: ", word);
			print_names(file, i, &remark);
			fprintf(file, ": %s%s", remark.text,
				joined ? "" : "\n");
		}
	if (texts > NAMES)
		fprintf(file, "; and %d more", texts - NAMES);
	if (texts)
		fprintf(file, "\n");
}

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
	print_remarks(file, "Skipped", false);
	print_remarks(file, "Missed", true);
	print_remarks(file, "Throttled", true);
	print_remarks(file, "Verdict", false);
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
	int i;

	tw_jumps_text(file, "trial");
	print_remarks(file, "Not switched", false);
	print_remarks(file, "Preempted", true);
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
