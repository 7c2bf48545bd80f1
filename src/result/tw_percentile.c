// SPDX-License-Identifier: GPL-2.0-or-later
/* --percentiles of the columns, and those that limits need. */
#include <math.h>
#include <string.h>

#include "tw_buckets.h"
#include "tw_part.h"
#include "tw_percentile.h"
#include "tw_text.h"

#define PERCENTS_MAX	32

/* Memory of an owner. */
struct room {
	uint64_t above[TW_BOUNDS_MAX];	/* how many values, of each bound */
	uint64_t of[][TW_BUCKETS];	/* by kept[] */
};

static char usual[] = "50,90,99,99.9,99.99,99.999";

static double percents[PERCENTS_MAX];
static int count;		/* 0: none is to be printed */
static int kept[TW_SPANS];	/* values */
static int kept_count;
static struct bound {
	int value;
	int64_t at;
} bounds[TW_BOUNDS_MAX];
static int bound_count;

/* The length: two that look the same would be one name in the JSON. */
static void parse(const struct tw_option *option, char *value)
{
	char copy[sizeof(usual)], *word;
	double percent;
	int i;

	count = 0;
	if (!value)
		value = strcpy(copy, usual);
	while ((word = strsep(&value, ","))) {
		if (!tw_buckets_parse(word, &percent) || strlen(word) > 10 ||
		    count == PERCENTS_MAX)
			tw_option_refuse(option, word, "allowed are at most 32 numbers above 0 and below 100, of at most 10 characters");
		for (i = 0; i < count; i++)
			if (percents[i] == percent)
				tw_option_refuse(option, word, "allowed is each percentile once");
		percents[count++] = percent;
	}
}

static const struct tw_option options[] = {
	{ 0, "percentiles", TW_LIST, .optional = true, .parse = parse,
	  .help = "of each column, default 50,90,99,99.9,99.99,99.999" },
	{ .name = NULL }
};

static void keep(int value)
{
	int i;

	for (i = 0; i < kept_count; i++)
		if (kept[i] == value)
			return;
	kept[kept_count++] = value;
}

void tw_percentile_bound(int value, int64_t bound)
{
	keep(value);
	bounds[bound_count++] = (struct bound) { value, bound };
}

/* The columns are known when all options were checked. */
static size_t room(const struct tw_run *run)
{
	int i;

	for (i = 0; count && i < tw_config.columns; i++)
		keep(tw_series_value(i));
	return kept_count ? sizeof(struct room) +
	       kept_count * TW_BUCKETS * sizeof(uint64_t) : 0;
}

static bool record(void *memory, const struct tw_cycle *cycle,
		   const int64_t values[])
{
	struct room *to = memory;
	int i;

	for (i = 0; i < kept_count; i++)
		if (values[kept[i]] != TW_NO_VALUE)
			to->of[i][tw_buckets_of(values[kept[i]])]++;
	for (i = 0; i < bound_count; i++)
		to->above[i] += values[bounds[i].value] > bounds[i].at;
	return false;
}

/* What the buckets say, narrowed by what is known of the bounds. */
bool tw_percentile_value(const struct tw_run *run,
			 const struct tw_series *series, double percent,
			 uint64_t more, int64_t *found)
{
	const struct tw_stats *all = series->stats;
	uint64_t rank = tw_buckets_rank(all->count + more, percent);
	const struct room *of = tw_part_room(series->rooms, run,
					      &tw_part_percentiles);
	int64_t least = all->min, most = all->max;
	int i;

	if (all->count < tw_buckets_needed(percent) || rank > all->count)
		return false;
	for (i = 0; i < bound_count; i++) {
		bool above = all->count - of->above[i] < rank;

		if (bounds[i].value != series->value)
			continue;
		if (above && bounds[i].at >= least)
			least = bounds[i].at + 1;
		if (!above && bounds[i].at < most)
			most = bounds[i].at;
	}
	for (i = 0; kept[i] != series->value; i++)
		;
	*found = tw_buckets_value(of->of[i], rank);
	*found = *found < least ? least : *found > most ? most : *found;
	return true;
}

static void print_column(FILE *file, const struct tw_run *run, int column)
{
	const struct tw_series series = tw_series_of(run, column);
	int64_t found;
	int i;

	fprintf(file, "# Percentiles T:%d %s:", column, series.name);
	for (i = 0; i < count; i++)
		if (tw_percentile_value(run, &series, percents[i], 0, &found))
			fprintf(file, " %.10g:%.*f", percents[i],
				tw_config.nsecs ? 0 : 1,
				tw_text_real((double)found));
		else
			fprintf(file, " %.10g:-", percents[i]);
	fprintf(file, "\n");
}

static void text(FILE *file, const struct tw_run *run)
{
	int column;

	for (column = 0; count && column < tw_text_columns(); column++)
		print_column(file, run, column);
}

static const void *next_percent(const void *of, int *i, const char **key)
{
	static double value;
	static char name[32];
	const struct tw_spot *spot = of;
	const struct tw_series series = tw_series_of(spot->run, spot->number);
	int64_t found;

	if (*i == count)
		return NULL;
	snprintf(name, sizeof(name), "%.10g", percents[*i]);
	*key = name;
	value = tw_percentile_value(spot->run, &series, percents[*i], 0,
				    &found) ?
		tw_text_real((double)found) : NAN;
	return &value;
}

static const struct tw_member members[] = {
	{ "percentiles", TW_NOWHERE, TW_MAP, "Values by percentage, within 1/1024; null: fewer than 10 values are above it.",
	  "'minProperties': 1, 'maxProperties': 32, 'propertyNames': { 'pattern': '^[0-9]+(\\\\.[0-9]+)?(e-[0-9]+)?$' }",
	  TW_IF(count), .next = next_percent,
	  .of = TW_EACH(TW_SELF(double), TW_REAL, "A value.",
			.nullable = true, .format = "%.12g") },
	{ .name = NULL }
};

const struct tw_part tw_part_percentiles = {
	.options = options, .group = TW_OUTPUT, .room = room, .record = record,
	.text = text, .members[TW_OF_COLUMN] = members,
};
