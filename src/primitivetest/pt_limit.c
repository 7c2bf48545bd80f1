// SPDX-License-Identifier: GPL-2.0-or-later
/* What the limits of primitivetest are for: columns, named as in sync2.out. */
#include <math.h>
#include <string.h>

#include "pt_report.h"
#include "tw_limit.h"
#include "tw_percentile.h"
#include "tw_say.h"

/* What all limits name is found again by its text: see is_for_name(). */
static int find(const char *name, size_t length)
{
	return memchr(name, '.', length) ? 0 : -1;
}

/* Whether a part of the column's name is so; the first one, or the last. */
static bool has(const char *column, const char *part, size_t length, bool first,
		bool last)
{
	const char *at = column;
	size_t size;

	do {
		size = strcspn(at, ".");
		if (size == length && !memcmp(at, part, length) &&
		    first == (at == column) && last == !at[size])
			return true;
		at += size + 1;
	} while (at[-1]);
	return false;
}

/* Between test and metric, there may be other parts, in any order. */
bool pt_limit_is_for(const char *text, const char *column)
{
	const char *part = text;
	size_t length;
	bool last;

	do {
		length = strcspn(part, ".:");
		last = part[length] != '.';
		if (!has(column, part, length, part == text, last))
			return false;
		part += length + 1;
	} while (!last);
	return true;
}

static bool is_for(const struct tw_limit *limit, int column)
{
	return pt_limit_is_for(limit->text, pt_columns[column]->name);
}

/* A limit for what is not measured would be met without a word. */
static void check(const struct tw_run *run, const struct tw_limit *limit)
{
	bool found[PT_METRICS] = { false }, any = false;
	int i, k;

	for (i = 0; i < pt_chosen_count; i++)
		for (k = 0; k < pt_cases[i]->columns; k++)
			found[k] |= pt_limit_is_for(limit->text,
				pt_cases[i]->column[k].name);
	for (k = 0; k < PT_METRICS; k++) {
		any |= found[k];
		if (found[k] && limit->percent > 0)
			tw_percentile_bound(k, llround(limit->most *
						       PT_PS_PER_NS));
	}
	if (!any)
		tw_say_fatal("--limit=%s: nothing that is measured has this name; see --test and --list\n",
			     limit->text);
}

static int columns(const struct tw_run *run)
{
	return pt_column_count;
}

static const char *name_of(const struct tw_limit *limit, int column)
{
	return pt_columns[column]->name;
}

/* What is not measured may be as long as the time that was lost. */
static struct tw_limit_value value(const struct tw_run *run, int column,
				   const struct tw_limit *limit)
{
	const struct pt_case *c = pt_columns[column]->in;
	const struct tw_limit_open open = {
		.cut = (double)c->lost_ns > limit->most ? c->missed : 0,
	};
	const struct tw_series series = tw_series_of(run, column);
	struct tw_limit in_ps = *limit;
	struct tw_limit_value of;

	in_ps.most *= PT_PS_PER_NS;
	of = tw_limit_value(run, &series, &open, &in_ps);
	of.value /= PT_PS_PER_NS;
	return of;
}

static bool is_for_case(const struct tw_limit *limit, const struct pt_case *c)
{
	int i;

	for (i = 0; i < c->columns; i++)
		if (pt_limit_is_for(limit->text, c->column[i].name))
			return true;
	return false;
}

/* "skipped: sync2.cond.cross, sync2.futex.cross" */
static bool skipped(FILE *file, const struct tw_limit *limit)
{
	bool any = false;
	int i;

	for (i = 0; i < pt_case_count; i++) {
		if (!*pt_cases[i]->refused || !is_for_case(limit, pt_cases[i]))
			continue;
		if (file)
			fprintf(file, "%s%s", any ? ", " : "skipped: ",
				pt_cases[i]->name);
		any = true;
	}
	return any;
}

const char tw_limit_help[] =
	"exit status 2 if a value is above TEST.METRIC:US, its average above :avg:US, or percentile above :p99.9:US; may be repeated";

const struct tw_limited tw_limited = {
	.allowed = "allowed is TEST.METRIC:US, :avg:US or :pPERCENT:US, as in sync2.roundtrip:p99:12.5",
	.find = find, .metrics = INT32_MAX, .usual = -1, .ends = true,
	.check = check, .results = columns, .name = name_of, .is_for = is_for,
	.value = value, .open = "no trial in", .opened = "period",
	.skipped = skipped,
};
