// SPDX-License-Identifier: GPL-2.0-or-later
/* Status lines, in the format of cyclictest, and percentiles. */
#include <inttypes.h>
#include <stdio.h>

#include "frame/tw_column.h"

const char *tw_column_name(const struct tw_columns *columns, int index,
			   char name[TW_COLUMN_NAME])
{
	const struct tw_column *column = &columns->column[index];

	if (columns->many)
		snprintf(name, TW_COLUMN_NAME, "%s.%u", column->token,
			 column->pair);
	else
		snprintf(name, TW_COLUMN_NAME, "%s", column->token);
	return name;
}

/* What is void: each value a dash, as wide as the value would be. */
static void void_line(char line[TW_STATUS_MAX],
		      const struct tw_column *column, int index, int width,
		      const char *pair)
{
	snprintf(line, TW_STATUS_MAX, "T:%2d (%5d) P:%2d I:%" PRId64 " C:%7" PRIu64
		" Min:%7s Act:%*s Avg:%*s Max:%8s Std:%8s %s%s",
		index, column->pid, column->priority, column->interval_us,
		column->status.count, "-", width, "-", width, "-", "-", "-",
		column->token, pair);
}

void tw_status_line(char line[TW_STATUS_MAX],
		    const struct tw_columns *columns, int index)
{
	const struct tw_column *column = &columns->column[index];
	const struct tw_status *status = &column->status;
	int width = columns->unit->width;
	char pair[16] = "";

	if (columns->many)
		snprintf(pair, sizeof(pair), " %u", column->pair);
	if (column->is_void) {
		void_line(line, column, index, width, pair);
		return;
	}
	snprintf(line, TW_STATUS_MAX, "T:%2d (%5d) P:%2d I:%" PRId64 " C:%7" PRIu64
		" Min:%7" PRId64 " Act:%*" PRId64 " Avg:%*" PRId64
		" Max:%8" PRId64 " Std:%8.1f %s%s",
		index, column->pid, column->priority, column->interval_us,
		status->count, tw_shown(columns, status->min_ns),
		width, tw_shown(columns, status->last_ns),
		width, tw_shown(columns, (int64_t)status->mean_ns),
		tw_shown(columns, status->max_ns),
		tw_shown_real(columns, status->deviation_ns), column->token, pair);
}

const struct tw_unit tw_unit_us = {
	.size = TW_NS_PER_US, .width = 5, .digits = 1,
};

const struct tw_unit tw_unit_ns = { .size = 1, .width = 8 };

void tw_status_print(FILE *file, const struct tw_columns *columns)
{
	char line[TW_STATUS_MAX];
	int i;

	for (i = 0; i < columns->count; i++) {
		tw_status_line(line, columns, i);
		fprintf(file, "%s\n", line);
	}
}

static void print_percentiles(FILE *file, const struct tw_columns *columns,
			      int index, const double *percents, int count)
{
	const struct tw_column *column = &columns->column[index];
	char name[TW_COLUMN_NAME];
	int64_t value_ns;
	int i;

	fprintf(file, "# Percentiles %s:",
		tw_column_name(columns, index, name));
	for (i = 0; i < count; i++)
		if (tw_column_percentile(column, percents[i], &value_ns))
			fprintf(file, " %.10g:%.*f", percents[i],
				columns->unit->digits,
				tw_shown_real(columns, (double)value_ns));
		else
			fprintf(file, " %.10g:-", percents[i]);
	fprintf(file, "\n");
}

void tw_percentiles_print(FILE *file, const struct tw_columns *columns,
			  const double *percents, int count)
{
	int i;

	for (i = 0; count && i < columns->count; i++)
		print_percentiles(file, columns, i, percents, count);
}
