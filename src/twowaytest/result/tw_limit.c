// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "result/tw_limit.h"

#define AVERAGE	"avg:"

const char *const tw_verdict_names[] = {
	[TW_MET] = "met",
	[TW_EXCEEDED] = "exceeded",
	[TW_UNDECIDED] = "undecided",
};

bool tw_limit_counts(const struct tw_limit *limit)
{
	return limit->about >= TW_METRICS;
}

const char *tw_limit_about(size_t about)
{
	static const char *const counts[] = {
		"missed", "throttled", "lost",
	};

	if (about >= TW_LIMIT_ABOUTS)
		return NULL;
	return about < TW_METRICS ? tw_metrics[about].token :
				    counts[about - TW_METRICS];
}

/* "99.9" of "p99.9:", up to @end, which it has to reach. */
static bool parse_percent(const char *text, const char *end, double *percent)
{
	char *stop;

	if (strspn(text, "0123456789.") != (size_t)(end - text))
		return false;
	*percent = strtod(text, &stop);
	return stop == end && *percent > 0 && *percent < 100;
}

static bool parse_most(const char *text, int64_t *most)
{
	size_t digits = strspn(text, "0123456789");

	if (!digits || digits > 10 || text[digits])
		return false;
	*most = strtoll(text, NULL, 10);
	return *most <= TW_LIMIT_MOST;
}

/* The index of a metric or count; -1: there is none of that name. */
static int find_about(const char *name, size_t length)
{
	const char *known;
	int i;

	for (i = 0; (known = tw_limit_about(i)); i++)
		if (strlen(known) == length && !memcmp(known, name, length))
			return i;
	return -1;
}

bool tw_limit_covers(const struct tw_limit *limit, unsigned int pair)
{
	return !limit->has_list ||
	       (pair < TW_PAIRS_MAX &&
		limit->pairs[pair / 64] >> pair % 64 & 1);
}

/* A number below TW_PAIRS_MAX; *end: behind it. */
static bool parse_pair(const char *text, const char **end, unsigned int *pair)
{
	size_t digits = strspn(text, "0123456789");

	*end = text + digits;
	*pair = digits && digits < 5 ? (unsigned int)strtoul(text, NULL, 10) :
				       TW_PAIRS_MAX;
	return *pair < TW_PAIRS_MAX;
}

/* "0,2-4", up to @end. */
static bool parse_pairs(const char *text, const char *end,
			struct tw_limit *limit)
{
	unsigned int first, last;

	limit->has_list = true;
	do {
		if (!parse_pair(text, &text, &first))
			return false;
		last = first;
		if (*text == '-' && !parse_pair(text + 1, &text, &last))
			return false;
		if (last < first)
			return false;
		for (; first <= last; first++)
			limit->pairs[first / 64] |= UINT64_C(1) << first % 64;
	} while (*text++ == ',');
	return text - 1 == end;
}

bool tw_limit_parse(const char *value, struct tw_limit *limit)
{
	const char *rest = strchr(value, ':');
	const char *colon, *list;

	memset(limit, 0, sizeof(*limit));
	limit->text = value;
	limit->about = -1;
	if (!rest)
		return false;
	list = memchr(value, '@', rest - value);
	if (list && !parse_pairs(list + 1, rest, limit))
		return false;
	limit->about = find_about(value, (list ? list : rest) - value);
	if (limit->about < 0)
		return false;
	rest++;
	if (tw_limit_counts(limit))
		return parse_most(rest, &limit->most);
	if (!strncmp(rest, AVERAGE, strlen(AVERAGE))) {
		limit->average = true;
		rest += strlen(AVERAGE);
	} else if (*rest == 'p') {
		colon = strchr(rest, ':');
		if (!colon || !parse_percent(rest + 1, colon, &limit->percent))
			return false;
		rest = colon + 1;
	}
	if (!parse_most(rest, &limit->most))
		return false;
	limit->most *= 1000;
	return true;
}

void tw_limit_prepare(const struct tw_limit *limits, int count,
		      struct tw_tally *tally)
{
	int i;

	for (i = 0; i < count; i++)
		if (limits[i].percent > 0)
			tw_series_mark(&tally->series, limits[i].about,
				       limits[i].most);
}

static int64_t count_of(const struct tw_column *column, int about)
{
	const uint64_t counts[] = {
		column->missed, column->throttled, column->lost,
	};
	uint64_t count = counts[about - TW_METRICS];

	return count < INT64_MAX ? (int64_t)count : INT64_MAX;
}

enum tw_verdict tw_limit_judge(const struct tw_limit *limit,
			       const struct tw_column *column, int64_t *value)
{
	const struct tw_status *status = &column->status;

	if (column->is_void && !tw_limit_counts(limit))
		return TW_UNDECIDED;
	/* A count can be exceeded without a cycle: if all were lost. */
	if (!status->count && (!tw_limit_counts(limit) ||
			       count_of(column, limit->about) <= limit->most))
		return TW_UNDECIDED;
	if (tw_limit_counts(limit))
		*value = count_of(column, limit->about);
	else if (limit->average)
		*value = (int64_t)(status->mean_ns + 0.5);
	else if (limit->percent <= 0)
		*value = status->max_ns;
	else if (!tw_column_percentile(column, limit->percent, value))
		return TW_UNDECIDED;
	return *value > limit->most ? TW_EXCEEDED : TW_MET;
}

uint64_t tw_limit_needs(const struct tw_limit *limit)
{
	uint64_t least = 1, most = UINT64_C(1) << 62;

	/* Searched, as only tw_stats_supports() knows the rule. */
	while (limit->percent > 0 && least < most) {
		uint64_t middle = least + (most - least) / 2;

		if (tw_stats_supports(middle, limit->percent))
			most = middle;
		else
			least = middle + 1;
	}
	return least;
}
