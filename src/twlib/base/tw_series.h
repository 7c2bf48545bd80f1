/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Several statistics ("rows") that grow together, each with a histogram. A
 * series is in shared memory: one process adds, others read at any time with
 * tw_series_snapshot().
 *
 * This is a sequence lock: the writer never waits, and the reader tries again
 * if the version has changed. The data are plain fields. Relaxed atomics would
 * cost nothing on 64-bit machines; but on many 32-bit machines a 64-bit atomic
 * needs a locked instruction or libatomic, in the writer's path. Plain fields
 * are sufficient: the fences are also compiler barriers, and the reader loads
 * each field once (volatile) and only copies numbers until the version is
 * confirmed. An inconsistent number is normally dropped; if it is used, it is
 * only a wrong number.
 */
#ifndef TW_SERIES_H
#define TW_SERIES_H

#include <stdatomic.h>

#include "base/tw_stats.h"

/*
 * A limit for the values of a row; each value above it is counted. The buckets
 * of tw_stats are too wide to tell whether a percentile is above the limit.
 */
struct tw_mark {
	int row;
	int64_t bound_ns;
	uint64_t above;		/* number of values above bound_ns */
};

#define TW_MARKS	64

struct tw_series_row {
	struct tw_stats stats;
	struct tw_window window;
};

struct tw_series {
	/* Odd between tw_series_begin() and tw_series_end(). */
	_Atomic uint32_t version;
	int count;		/* number of rows */
	int mark_count;
	struct tw_mark marks[TW_MARKS];
	struct tw_series_row row[];
};

/*
 * Returns the bytes needed for a series of @count rows and their histograms of
 * @width_us (0: none). Returns SIZE_MAX if the size overflows; an allocation of
 * that size fails.
 */
size_t tw_series_size(int count, int64_t width_us);

/*
 * Initialises a series: tw_series_size() zeroed bytes, aligned for any type.
 * The caller frees it after the last use; it may then set for each row the
 * target of stats and base_us of window. Call it before the fork, so that the
 * pointers to the histograms are valid in every process.
 */
void tw_series_init(struct tw_series *series, int count, int64_t width_us);

/* Lets a new series count the values of @row above @bound_ns. */
void tw_series_mark(struct tw_series *series, int row, int64_t bound_ns);

/* Adds @from to @series. Both have the same settings and nobody writes. */
void tw_series_merge(struct tw_series *series, const struct tw_series *from);

/* The lock, for what has one of its own; see the two below. */
static inline uint32_t tw_version_begin(_Atomic uint32_t *at)
{
	uint32_t version = atomic_load_explicit(at, memory_order_relaxed);

	atomic_store_explicit(at, version + 1, memory_order_relaxed);
	/* No write may be seen before the odd version... */
	atomic_thread_fence(memory_order_release);
	return version;
}

static inline void tw_version_end(_Atomic uint32_t *at, uint32_t version)
{
	/* ...and none after the even one. */
	atomic_store_explicit(at, version + 2, memory_order_release);
}

/* Called by the writer, before it writes. Returns a value for the end. */
static inline uint32_t tw_series_begin(struct tw_series *series)
{
	return tw_version_begin(&series->version);
}

static inline void tw_series_end(struct tw_series *series, uint32_t version)
{
	tw_version_end(&series->version, version);
}

/* Called by the writer in between: what is above the marks. */
static inline void tw_series_count_marks(struct tw_series *series,
					 const int64_t values_ns[])
{
	int i;

	for (i = 0; i < series->mark_count; i++) {
		struct tw_mark *mark = &series->marks[i];

		mark->above += values_ns[mark->row] > mark->bound_ns;
	}
}

/* The values of a status line; all 0 before the first value. */
struct tw_status {
	uint64_t count;
	int64_t last_ns;
	int64_t min_ns;
	int64_t max_ns;
	double mean_ns;
	double deviation_ns;
};

/*
 * Copies a consistent status of every row, at any time. It never delays the
 * writer. If that was stopped before tw_series_end(), the last values read are
 * returned and may be inconsistent. @status: series->count entries.
 */
void tw_series_snapshot(const struct tw_series *series,
			struct tw_status status[]);

/*
 * For readers: read the version, then the data. The data are consistent if
 * tw_series_is_still() then returns true for this version.
 */
uint32_t tw_series_version(const struct tw_series *series);
bool tw_series_is_still(const struct tw_series *series, uint32_t version);

/* The status of one row. Nobody may write. */
struct tw_status tw_series_status(const struct tw_series *series, int row);

/*
 * As tw_stats_percentile(), and exact in relation to each limit that was set
 * with tw_series_mark(). Nobody may write.
 */
bool tw_series_percentile(const struct tw_series *series, int row,
			  double percent, int64_t *value_ns);

#endif /* TW_SERIES_H */
