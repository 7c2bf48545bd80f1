/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statistics of a series of int64_t values in ns. The memory needed does not
 * depend on the number of samples. Nothing here allocates, and no function can
 * fail. While one process adds samples, others may read through tw_series.h.
 */
#ifndef TW_STATS_H
#define TW_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Log-linear histogram: one bucket for each ns from 0 to 511, then 512 buckets
 * per octave up to 2^42 ns (73 minutes). The width of a bucket is at most 1/512
 * of its lower bound, so the error of its middle is below 1/1024. More buckets
 * would cause more cache misses in the client, on average per cycle: 1.2 at 7
 * bits, 1.4 at 9 bits, 2.3 at 10 bits. Negative values are counted in the first
 * bucket, values above the range in the last.
 */
#define TW_LOG_SUB_BITS	9
#define TW_LOG_MAX_BITS	42
#define TW_LOG_BUCKETS	((TW_LOG_MAX_BITS - TW_LOG_SUB_BITS + 1) << \
			 TW_LOG_SUB_BITS)

struct tw_stats {
	uint64_t count;
	int64_t last_ns;
	int64_t min_ns;		/* INT64_MAX if there is no sample */
	int64_t max_ns;		/* INT64_MIN if there is no sample */
	int64_t sum_ns;		/* overflows after 292 years of latency */
	double mean_ns;		/* running mean (Welford) */
	double m2_ns2;		/* sum of squared deviations, in ns^2 */
	int64_t target_ns;	/* the expected value, if has_target */
	bool has_target;
	uint64_t buckets[TW_LOG_BUCKETS];
};

/* @target_ns: the deviation is about this value; NULL: about the mean. */
void tw_stats_init(struct tw_stats *stats, const int64_t *target_ns);

/* The same about the mean, if it is zeroed: touches no further page. */
void tw_stats_start(struct tw_stats *stats);

/*
 * Adds a sample. @inverse: 1.0 / (count including this sample); the caller
 * computes it once for all metrics.
 */
void tw_stats_add(struct tw_stats *stats, int64_t value_ns, double inverse);

/* Adds all samples of @from to @stats. Both must have the same target. */
void tw_stats_merge(struct tw_stats *stats, const struct tw_stats *from);

/*
 * Mean and standard deviation in ns, computed from copied sums. The deviation
 * is about the target or the mean, with divisor n - 1; 0 if there are fewer
 * than two samples.
 */
double tw_mean(uint64_t count, int64_t sum_ns);
double tw_deviation(uint64_t count, double m2_ns2);

/* Returns the arithmetic mean in ns; 0 if there are no samples. */
double tw_stats_mean(const struct tw_stats *stats);

/* Minimum number of samples above a percentile. */
#define TW_PERCENTILE_BEYOND	10

/* Whether @count samples are enough to estimate this percentile. */
bool tw_stats_supports(uint64_t count, double percent);

/* Whether @part is at least @percent percent of @count. */
bool tw_stats_covers(uint64_t part, uint64_t count, double percent);

/*
 * The index of a value's bucket; and the inverse, as good as it gets: the
 * middle of a bucket.
 */
unsigned int tw_stats_bucket(int64_t value_ns);
int64_t tw_stats_middle(unsigned int bucket);

/*
 * Stores an estimate of the percentile in *value_ns: the middle of the first
 * bucket where the cumulative count reaches @percent percent of all samples,
 * limited to the range from minimum to maximum. @percent: above 0, below 100.
 * Returns false and stores nothing if fewer than TW_PERCENTILE_BEYOND samples
 * are above the percentile.
 */
bool tw_stats_percentile(const struct tw_stats *stats, double percent,
			 int64_t *value_ns);

/* Maximum number of cycle numbers that are kept of overflows. */
#define TW_OVERFLOW_CYCLES	100

/*
 * A linear histogram. It covers base_us to base_us + width_us * bin_us - 1, in
 * whole us. Values outside this range are counted as overflows.
 */
struct tw_window {
	int64_t base_us;
	int64_t bin_us;		/* width of a bin in us; 1 for -h */
	int64_t width_us;	/* number of bins; 0: no histogram */
	uint64_t below;
	uint64_t above;
	uint64_t kept;		/* entries used in overflow_cycles */
	uint64_t overflow_cycles[TW_OVERFLOW_CYCLES];
	uint64_t *counts;	/* width_us entries; owner zeroes and frees */
};

/* @cycle: its number is kept if the value is an overflow. */
void tw_window_add(struct tw_window *window, int64_t value_ns,
		   uint64_t cycle);

/* Adds all counts of @from to @window. Base, bin and width must be the same. */
void tw_window_merge(struct tw_window *window, const struct tw_window *from);

static inline uint64_t tw_window_overflows(const struct tw_window *window)
{
	return window->below + window->above;
}

#endif /* TW_STATS_H */
