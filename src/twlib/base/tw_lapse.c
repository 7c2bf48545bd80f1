// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "base/tw_lapse.h"

/* The buckets that may have changed: none if @first is above @last. */
struct range {
	unsigned int first, last;
};

void tw_past_start(struct tw_past *past)
{
	memset(past, 0, sizeof(*past));
	past->min_ns = INT64_MAX;
	past->max_ns = INT64_MIN;
}

static struct range range_of(const struct tw_past *past)
{
	if (past->min_ns > past->max_ns)
		return (struct range) { 1, 0 };
	return (struct range) { tw_stats_bucket(past->min_ns),
				tw_stats_bucket(past->max_ns) };
}

void tw_past_copy(struct tw_past *past, const struct tw_stats *stats)
{
	struct range range;
	unsigned int i;

	past->count = stats->count;
	past->sum_ns = stats->sum_ns;
	past->min_ns = stats->min_ns;
	past->max_ns = stats->max_ns;
	range = range_of(past);
	for (i = range.first; i <= range.last; i++)
		past->buckets[i] = (uint32_t)stats->buckets[i];
}

/* Narrows *@range to those that have changed. Returns their sum. */
static uint64_t changes(const struct tw_past *before,
			const struct tw_past *now, struct range *range)
{
	const struct range all = range_of(now);
	uint64_t sum = 0;
	unsigned int i;

	*range = (struct range) { all.last, all.first };
	for (i = all.first; i <= all.last; i++) {
		if (now->buckets[i] == before->buckets[i])
			continue;
		if (!sum)
			range->first = i;
		range->last = i;
		sum += now->buckets[i] - before->buckets[i];
	}
	return sum;
}

static int64_t within(const struct tw_lapse *lapse, int64_t value_ns)
{
	if (value_ns > lapse->max_ns)
		return lapse->max_ns;
	return value_ns < lapse->min_ns ? lapse->min_ns : value_ns;
}

/* A new extreme of all values is one of the lapse. */
static void find_extremes(struct tw_lapse *lapse, const struct tw_past *before,
			  const struct tw_past *now, const struct range *range)
{
	const struct tw_lapse all = {
		.min_ns = now->min_ns, .max_ns = now->max_ns,
	};

	lapse->min_ns = now->min_ns < before->min_ns ? now->min_ns :
			within(&all, tw_stats_middle(range->first));
	lapse->max_ns = now->max_ns > before->max_ns ? now->max_ns :
			within(&all, tw_stats_middle(range->last));
}

static void find_percentile(struct tw_lapse *lapse,
			    const struct tw_past *before,
			    const struct tw_past *now,
			    const struct range *range, uint64_t sum,
			    double percent)
{
	unsigned int i = range->first;
	uint64_t seen;

	lapse->has_percentile = sum >= TW_LAPSE_LEAST &&
				lapse->count <= UINT32_MAX;
	if (!lapse->has_percentile)
		return;
	seen = now->buckets[i] - before->buckets[i];
	while (i < range->last && !tw_stats_covers(seen, sum, percent)) {
		i++;
		seen += now->buckets[i] - before->buckets[i];
	}
	lapse->percentile_ns = within(lapse, tw_stats_middle(i));
}

static void keep(struct tw_past *before, const struct tw_past *now)
{
	const struct range range = range_of(now);
	unsigned int i;

	before->count = now->count;
	before->sum_ns = now->sum_ns;
	before->min_ns = now->min_ns;
	before->max_ns = now->max_ns;
	for (i = range.first; i <= range.last; i++)
		if (before->buckets[i] != now->buckets[i])
			before->buckets[i] = now->buckets[i];
}

void tw_lapse_take(struct tw_lapse *lapse, struct tw_past *before,
		   const struct tw_past *now, double percent)
{
	struct range range;
	uint64_t sum;

	*lapse = (struct tw_lapse) { .count = now->count - before->count };
	sum = changes(before, now, &range);
	/* As the sum itself, the difference wraps. */
	lapse->mean_ns = tw_mean(lapse->count,
				 (int64_t)((uint64_t)now->sum_ns -
					   (uint64_t)before->sum_ns));
	lapse->has_values = lapse->count && sum;
	if (lapse->has_values) {
		find_extremes(lapse, before, now, &range);
		find_percentile(lapse, before, now, &range, sum, percent);
	}
	keep(before, now);
}
