// SPDX-License-Identifier: GPL-2.0-or-later
/* --percentiles; the JSON has some in any case. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rt-utils.h"
#include "frame/tw_run.h"

#define PERCENTILES_MAX	32

static const double usual[] = { 50, 90, 99, 99.9, 99.99, 99.999 };

static struct {
	double percents[PERCENTILES_MAX];
	int count;		/* 0: not asked for */
} set;
static const __typeof__(set) initial;

/* As it will be printed: two that look the same would be one JSON key. */
static bool has_percentile(double percent)
{
	char this[32], other[32];
	int i;

	snprintf(this, sizeof(this), "%.10g", percent);
	for (i = 0; i < set.count; i++) {
		snprintf(other, sizeof(other), "%.10g", set.percents[i]);
		if (!strcmp(this, other))
			return true;
	}
	return false;
}

static int parse(const struct tw_option *option, const char *value,
		 struct tw_run *run)
{
	const char *rest = value;
	char word[32], *end;
	double percent;

	set.count = 0;
	while (rest && (rest = tw_option_next_word(rest, word,
						   sizeof(word)))) {
		percent = strtod(word, &end);
		if (*end || strspn(word, "0123456789.") != strlen(word) ||
		    !(percent > 0 && percent < 100) ||
		    set.count == PERCENTILES_MAX)
			return tw_option_error(option, value, run, "allowed are up to %d numbers between 0 and 100, separated by commas",
					       PERCENTILES_MAX);
		if (has_percentile(percent))
			return tw_option_error(option, value, run,
					       "%s stands there twice", word);
		set.percents[set.count++] = percent;
	}
	if (value && !set.count)
		return tw_option_error(option, value, run,
				       "at least one percentile is needed");
	if (!value) {
		set.count = ARRAY_SIZE(usual);
		memcpy(set.percents, usual, sizeof(usual));
	}
	return 0;
}

static const struct tw_option options[] = {
	{ 0, "percentiles", TW_OPTIONAL_ARGUMENT, "LIST", parse, NULL,
	  .help = "print percentiles after the results; default\n"
		  "50,90,99,99.9,99.99,99.999" },
	{ .name = NULL }
};

static void remarks(FILE *file, const struct tw_run *run)
{
	const struct tw_columns columns = run->program->columns(run);

	tw_percentiles_print(file, &columns, set.percents, set.count);
}

static const double *wanted(int *count)
{
	*count = set.count ? set.count : (int)ARRAY_SIZE(usual);
	return set.count ? set.percents : usual;
}

void tw_percentiles_json_column(struct tw_json *json,
				const struct tw_columns *columns, int index)
{
	const double *percents;
	int count;

	percents = wanted(&count);
	tw_column_json(json, columns, index, percents, count);
}

void tw_percentiles_json(struct tw_json *json, const struct tw_columns *columns)
{
	const double *percents;
	int count;

	percents = wanted(&count);
	tw_threads_json(json, columns, percents, count);
}

const struct tw_part tw_part_percentiles = {
	.name = "percentiles", .options = options, TW_SETTINGS(set, initial),
	.remarks = remarks,
};
