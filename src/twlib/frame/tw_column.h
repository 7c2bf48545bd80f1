/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The results as columns, and their printers. A column is also a status line,
 * and an entry of "thread" in JSON. Who knows what was measured makes them, and
 * makes them again to print newer results.
 *
 * The printers write to @file and do not check for errors; the caller does this
 * with ferror().
 */
#ifndef TW_COLUMN_H
#define TW_COLUMN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/tw_json.h"
#include "base/tw_series.h"
#include "base/tw_time.h"

struct tw_column {
	const char *token;	/* name in status lines and JSON */
	const char *label;	/* name in reports */
	unsigned int pair;
	bool headline;		/* the display has room for this one */
	int pid;		/* the process that measures */
	int priority;
	int cpu;		/* pinned to it all the time; -1: to none */
	int64_t interval_us;
	uint64_t missed;	/* of the pair, as in all its columns */
	uint64_t throttled;
	uint64_t lost;
	struct tw_status status;
	bool is_void;		/* there are no valid values: - and null */
	/* The histogram, the percentiles, and the target: */
	const struct tw_series *series;
	int row;
};

/* How values are shown: the user's unit. */
struct tw_unit {
	int64_t size;		/* of it in the unit of the series, ns or ps */
	int width;		/* of averages in status lines */
	int digits;		/* behind the point of percentiles */
	/* In JSON; size 0: all as above, and minimum and maximum whole. */
	int64_t json_size;
	int json_digits;
};

/* Of series in ns. */
extern const struct tw_unit tw_unit_us, tw_unit_ns;

static inline const struct tw_unit *tw_unit_of(bool nsecs)
{
	return nsecs ? &tw_unit_ns : &tw_unit_us;
}

struct tw_columns {
	int count;
	const struct tw_unit *unit;
	bool many;		/* of several pairs: a name needs its pair */
	const struct tw_column *column;
};

/* Converts ns to the user's unit: us (integers are rounded down) or ns. */
static inline int64_t tw_value(bool nsecs, int64_t ns)
{
	return nsecs ? ns : tw_ns_to_us(ns);
}

static inline double tw_real(bool nsecs, double ns)
{
	return nsecs ? ns : ns / (double)TW_NS_PER_US;
}

/* The same for values of a series, in the unit of the columns. */
static inline int64_t tw_shown(const struct tw_columns *columns, int64_t value)
{
	int64_t size = columns->unit->size;

	return value / size - (value % size < 0);
}

static inline double tw_shown_real(const struct tw_columns *columns,
				   double value)
{
	return value / (double)columns->unit->size;
}

static inline const struct tw_window *
tw_column_window(const struct tw_column *column)
{
	return &column->series->row[column->row].window;
}

/* As tw_series_percentile(). */
static inline bool tw_column_percentile(const struct tw_column *column,
					double percent, int64_t *value_ns)
{
	return !column->is_void &&
	       tw_series_percentile(column->series, column->row, percent,
				    value_ns);
}

#define TW_STATUS_MAX	256
#define TW_COLUMN_NAME	48

/* "response"; of several pairs "response.2". Returns @name. */
const char *tw_column_name(const struct tw_columns *columns, int index,
			   char name[TW_COLUMN_NAME]);

/* Prints a status line for each column; or writes one, without newline. */
void tw_status_print(FILE *file, const struct tw_columns *columns);
void tw_status_line(char line[TW_STATUS_MAX],
		    const struct tw_columns *columns, int index);

/*
 * The histograms, and the summary lines below them, in the format of
 * cyclictest. @sums: with sums over all columns, if there are several.
 */
void tw_histogram_print(FILE *file, const struct tw_columns *columns,
			bool sums);

/* A line for each column, with @count percentiles; nothing if 0. */
void tw_percentiles_print(FILE *file, const struct tw_columns *columns,
			  const double *percents, int count);

/*
 * The members of a column that its values make, percentiles first. A deviation
 * that is not a number is null.
 */
void tw_column_json(struct tw_json *json, const struct tw_columns *columns,
		    int index, const double *percents, int count);

/* "thread" */
void tw_threads_json(struct tw_json *json, const struct tw_columns *columns,
		     const double *percents, int count);

/* Both with the percentiles that the user wants. */
void tw_percentiles_json_column(struct tw_json *json,
				const struct tw_columns *columns, int index);
void tw_percentiles_json(struct tw_json *json,
			 const struct tw_columns *columns);

#endif /* TW_COLUMN_H */
