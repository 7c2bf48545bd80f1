// SPDX-License-Identifier: GPL-2.0-or-later
/* --percentiles of the columns, and those that limits need. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tw_buckets.h"
#include "tw_part.h"
#include "tw_percentile.h"
#include "tw_text.h"

#define PERCENTS_MAX	32

/* Memory of a pair. */
struct room {
	uint64_t above[TW_BOUNDS_MAX];	/* how many values, of each bound */
	uint64_t of[][TW_BUCKETS];	/* by kept[] */
};

static char usual[] = "50,90,99,99.9,99.99,99.999";

static double percents[PERCENTS_MAX];
static int count;		/* 0: none is to be printed */
static enum tw_metric_id kept[TW_SPANS];
static int kept_count;
static struct bound {
	enum tw_metric_id id;
	int64_t ns;
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
	  .help = "print percentiles of each column after the run;\n"
		  "default 50,90,99,99.9,99.99,99.999" },
	{ .name = NULL }
};

static void keep(enum tw_metric_id id)
{
	int i;

	for (i = 0; i < kept_count; i++)
		if (kept[i] == id)
			return;
	kept[kept_count++] = id;
}

void tw_percentile_bound(enum tw_metric_id id, int64_t bound_ns)
{
	keep(id);
	bounds[bound_count++] = (struct bound) { id, bound_ns };
}

/* The columns are known when all options were checked. */
static size_t room(const struct tw_run *run)
{
	int i;

	for (i = 0; count && i < tw_config.columns; i++)
		keep(tw_config.metrics[i]);
	return kept_count ? sizeof(struct room) +
	       kept_count * TW_BUCKETS * sizeof(uint64_t) : 0;
}

static bool record(void *memory, const struct tw_cycle *cycle,
		   const int64_t values_ns[])
{
	struct room *to = memory;
	int i;

	for (i = 0; i < kept_count; i++)
		if (values_ns[kept[i]] != TW_NO_VALUE)
			to->of[i][tw_buckets_of(values_ns[kept[i]])]++;
	for (i = 0; i < bound_count; i++)
		to->above[i] += values_ns[bounds[i].id] > bounds[i].ns;
	return false;
}

/* What the buckets say, narrowed by what is known of the bounds. */
bool tw_percentile_ns(const struct tw_run *run, int pair, enum tw_metric_id id,
		      double percent, uint64_t more, int64_t *value_ns)
{
	const struct tw_stats *all = &run->pairs[pair]->total.stats[id];
	uint64_t rank = tw_buckets_rank(all->count + more, percent);
	const struct room *of = tw_pair_room(run, pair, &tw_part_percentiles);
	int64_t least_ns = all->min_ns, most_ns = all->max_ns;
	int i;

	if (all->count < tw_buckets_needed(percent) || rank > all->count)
		return false;
	for (i = 0; i < bound_count; i++) {
		bool above = all->count - of->above[i] < rank;

		if (bounds[i].id != id)
			continue;
		if (above && bounds[i].ns >= least_ns)
			least_ns = bounds[i].ns + 1;
		if (!above && bounds[i].ns < most_ns)
			most_ns = bounds[i].ns;
	}
	for (i = 0; kept[i] != id; i++)
		;
	*value_ns = tw_buckets_value_ns(of->of[i], rank);
	*value_ns = *value_ns < least_ns ? least_ns :
		    *value_ns > most_ns ? most_ns : *value_ns;
	return true;
}

static bool of_column(const struct tw_run *run, int column, double percent,
		      int64_t *value_ns)
{
	return tw_percentile_ns(run, tw_text_pair(column),
				tw_text_metric(column), percent, 0, value_ns);
}

static void print_column(FILE *file, const struct tw_run *run, int column)
{
	int64_t value_ns;
	int i;

	fprintf(file, "# Percentiles T:%d %s:", column, tw_text_name(column));
	for (i = 0; i < count; i++)
		if (of_column(run, column, percents[i], &value_ns))
			fprintf(file, " %.10g:%.*f", percents[i],
				tw_config.nsecs ? 0 : 1,
				tw_text_real((double)value_ns));
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

static bool any(const void *of)
{
	return count;
}

static const void *next_percent(const void *of, int *i, const char **key)
{
	static double value;
	static char name[32];
	const struct tw_spot *spot = of;
	int64_t ns;

	if (*i == count)
		return NULL;
	snprintf(name, sizeof(name), "%.10g", percents[*i]);
	*key = name;
	value = of_column(spot->run, spot->number, percents[*i], &ns) ?
		tw_text_real((double)ns) : NAN;
	return &value;
}

static const struct tw_member members[] = {
	{ "percentiles", TW_NOWHERE, TW_MAP, "Values by percentage, within 1/1024; null: fewer than 10 values are above it.",
	  "'minProperties': 1, 'maxProperties': 32, 'propertyNames': { 'pattern': '^[0-9]+(\\\\.[0-9]+)?(e-[0-9]+)?$' }",
	  .optional = true, .has = any, .next = next_percent,
	  .of = TW_EACH(TW_SELF(double), TW_REAL, "A value.",
			.nullable = true, .format = "%.12g"),
	  .line = 6 },
	{ .name = NULL }
};

const struct tw_part tw_part_percentiles = {
	.options = options, .group = TW_OUTPUT, .room = room, .record = record,
	.text = text, .members[TW_OF_COLUMN] = members,
};
