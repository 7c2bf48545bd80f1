// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/tw_series.h"

#define READ_ONCE(field) \
	(*(const volatile __typeof__(field) *)&(field))

/* Some 10 us of waiting: many times a write, unless the writer is stopped. */
#define SNAPSHOT_TRIES	10000

size_t tw_series_size(int count, int64_t width_us)
{
	const size_t used = sizeof(struct tw_series) +
			    count * sizeof(struct tw_series_row);
	const size_t column = count * sizeof(uint64_t);

	if (column && (uint64_t)width_us > (SIZE_MAX - used) / column)
		return SIZE_MAX;
	return used + (size_t)width_us * column;
}

void tw_series_init(struct tw_series *series, int count, int64_t width_us)
{
	uint64_t *counts = (uint64_t *)&series->row[count];
	int i;

	atomic_init(&series->version, 0);
	series->count = count;
	for (i = 0; i < count; i++) {
		struct tw_window *window = &series->row[i].window;

		tw_stats_start(&series->row[i].stats);
		window->bin_us = 1;
		window->width_us = width_us;
		window->counts = counts + (size_t)width_us * i;
	}
}

void tw_series_mark(struct tw_series *series, int row, int64_t bound_ns)
{
	series->marks[series->mark_count++] = (struct tw_mark) {
		.row = row, .bound_ns = bound_ns,
	};
}

void tw_series_merge(struct tw_series *series, const struct tw_series *from)
{
	int i;

	for (i = 0; i < series->mark_count; i++)
		series->marks[i].above += from->marks[i].above;
	for (i = 0; i < series->count; i++) {
		tw_stats_merge(&series->row[i].stats, &from->row[i].stats);
		tw_window_merge(&series->row[i].window, &from->row[i].window);
	}
}

/* As it is: mean_ns is the sum, deviation_ns that of the squares. */
static struct tw_status copy_sums(const struct tw_stats *stats)
{
	return (struct tw_status) {
		.count = READ_ONCE(stats->count),
		.last_ns = READ_ONCE(stats->last_ns),
		.min_ns = READ_ONCE(stats->min_ns),
		.max_ns = READ_ONCE(stats->max_ns),
		.mean_ns = (double)READ_ONCE(stats->sum_ns),
		.deviation_ns = READ_ONCE(stats->m2_ns2),
	};
}

static void divide_sums(struct tw_status *status)
{
	if (!status->count)
		*status = (struct tw_status) { 0 };
	else
		status->mean_ns /= (double)status->count;
	status->deviation_ns = tw_deviation(status->count,
					    status->deviation_ns);
}

/* One try; false if the writer was, or may have been, amid a write. */
static bool try_copy(const struct tw_series *series, bool anyway,
		     struct tw_status status[])
{
	uint32_t before = tw_series_version(series);
	int i;

	/* Touching the data now would only take them from the writer. */
	if (before & 1 && !anyway)
		return false;
	for (i = 0; i < series->count; i++)
		status[i] = copy_sums(&series->row[i].stats);
	return tw_series_is_still(series, before);
}

void tw_series_snapshot(const struct tw_series *series,
			struct tw_status status[])
{
	int left = SNAPSHOT_TRIES;
	int i;

	do
		left--;
	while (!try_copy(series, !left, status) && left);
	for (i = 0; i < series->count; i++)
		divide_sums(&status[i]);
}

uint32_t tw_series_version(const struct tw_series *series)
{
	return atomic_load_explicit(&series->version, memory_order_acquire);
}

bool tw_series_is_still(const struct tw_series *series, uint32_t version)
{
	/* Every load before comes before the one below. */
	atomic_thread_fence(memory_order_acquire);
	return !(version & 1) &&
	       version == atomic_load_explicit(&series->version,
					       memory_order_relaxed);
}

struct tw_status tw_series_status(const struct tw_series *series, int row)
{
	struct tw_status status = copy_sums(&series->row[row].stats);

	divide_sums(&status);
	return status;
}

/* Narrows what the buckets tell by what the mark has counted. */
static void heed_mark(const struct tw_mark *mark, uint64_t count,
		      double percent, int64_t *value_ns)
{
	if (tw_stats_covers(count - mark->above, count, percent)) {
		if (*value_ns > mark->bound_ns)
			*value_ns = mark->bound_ns;
	} else if (*value_ns <= mark->bound_ns) {
		*value_ns = mark->bound_ns + 1;
	}
}

bool tw_series_percentile(const struct tw_series *series, int row,
			  double percent, int64_t *value_ns)
{
	const struct tw_stats *stats = &series->row[row].stats;
	int i;

	if (!tw_stats_percentile(stats, percent, value_ns))
		return false;
	for (i = 0; i < series->mark_count; i++)
		if (series->marks[i].row == row)
			heed_mark(&series->marks[i], stats->count, percent,
				  value_ns);
	return true;
}
