// SPDX-License-Identifier: GPL-2.0-or-later
/* What the limits of primitivetest are for: columns, named as in sync2.out. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "pt_report.h"
#include "rt-error.h"
#include "tw_limit.h"
#include "tw_percentile.h"

/* What all limits name is found again by its text: see is_for_name(). */
static int find(const char *name, size_t length)
{
	return memchr(name, '.', length) ? 0 : -1;
}

/* Whether @part is one of the parts of @name, which points separate. */
static bool has_part(const char *name, const char *part, size_t length)
{
	for (; name; name = strchr(name, '.')) {
		name += *name == '.';
		if (!strncmp(name, part, length) &&
		    (name[length] == '.' || !name[length]))
			return true;
	}
	return false;
}

/*
 * Whether sync2.cond.roundtrip is for the metric @token of the case @name: the
 * first part is the test, the last the metric; those between are in the name.
 */
bool pt_limit_is_for(const char *text, const char *name, const char *token)
{
	size_t length = strcspn(text, ":"), part;
	const char *end = text + length, *last = memrchr(text, '.', length);

	if (strlen(token) != end - last - 1 ||
	    memcmp(last + 1, token, end - last - 1))
		return false;
	part = strcspn(text, ".");
	if (strcspn(name, ".") != part || memcmp(text, name, part))
		return false;
	for (text += part; text < last; text += part) {
		text++;
		part = strcspn(text, ".");
		if (!has_part(name, text, part))
			return false;
	}
	return true;
}

static bool is_for(const struct tw_limit *limit, int column)
{
	return pt_limit_is_for(limit->text, pt_columns[column]->in->name,
			       pt_columns[column]->metric->token);
}

/* A limit for what is not measured would be met without a word. */
static void check(const struct tw_run *run, const struct tw_limit *limit)
{
	bool found[PT_METRICS] = { false }, any = false;
	char name[PT_NAME];
	int i, k;

	for (i = 0; i < pt_selection.count; i++) {
		const struct pt_choice *choice = &pt_selection.choice[i];
		const struct pt_metric *metric = pt_choice_metrics(choice);

		pt_choice_name(choice, name);
		for (k = 0; metric[k].token; k++)
			found[k] |= pt_limit_is_for(limit->text, name,
						    metric[k].token);
	}
	for (i = 0; i < PT_METRICS; i++) {
		any |= found[i];
		if (found[i] && limit->percent > 0)
			tw_percentile_bound(i, llround(limit->most *
						       PT_PS_PER_NS));
	}
	if (!any)
		fatal("--limit=%s: nothing that is measured has this name; see --test and --list\n",
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

static struct tw_limit_value value(const struct tw_run *run, int column,
				   const struct tw_limit *limit)
{
	const struct tw_stats *of = &pt_columns[column]->stats;
	double ps = limit->average ? tw_stats_mean(of) : (double)of->max_ns;
	int64_t percentile;

	if (limit->percent > 0 &&
	    tw_percentile_ns(run, tw_text_pair(column), tw_text_metric(column),
			     limit->percent, &percentile))
		ps = (double)percentile;
	return (struct tw_limit_value) { of->count, ps / PT_PS_PER_NS };
}

const char tw_limit_help[] =
	"exit status 2 if a value is above US microseconds:\n"
	"TEST.METRIC:US its maximum, :avg:US its average,\n"
	":p99.9:US that percentile; may be repeated";

const struct tw_limited tw_limited = {
	.allowed = "allowed is TEST.METRIC:US, :avg:US or :pPERCENT:US, as in sync2.roundtrip:p99:12.5",
	.find = find, .metrics = INT32_MAX, .usual = -1, .ends = true,
	.check = check, .results = columns, .name = name_of, .is_for = is_for,
	.value = value,
};
