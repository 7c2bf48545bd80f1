// SPDX-License-Identifier: GPL-2.0-or-later
/* The columns in JSON: "thread", with the same members as cyclictest's. */
#include <inttypes.h>
#include <stdio.h>

#include "rt-numa.h"
#include "frame/tw_column.h"

static void json_histogram(struct tw_json *json,
			   const struct tw_window *window)
{
	char key[32];
	int64_t row;

	tw_json_begin(json, "histogram", '{');
	for (row = 0; row < window->width_us; row++) {
		if (!window->counts[row])
			continue;
		snprintf(key, sizeof(key), "%" PRId64, window->base_us + row);
		tw_json_uint(json, key, window->counts[row]);
	}
	tw_json_end(json);
	tw_json_uint(json, "overflows", tw_window_overflows(window));
}

static double in_json(const struct tw_columns *columns, double value)
{
	const struct tw_unit *unit = columns->unit;

	return value / (double)(unit->json_size ? unit->json_size : unit->size);
}

/* A value as it was measured, or the target. */
static void json_value(struct tw_json *json, const char *key, bool known,
		       const struct tw_columns *columns, int64_t value)
{
	const struct tw_unit *unit = columns->unit;

	if (unit->json_size)
		tw_json_real_if(json, key, known, in_json(columns, value),
				unit->json_digits);
	else
		tw_json_int_if(json, key, known, tw_shown(columns, value));
}

static void json_percentiles(struct tw_json *json,
			     const struct tw_columns *columns, int index,
			     const double *percents, int count)
{
	const struct tw_column *column = &columns->column[index];
	int64_t value = 0;
	char key[32];
	bool known;
	int i;

	tw_json_begin_line(json, "percentiles", '{');
	for (i = 0; i < count; i++) {
		snprintf(key, sizeof(key), "%.10g", percents[i]);
		known = tw_column_percentile(column, percents[i], &value);
		tw_json_real_if(json, key, known, in_json(columns, value),
				columns->unit->json_size ?
				columns->unit->json_digits :
				columns->unit->size == 1 ? 0 : 3);
	}
	tw_json_end(json);
}

void tw_column_json(struct tw_json *json, const struct tw_columns *columns,
		    int index, const double *percents, int count)
{
	const struct tw_column *column = &columns->column[index];
	const struct tw_status *status = &column->status;
	const struct tw_stats *stats = &column->series->row[column->row].stats;
	int more = columns->unit->json_digits;
	/* What only cycles can tell is null if there were none. */
	bool known = status->count && !column->is_void;

	json_percentiles(json, columns, index, percents, count);
	tw_json_real_if(json, "stddev", known,
			in_json(columns, status->deviation_ns), 3 + more);
	json_value(json, "target", stats->has_target, columns,
		   stats->target_ns);
	tw_json_uint(json, "cycles", status->count);
	json_value(json, "min", known, columns, status->min_ns);
	json_value(json, "max", known, columns, status->max_ns);
	tw_json_real_if(json, "avg", known,
			in_json(columns, status->mean_ns), 2 + more);
}

static void json_thread(struct tw_json *json, const struct tw_columns *columns,
			int index, const double *percents, int count)
{
	const struct tw_column *column = &columns->column[index];
	const struct tw_window *window = tw_column_window(column);
	int cpu = column->cpu;
	char key[16];

	snprintf(key, sizeof(key), "%d", index);
	tw_json_begin(json, key, '{');
	tw_json_text(json, "metric", column->token);
	tw_json_text(json, "label", column->label);
	tw_json_uint(json, "pair", column->pair);
	if (window->width_us)
		json_histogram(json, window);
	tw_column_json(json, columns, index, percents, count);
	tw_json_int(json, "cpu", cpu);
	tw_json_int(json, "node", cpu >= 0 && numa_initialize() ?
				  numa_node_of_cpu(cpu) : 0);
	tw_json_end(json);
}

void tw_threads_json(struct tw_json *json, const struct tw_columns *columns,
		     const double *percents, int count)
{
	int i;

	tw_json_begin(json, "thread", '{');
	for (i = 0; i < columns->count; i++)
		json_thread(json, columns, i, percents, count);
	tw_json_end(json);
}
