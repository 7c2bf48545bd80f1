/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was added to statistics in a lapse of time: the difference of two copies
 * of them. The writer of the statistics takes no part in it.
 */
#ifndef TW_LAPSE_H
#define TW_LAPSE_H

#include "base/tw_stats.h"

/* Fewer values have no percentile of a lapse but their maximum. */
#define TW_LAPSE_LEAST	100

/* A copy of statistics. */
struct tw_past {
	uint64_t count;
	int64_t sum_ns;
	int64_t min_ns;
	int64_t max_ns;
	/*
	 * Modulo 2^32. Those beyond minimum and maximum have any content in a
	 * copy that is taken now; in the one before, they are 0.
	 */
	uint32_t buckets[TW_LOG_BUCKETS];
};

struct tw_lapse {
	uint64_t count;
	double mean_ns;		/* 0 if there is no value */
	bool has_values;
	/*
	 * Valid if has_values, which also needs values that are not half
	 * written. Middles of their buckets, but exact if they are the smallest
	 * and the largest of all so far. Negative values are in 0's bucket.
	 */
	int64_t min_ns;
	int64_t max_ns;
	/* No bucket may have come round: not of 2^32 values or more. */
	bool has_percentile;
	/* The middle of its bucket; from the minimum to the maximum. */
	int64_t percentile_ns;
};

/* Sets @past to what statistics are before the first value. */
void tw_past_start(struct tw_past *past);

/*
 * Copies @stats, to be used if nobody has written meanwhile. It reads no more
 * buckets than those between minimum and maximum.
 */
void tw_past_copy(struct tw_past *past, const struct tw_stats *stats);

/*
 * Computes what was added to the same statistics between the copies @before
 * and @now; @before then is that of @now. @percent: above 0, below 100.
 */
void tw_lapse_take(struct tw_lapse *lapse, struct tw_past *before,
		   const struct tw_past *now, double percent);

#endif /* TW_LAPSE_H */
