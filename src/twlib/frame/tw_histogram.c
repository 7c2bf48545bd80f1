// SPDX-License-Identifier: GPL-2.0-or-later
/* The histogram of -h and -H, in the format of cyclictest. */
#include <inttypes.h>

#include "frame/tw_column.h"

static uint64_t count_at(const struct tw_column *column, int64_t us)
{
	const struct tw_window *window = tw_column_window(column);
	int64_t row = us - window->base_us;

	return row >= 0 && row < window->width_us ? window->counts[row] : 0;
}

static void print_row(FILE *file, const struct tw_columns *columns, bool sums,
		      int64_t us)
{
	uint64_t count, sum = 0;
	int i;

	for (i = 0; i < columns->count; i++)
		sum += count_at(&columns->column[i], us);
	if (!sum)
		return;
	fprintf(file, "%06" PRId64 " ", us);
	for (i = 0; i < columns->count; i++) {
		count = count_at(&columns->column[i], us);
		fprintf(file, "%s%06" PRIu64, i ? "\t" : "", count);
	}
	if (sums)
		fprintf(file, "\t%06" PRIu64, sum);
	fprintf(file, "\n");
}

/* The first row at @us or above that any column has; INT64_MAX: none. */
static int64_t next_row(const struct tw_columns *columns, int64_t us)
{
	int64_t next_us = INT64_MAX;
	int i;

	for (i = 0; i < columns->count; i++) {
		const struct tw_window *window =
			tw_column_window(&columns->column[i]);
		int64_t row_us = us > window->base_us ? us : window->base_us;

		if (row_us < window->base_us + window->width_us &&
		    row_us < next_us)
			next_us = row_us;
	}
	return next_us;
}

/* Columns have windows of their own, which may lie seconds apart. */
static void print_rows(FILE *file, const struct tw_columns *columns, bool sums)
{
	int64_t us = next_row(columns, INT64_MIN);

	for (; us != INT64_MAX; us = next_row(columns, us + 1))
		print_row(file, columns, sums, us);
}

static uint64_t overflows_of(const struct tw_column *column)
{
	return tw_window_overflows(tw_column_window(column));
}

/* "# Total:", as cyclictest: how many values are in the rows. */
static void print_totals(FILE *file, const struct tw_columns *columns,
			 bool sums)
{
	uint64_t all = 0;
	int i;

	fprintf(file, "# Total:");
	for (i = 0; i < columns->count; i++) {
		const struct tw_column *column = &columns->column[i];
		uint64_t count = column->status.count - overflows_of(column);

		all += count;
		fprintf(file, " %09" PRIu64, count);
	}
	if (sums)
		fprintf(file, " %09" PRIu64, all);
	fprintf(file, "\n");
}

static int64_t min_of(const struct tw_status *status)
{
	return status->min_ns;
}

static int64_t avg_of(const struct tw_status *status)
{
	return (int64_t)status->mean_ns;
}

static int64_t max_of(const struct tw_status *status)
{
	return status->max_ns;
}

/* "# Min Latencies:" and its like; returns the largest value printed. */
static int64_t print_values(FILE *file, const struct tw_columns *columns,
			    const char *name,
			    int64_t (*value_ns)(const struct tw_status *))
{
	int64_t value, largest = INT64_MIN;
	int i;

	fprintf(file, "# %s Latencies:", name);
	for (i = 0; i < columns->count; i++) {
		value = tw_shown(columns,
				 value_ns(&columns->column[i].status));
		if (value > largest)
			largest = value;
		fprintf(file, " %05" PRId64, value);
	}
	return largest;
}

static void print_overflows(FILE *file, const struct tw_columns *columns,
			    bool sums)
{
	uint64_t all = 0;
	int i;

	fprintf(file, "# Histogram Overflows:");
	for (i = 0; i < columns->count; i++) {
		uint64_t count = overflows_of(&columns->column[i]);

		all += count;
		fprintf(file, " %05" PRIu64, count);
	}
	if (sums)
		fprintf(file, " %05" PRIu64, all);
	fprintf(file, "\n");
}

static void print_overflow_cycles(FILE *file,
				  const struct tw_columns *columns)
{
	int i;

	fprintf(file, "# Histogram Overflow at cycle number:\n");
	for (i = 0; i < columns->count; i++) {
		const struct tw_window *window =
			tw_column_window(&columns->column[i]);
		uint64_t others = tw_window_overflows(window) - window->kept;
		uint64_t k;

		fprintf(file, "# Thread %d: ", i);
		for (k = 0; k < window->kept; k++)
			fprintf(file, "%05" PRIu64 " ",
				window->overflow_cycles[k]);
		if (others)
			fprintf(file, "# %05" PRIu64 " others", others);
		fprintf(file, "\n");
	}
}

/* What cyclictest has no word for. */
static void print_own(FILE *file, const struct tw_columns *columns)
{
	const struct tw_column *column = columns->column;
	char name[TW_COLUMN_NAME];
	int i;

	fprintf(file, "# Std Deviations:");
	for (i = 0; i < columns->count; i++)
		fprintf(file, " %.1f",
			tw_shown_real(columns, column[i].status.deviation_ns));
	fprintf(file, "\n# Metrics:");
	for (i = 0; i < columns->count; i++)
		fprintf(file, " %s", tw_column_name(columns, i, name));
	fprintf(file, "\n# Missed:");
	for (i = 0; i < columns->count; i++)
		fprintf(file, " %05" PRIu64, column[i].missed);
	fprintf(file, "\n# Throttled:");
	for (i = 0; i < columns->count; i++)
		fprintf(file, " %05" PRIu64, column[i].throttled);
	fprintf(file, "\n");
}

void tw_histogram_print(FILE *file, const struct tw_columns *columns,
			bool sums)
{
	int64_t max;

	/* As with cyclictest only if there is something to sum up. */
	sums = sums && columns->count > 1;
	fprintf(file, "# Histogram\n");
	print_rows(file, columns, sums);
	print_totals(file, columns, sums);
	print_values(file, columns, "Min", min_of);
	fprintf(file, "\n");
	print_values(file, columns, "Avg", avg_of);
	fprintf(file, "\n");
	max = print_values(file, columns, "Max", max_of);
	if (sums)
		fprintf(file, " %05" PRId64, max);
	fprintf(file, "\n");
	print_overflows(file, columns, sums);
	print_overflow_cycles(file, columns);
	print_own(file, columns);
}
