// SPDX-License-Identifier: GPL-2.0-or-later
/* -h, -H: histograms of the columns, in the format of cyclictest. */
#include <inttypes.h>

#include "tw_file.h"
#include "tw_part.h"
#include "tw_text.h"

#define OVERFLOWS	100	/* cycle numbers kept of values outside */

static int64_t rows;		/* of a column; 0: none is wanted */
static int64_t alone, sum;	/* -h, -H: the last one decides */
static struct tw_file to;

struct histogram {
	int64_t base;		/* the first row */
	unsigned long *rows;
	unsigned long values;	/* in all */
	unsigned long *outside;	/* cycle numbers, the first is 0 */
	uint64_t overflows;	/* how many values are in no row */
};

/* Memory of an owner. */
struct room {
	struct histogram of[TW_SPANS];
	unsigned long memory[];	/* of each column: rows, then overflows */
};

static void parse(const struct tw_option *option, char *value)
{
	tw_option_number(option, value);
	rows = *(int64_t *)option->to;
}

static const struct tw_option options[] = {
	{ 'h', "histogram", TW_NUMBER, &alone, "US", 1, 1000000, .parse = parse,
	  .help = "histogram of each column: rows of 1 us, range US" },
	{ 'H', "histofall", TW_NUMBER, &sum, "US", 1, 1000000, .parse = parse,
	  .help = "as -h, with a column for the sum of all columns" },
	{ 0, "histfile", TW_FILE, &to.path, .with = "-h or -H",
	  .help = "write the histogram to FILE" },
	{ .name = NULL }
};

static void check(struct tw_run *run)
{
	tw_file_add(&to);
	run->no_status |= rows && !to.path;
	tw_settings.histogram = rows;
}

static size_t room(const struct tw_run *run)
{
	return rows ? sizeof(struct room) + (rows + OVERFLOWS) *
	       tw_config.columns * sizeof(unsigned long) : 0;
}

static void attach(void *memory, int owner)
{
	struct room *to = memory;
	int i;

	for (i = 0; i < tw_config.columns; i++) {
		unsigned long *memory = to->memory + i * (rows + OVERFLOWS);
		int value = tw_series_value(i);

		to->of[value] = (struct histogram) {
			.base = tw_series_base(value, owner, rows),
			.rows = memory, .outside = memory + rows,
		};
	}
}

static int64_t row_of(int64_t value)
{
	return value / tw_config.row - (value % tw_config.row < 0);
}

static void add(struct histogram *to, int64_t row)
{
	if (row >= to->base && row < to->base + rows)
		to->rows[row - to->base]++;
	else if (to->overflows++ < OVERFLOWS)
		to->outside[to->overflows - 1] = to->values;
	to->values++;
}

static bool record(void *memory, const struct tw_cycle *cycle,
		   const int64_t values[])
{
	struct room *to = memory;
	int i;

	for (i = 0; i < tw_config.columns; i++) {
		int64_t value = values[tw_series_value(i)];

		if (value != TW_NO_VALUE)
			add(&to->of[tw_series_value(i)], row_of(value));
	}
	return false;
}

static const struct histogram *histogram_of(const struct tw_run *run,
					    int column)
{
	const struct tw_series series = tw_series_of(run, column);
	const struct room *room = tw_part_room(series.rooms, run,
						&tw_part_histogram);

	return &room->of[series.value];
}

/* The row of all columns that is for @us; nothing if it is empty. */
static void print_row(FILE *file, const struct tw_run *run, int64_t us)
{
	unsigned long counts[TW_PAIRS_MAX * TW_SPANS], all = 0;
	int i, columns = tw_text_columns();

	for (i = 0; i < columns; i++) {
		const struct histogram *of = histogram_of(run, i);

		counts[i] = us >= of->base && us < of->base + rows ?
			    of->rows[us - of->base] : 0;
		all += counts[i];
	}
	if (!all)
		return;
	fprintf(file, "%06" PRId64, us);
	for (i = 0; i < columns; i++)
		fprintf(file, "%c%06lu", i ? '\t' : ' ', counts[i]);
	if (sum)
		fprintf(file, "\t%06lu", all);
	fputc('\n', file);
}

/* cyclictest prints no such line, as all of its columns are of one kind. */
static void print_names(FILE *file, const struct tw_run *run)
{
	int i;

	fprintf(file, "# Metrics:");
	for (i = 0; i < tw_text_columns(); i++)
		fprintf(file, " %s", tw_series_of(run, i).name);
	fputc('\n', file);
}

/* With -H, the maximum of all columns comes last, if there are several. */
static void print_latencies(FILE *file, const struct tw_run *run)
{
	int64_t largest = 0;
	int i, columns = tw_text_columns();

	fprintf(file, "# Min Latencies:");
	for (i = 0; i < columns; i++)
		fprintf(file, " %05" PRId64,
			tw_text_whole(tw_series_of(run, i).stats->min));
	fprintf(file, "\n# Avg Latencies:");
	for (i = 0; i < columns; i++)
		fprintf(file, " %05" PRId64, tw_text_whole((int64_t)
			tw_stats_mean(tw_series_of(run, i).stats)));
	fprintf(file, "\n# Max Latencies:");
	for (i = 0; i < columns; i++) {
		int64_t max = tw_series_of(run, i).stats->max;

		fprintf(file, " %05" PRId64, tw_text_whole(max));
		largest = max > largest ? max : largest;
	}
	if (sum && columns > 1)
		fprintf(file, " %05" PRId64, tw_text_whole(largest));
	fputc('\n', file);
}

/* The cycles of the first ones. */
static void print_cycles(FILE *file, const struct histogram *of)
{
	unsigned long i;

	for (i = 0; i < of->overflows && i < OVERFLOWS; i++)
		fprintf(file, "%s%05lu", i ? " " : "", of->outside[i]);
	if (i == OVERFLOWS)
		fprintf(file, " # %05" PRIu64 " others",
			of->overflows - OVERFLOWS);
	fputc('\n', file);
}

static void print_overflows(FILE *file, const struct tw_run *run)
{
	unsigned long all = 0;
	int i;

	fprintf(file, "# Histogram Overflows:");
	for (i = 0; i < tw_text_columns(); i++) {
		unsigned long count = histogram_of(run, i)->overflows;

		fprintf(file, " %05lu", count);
		all += count;
	}
	if (sum && tw_text_columns() > 1)
		fprintf(file, " %05lu", all);
	fprintf(file, "\n# Histogram Overflow at cycle number:\n");
	for (i = 0; i < tw_text_columns(); i++) {
		fprintf(file, "# Thread %d: ", i);
		print_cycles(file, histogram_of(run, i));
	}
	fputc('\n', file);
}

static void print(FILE *file, const struct tw_run *run)
{
	int64_t us, first = INT64_MAX, end = 0;
	int i;

	for (i = 0; i < tw_text_columns(); i++) {
		int64_t base = histogram_of(run, i)->base;

		first = base < first ? base : first;
		end = base + rows > end ? base + rows : end;
	}
	fprintf(file, "# Histogram\n");
	for (us = first; us < end; us++)
		print_row(file, run, us);
	print_names(file, run);
	print_latencies(file, run);
	print_overflows(file, run);
}

static void text(FILE *file, const struct tw_run *run)
{
	if (rows && !to.path)
		print(file, run);
}

static void print_file(FILE *file, const struct tw_run *run)
{
	print(file, run);
	tw_file_end(file, run);
}

static int write_file(const struct tw_run *run, int status)
{
	return tw_file_write(&to, print_file, run);
}

static const void *spot_histogram(const void *of)
{
	const struct tw_spot *spot = of;

	return histogram_of(spot->run, spot->number);
}

static const void *next_row(const void *of, int *i, const char **key)
{
	static uint64_t value;
	static char name[24];
	const struct histogram *from = of;

	while (*i < rows && !from->rows[*i])
		++*i;
	if (*i >= rows)
		return NULL;
	snprintf(name, sizeof(name), "%" PRId64, from->base + *i);
	*key = name;
	value = from->rows[*i];
	return &value;
}

static const struct tw_member members[] = {
	{ "histogram", TW_NOWHERE, TW_MAP, "Counts; the index is in us, whatever -N says. Empty ones are left out.",
	  "'propertyNames': { 'pattern': '^(0|[1-9][0-9]*)$' }",
	  TW_IF(rows), .get = spot_histogram,
	  .next = next_row,
	  .of = TW_EACH(TW_SELF(uint64_t), TW_INTEGER, "Values.",
			"'minimum': 1") },
	{ "overflows", TW_IN(struct histogram, overflows), TW_COUNT,
	  "Values outside the histogram.", TW_IF(rows),
	  .get = spot_histogram },
	{ .name = NULL }
};

const struct tw_part tw_part_histogram = {
	.options = options, .group = TW_OUTPUT, .check = check, .room = room,
	.attach = attach, .record = record, .text = text,
	.members[TW_OF_COLUMN] = members,
	.write = write_file,
};
