// SPDX-License-Identifier: GPL-2.0-or-later
/* A line of the table, and a column of the JSON, for each task. */
#include <inttypes.h>
#include <math.h>

#include "tw_config.h"
#include "tw_json.h"
#include "tw_text.h"
#include "wl.h"

static const struct { const char *name; double percent; } percents[] = {
	{ "p50", 50 }, { "p99", 99 }, { "p99.9", 99.9 },
};

#define PERCENTS	3

/* The traces' clock has whole microseconds. */
double tw_text_real(double ns)
{
	return ns / (double)TW_NS_PER_US;
}

int64_t tw_text_whole(int64_t ns)
{
	return tw_ns_to_us(ns);
}

/* Of the tasks that have a value; NULL: there are fewer. */
static const struct wl_task *shown(int column)
{
	int i = 0;

	for (; i < wl_task_count; i++)
		if (wl_tasks[i]->stats.count && !column--)
			return wl_tasks[i];
	return NULL;
}

int tw_text_columns(void)
{
	int count = 0;

	while (shown(count))
		count++;
	return count;
}

struct tw_series tw_series_of(const struct tw_run *run, int column)
{
	return (struct tw_series) {
		.name = wl_what(), .stats = &shown(column)->stats, .cpu = -1,
	};
}

/* NAN: too few values are above it. */
static double percentile(const struct wl_task *task, int i)
{
	double percent = percents[i].percent;
	int64_t ns;

	if (task->stats.count < tw_buckets_needed(percent))
		return NAN;
	ns = tw_buckets_value(task->buckets,
			      tw_buckets_rank(task->stats.count, percent));
	return tw_text_real((double)(ns < task->stats.min ? task->stats.min :
				     ns > task->stats.max ? task->stats.max :
				     ns));
}

void tw_text_status(FILE *file, const struct tw_run *run)
{
	const struct wl_task *task;
	int column, i;

	fprintf(file, "# %10ss", wl_what());
	for (i = 0; i < PERCENTS; i++)
		fprintf(file, " %10s", percents[i].name);
	fprintf(file, " %10s %10s  task\n", "longest", "late");
	for (column = 0; (task = shown(column)); column++) {
		fprintf(file, "%13" PRIu64, task->stats.count);
		for (i = 0; i < PERCENTS; i++)
			if (isnan(percentile(task, i)))
				fprintf(file, " %10s", "-");
			else
				fprintf(file, " %10.1f", percentile(task, i));
		fprintf(file, " %10.1f %10" PRIu64 "  %s-%d\n",
			tw_text_real((double)task->stats.max), task->above,
			task->comm, task->pid);
	}
}

void tw_text_print(FILE *file, const struct tw_run *run)
{
	int i;

	tw_text_status(file, run);
	for (i = 0; tw_parts[i]; i++)
		if (tw_parts[i]->text)
			tw_parts[i]->text(file, run);
}

static void text(FILE *file, const struct tw_run *run)
{
	const struct wl_task *task;
	int column;

	for (column = 0; (task = shown(column)); column++)
		if (task->unseen)
			fprintf(file, "# Not seen: %" PRIu64 " wake-ups of %s-%d, as the kernel has not traced when it got its CPU\n",
				task->unseen, task->comm, task->pid);
	if (wl_watch_lost)
		fprintf(file, "# Lost: events of the watch, %" PRIu64 " times: some may be missing above\n",
			wl_watch_lost);
}

struct column {
	const char *task, *what;
	int pid;
	uint64_t cycles, above, unseen;
	double avg, max, percentiles[PERCENTS];
};

static const void *column_of(const void *of)
{
	static struct column column;
	const struct wl_task *task =
		shown(((const struct tw_spot *)of)->number);
	int i;

	column = (struct column) {
		.task = task->comm, .what = wl_what(), .pid = task->pid,
		.cycles = task->stats.count, .above = task->above,
		.unseen = task->unseen,
		.avg = tw_text_real(tw_stats_mean(&task->stats)),
		.max = tw_text_real((double)task->stats.max),
	};
	for (i = 0; i < PERCENTS; i++)
		column.percentiles[i] = percentile(task, i);
	return &column;
}

static const void *next_percent(const void *of, int *i, const char **key)
{
	const struct column *column = of;

	if (*i == PERCENTS)
		return NULL;
	*key = percents[*i].name;
	return &column->percentiles[*i];
}

static const char *what_word(int i)
{
	return i == 0 ? "wake-up" : i == 1 ? "cycle" : NULL;
}

static const char *percent_word(int i)
{
	return i < PERCENTS ? percents[i].name : NULL;
}

#define COLUMN(field, ...) \
	{ TW_NAMED(struct column, field), __VA_ARGS__ }

static const struct tw_member of_column[] = {
	COLUMN(task, TW_STRING, "Name of the task."),
	COLUMN(pid, TW_INTEGER, "Its number.", "'minimum': 1"),
	COLUMN(what, TW_STRING, "What the values are of.", .word = what_word),
	COLUMN(cycles, TW_INTEGER, "How many values.", "'minimum': 1"),
	COLUMN(above, TW_COUNT, "How many are above -b."),
	COLUMN(unseen, TW_COUNT, "Wake-ups besides, which the kernel has not traced to their end."),
	COLUMN(avg, TW_REAL, "Mean."),
	COLUMN(max, TW_REAL, "Longest value.", .format = "%.1f"),
	{ "percentiles", TW_NOWHERE, TW_MAP, "Values, within 1/1024; null: fewer than 10 values are above it.",
	  .word = percent_word, .next = next_percent, .of = TW_EACH(
		TW_SELF(double), TW_REAL, "A value.", .nullable = true,
		.format = "%.12g") },
	{ .name = NULL }
};

static const struct tw_member columns[] = {
	{ "column", TW_NOWHERE, TW_OBJECT, .spread = true, .get = column_of,
	  .of = of_column },
	{ .name = NULL }
};

const char tw_json_column[] = "'minProperties': 1";
const struct tw_member tw_json_added[] = { { .name = NULL } };

static const struct tw_member members[] = {
	{ "lost", TW_AT(wl_watch_lost), TW_COUNT, "How often events of the watch were lost." },
	{ .name = NULL }
};

const struct tw_part wl_part_text = {
	.text = text,
	.members = { [TW_OF_RUN] = members, [TW_OF_COLUMN] = columns },
};
