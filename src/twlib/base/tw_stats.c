// SPDX-License-Identifier: GPL-2.0-or-later
/* Running statistics, percentiles and the histogram in us. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/tw_stats.h"
#include "base/tw_time.h"

#define SUB_COUNT	(UINT64_C(1) << TW_LOG_SUB_BITS)

/*
 * Below 2 * SUB_COUNT the value itself is the index. Each octave above
 * drops one low bit more, and the bits dropped count the octaves. Clamping
 * and the SUB_COUNT bit spare the measuring loop all branches here.
 */
static unsigned int bucket_of(int64_t value_ns)
{
	const int64_t top = (INT64_C(1) << TW_LOG_MAX_BITS) - 1;
	unsigned int dropped;
	uint64_t value;

	value_ns = value_ns < 0 ? 0 : value_ns;
	value = value_ns > top ? top : value_ns;
	dropped = 63 - TW_LOG_SUB_BITS - __builtin_clzll(value | SUB_COUNT);
	return (dropped << TW_LOG_SUB_BITS) + (unsigned int)(value >> dropped);
}

unsigned int tw_stats_bucket(int64_t value_ns)
{
	return bucket_of(value_ns);
}

int64_t tw_stats_middle(unsigned int bucket)
{
	unsigned int octave = bucket >> TW_LOG_SUB_BITS;
	unsigned int dropped = octave ? octave - 1 : 0;
	uint64_t lower = (uint64_t)(bucket - (dropped << TW_LOG_SUB_BITS))
			 << dropped;

	return (int64_t)(lower + ((UINT64_C(1) << dropped) >> 1));
}

/* Wraps: a clock set back and forth must not be undefined behaviour. */
static int64_t add_ns(int64_t a_ns, int64_t b_ns)
{
	return (int64_t)((uint64_t)a_ns + (uint64_t)b_ns);
}

void tw_stats_start(struct tw_stats *stats)
{
	stats->min_ns = INT64_MAX;
	stats->max_ns = INT64_MIN;
}

void tw_stats_init(struct tw_stats *stats, const int64_t *target_ns)
{
	memset(stats, 0, sizeof(*stats));
	tw_stats_start(stats);
	if (target_ns) {
		stats->has_target = true;
		stats->target_ns = *target_ns;
	}
}

void tw_stats_add(struct tw_stats *stats, int64_t value_ns, double inverse)
{
	double value = (double)value_ns;
	double delta = value - stats->mean_ns;

	stats->count++;
	stats->last_ns = value_ns;
	if (value_ns < stats->min_ns)
		stats->min_ns = value_ns;
	if (value_ns > stats->max_ns)
		stats->max_ns = value_ns;
	stats->sum_ns = add_ns(stats->sum_ns, value_ns);
	stats->mean_ns += delta * inverse;
	if (stats->has_target) {
		delta = value - (double)stats->target_ns;
		stats->m2_ns2 += delta * delta;
	} else {
		stats->m2_ns2 += delta * (value - stats->mean_ns);
	}
	stats->buckets[bucket_of(value_ns)]++;
}

void tw_stats_merge(struct tw_stats *stats, const struct tw_stats *from)
{
	double delta = from->mean_ns - stats->mean_ns;
	double share;
	unsigned int i;

	if (!from->count)
		return;
	share = (double)from->count / (double)(stats->count + from->count);
	stats->m2_ns2 += from->m2_ns2;
	/* Chan et al.: the part due to the distance of the means. */
	if (!stats->has_target)
		stats->m2_ns2 += delta * delta * share *
				 (double)stats->count;
	stats->mean_ns += delta * share;
	stats->count += from->count;
	stats->sum_ns = add_ns(stats->sum_ns, from->sum_ns);
	stats->last_ns = from->last_ns;
	if (from->min_ns < stats->min_ns)
		stats->min_ns = from->min_ns;
	if (from->max_ns > stats->max_ns)
		stats->max_ns = from->max_ns;
	for (i = 0; i < TW_LOG_BUCKETS; i++)
		if (from->buckets[i])	/* else do not touch the page */
			stats->buckets[i] += from->buckets[i];
}

double tw_mean(uint64_t count, int64_t sum_ns)
{
	return count ? (double)sum_ns / (double)count : 0;
}

double tw_deviation(uint64_t count, double m2_ns2)
{
	return count > 1 ? sqrt(m2_ns2 / (double)(count - 1)) : 0;
}

double tw_stats_mean(const struct tw_stats *stats)
{
	return tw_mean(stats->count, stats->sum_ns);
}

/*
 * ceil(count * percent / 100), at least 1. 99.9 has no exact double: take
 * back what rounding may have added, or 99.9 % of 10000 would be 9991.
 */
static uint64_t rank_of(uint64_t count, double percent)
{
	double exact = (double)count * percent / 100;
	uint64_t rank;

	exact -= exact * 4 * DBL_EPSILON;
	rank = (uint64_t)exact;
	return rank < exact || !rank ? rank + 1 : rank;
}

bool tw_stats_supports(uint64_t count, double percent)
{
	return count >= rank_of(count, percent) + TW_PERCENTILE_BEYOND;
}

bool tw_stats_covers(uint64_t part, uint64_t count, double percent)
{
	return part >= rank_of(count, percent);
}

bool tw_stats_percentile(const struct tw_stats *stats, double percent,
			 int64_t *value_ns)
{
	uint64_t rank = rank_of(stats->count, percent);
	uint64_t seen = 0;
	unsigned int i;
	int64_t value;

	if (!tw_stats_supports(stats->count, percent))
		return false;
	for (i = 0; i < TW_LOG_BUCKETS - 1; i++) {
		seen += stats->buckets[i];
		if (seen >= rank)
			break;
	}
	value = tw_stats_middle(i);
	if (value > stats->max_ns)
		value = stats->max_ns;
	if (value < stats->min_ns)
		value = stats->min_ns;
	*value_ns = value;
	return true;
}

void tw_window_add(struct tw_window *window, int64_t value_ns,
		   uint64_t cycle)
{
	int64_t row_us;

	if (!window->width_us)
		return;
	row_us = tw_ns_to_us(value_ns) - window->base_us;
	if (row_us >= 0 && row_us < window->width_us * window->bin_us) {
		window->counts[row_us / window->bin_us]++;
		return;
	}
	if (window->kept < TW_OVERFLOW_CYCLES)
		window->overflow_cycles[window->kept++] = cycle;
	if (row_us < 0)
		window->below++;
	else
		window->above++;
}

void tw_window_merge(struct tw_window *window, const struct tw_window *from)
{
	int64_t row;

	for (row = 0; row < window->width_us; row++)
		window->counts[row] += from->counts[row];
	/* Cycle numbers are not merged: they are valid in one run only. */
	window->below += from->below;
	window->above += from->above;
}
