/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statistics of one series of int64_t nanoseconds. Pure arithmetic, in
 * constant memory however many samples there are; nothing here allocates
 * and nothing can fail. What the client adds to, main may read meanwhile:
 * see tw_tally.h.
 */
#ifndef TW_STATS_H
#define TW_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Log-linear histogram: 0..511 ns one bucket each, above that 512 buckets
 * an octave up to 2^42 ns (73 minutes). A bucket is at most 1/512 of its
 * lower bound wide, so a value read back is off by less than 1/1024. Finer
 * ones would cost the client's cache: at 9 bits a cycle's fold misses it 1.4
 * times on average, at 7 bits 1.2 times, at 10 bits 2.3 times.
 * Negative values share the first bucket, larger ones the last.
 */
#define TW_LOG_SUB_BITS	9
#define TW_LOG_MAX_BITS	42
#define TW_LOG_BUCKETS	((TW_LOG_MAX_BITS - TW_LOG_SUB_BITS + 1) << \
			 TW_LOG_SUB_BITS)

struct tw_stats {
	uint64_t count;
	int64_t last_ns;
	int64_t min_ns;		/* INT64_MAX while there is no sample */
	int64_t max_ns;		/* INT64_MIN while there is no sample */
	int64_t sum_ns;		/* 2^63 ns: 292 years of latency */
	double mean_ns;		/* Welford's running mean */
	double m2_ns2;		/* sum of squared deviations */
	int64_t target_ns;	/* deviations are about this if has_target */
	bool has_target;
	uint64_t buckets[TW_LOG_BUCKETS];
};

/* @target_ns: what deviations are about, NULL for the mean. */
void tw_stats_init(struct tw_stats *stats, const int64_t *target_ns);

/* Adds a sample; @inverse is 1.0 / (count after adding), see tw_tally. */
void tw_stats_add(struct tw_stats *stats, int64_t value_ns, double inverse);

/* Adds all of @from, of the same target, to @stats. */
void tw_stats_merge(struct tw_stats *stats, const struct tw_stats *from);

/* Mean and deviation of bare sums, for who has copied only those. */
double tw_mean(uint64_t count, int64_t sum_ns);
double tw_deviation(uint64_t count, double m2_ns2);

/* Arithmetic mean in ns; 0 with no samples. */
double tw_stats_mean(const struct tw_stats *stats);

/*
 * Standard deviation in ns, about the target or the mean, with n - 1; 0 with
 * fewer than two samples.
 */
double tw_stats_deviation(const struct tw_stats *stats);

/* A percentile wants at least this many samples beyond it. */
#define TW_PERCENTILE_BEYOND	10

/* Whether @count samples are enough for what is below. */
bool tw_stats_supports(uint64_t count, double percent);

/* Whether @part of @count samples are at least @percent percent of them. */
bool tw_stats_covers(uint64_t part, uint64_t count, double percent);

/*
 * The smallest bucket that has at least @percent (0 < percent < 100) percent
 * of all samples in or below it: its middle, within min and max, to
 * @value_ns. Returns false, and nothing stored, if the samples that @percent
 * leaves are fewer than TW_PERCENTILE_BEYOND.
 */
bool tw_stats_percentile(const struct tw_stats *stats, double percent,
			 int64_t *value_ns);

/* Cycle numbers of the first overflows are kept, as many as these. */
#define TW_OVERFLOW_CYCLES	100

/*
 * A histogram of whole microseconds: counts of base_us .. base_us +
 * width_us * bin_us - 1, and what fell outside.
 */
struct tw_window {
	int64_t base_us;
	int64_t bin_us;		/* 1 for -h */
	int64_t width_us;	/* in bins; 0: no histogram */
	uint64_t below;
	uint64_t above;
	uint64_t kept;		/* of the overflows' cycle numbers */
	uint64_t overflow_cycles[TW_OVERFLOW_CYCLES];
	uint64_t *counts;	/* width_us of them, zeroed by the owner */
};

/* @cycle: number to keep if the value falls outside. */
void tw_window_add(struct tw_window *window, int64_t value_ns,
		   uint64_t cycle);

/* Adds all of @from, of the same base, bins and width, to @window. */
void tw_window_merge(struct tw_window *window, const struct tw_window *from);

static inline uint64_t tw_window_overflows(const struct tw_window *window)
{
	return window->below + window->above;
}

#endif /* TW_STATS_H */
