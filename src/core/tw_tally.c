// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>

#include "tw_tally.h"

/* Then give up: a client that was killed while it wrote would block main. */
#define READ_TRIES	10000

/* Inline: a closed loop has all metrics folded in before its next request. */
static inline void add(struct tw_stats *stats, int64_t value_ns, double inverse)
{
	double delta = (double)value_ns - stats->mean;

	if (!stats->count++)
		stats->min = stats->max = value_ns;
	else if (value_ns < stats->min)
		stats->min = value_ns;
	else if (value_ns > stats->max)
		stats->max = value_ns;
	stats->last = value_ns;
	stats->sum += value_ns;
	stats->mean += delta * inverse;
	stats->m2 += delta * ((double)value_ns - stats->mean);
}

void tw_stats_add(struct tw_stats *stats, int64_t value_ns, double inverse)
{
	add(stats, value_ns, inverse);
}

/* Of the metrics from @id on. */
static void add_known(struct tw_tally *tally, const int64_t values_ns[], int id)
{
	struct tw_stats *stats = tally->results.stats;

	for (; id < tw_metric_count; id++)
		if (values_ns[id] != TW_NO_VALUE)
			tw_stats_add(&stats[id], values_ns[id],
				     1.0 / (double)(stats[id].count + 1));
}

void tw_tally_add(struct tw_tally *tally, const int64_t values_ns[],
		  uint64_t missed)
{
	uint32_t version = atomic_load_explicit(&tally->version,
						memory_order_relaxed);
	struct tw_results *results = &tally->results;
	double inverse = 1.0 / (double)(results->stats[0].count + 1);
	int id;

	atomic_store_explicit(&tally->version, version + 1,
			      memory_order_relaxed);
	/* No write may be seen before the odd version... */
	atomic_thread_fence(memory_order_release);
	results->missed += missed;
	for (id = 0; values_ns && id < TW_METRICS; id++)
		add(&results->stats[id], values_ns[id], inverse);
	if (values_ns && tw_metric_count > TW_METRICS)
		add_known(tally, values_ns, TW_METRICS);
	/* ...and none after the even one. */
	atomic_store_explicit(&tally->version, version + 2,
			      memory_order_release);
}

void tw_tally_add_known(struct tw_tally *tally, const int64_t values_ns[],
			uint64_t missed)
{
	tally->results.missed += missed;
	add_known(tally, values_ns, 0);
}

void tw_tally_read(const struct tw_tally *tally, struct tw_results *results)
{
	uint32_t before, after;
	int tries = READ_TRIES;

	do {
		before = atomic_load_explicit(&tally->version,
					      memory_order_acquire);
		*results = tally->results;
		atomic_thread_fence(memory_order_acquire);
		after = atomic_load_explicit(&tally->version,
					     memory_order_relaxed);
	} while ((before & 1 || before != after) && --tries);
}

/*
 * The squared deviations from two means are from the common mean after a
 * correction (Chan, Golub, LeVeque 1979).
 */
static void merge(struct tw_stats *to, const struct tw_stats *from)
{
	double delta = from->mean - to->mean;
	double count = (double)to->count + (double)from->count;

	if (!from->count)
		return;
	if (!to->count || from->min < to->min)
		to->min = from->min;
	if (!to->count || from->max > to->max)
		to->max = from->max;
	to->m2 += from->m2 + delta * delta * (double)to->count *
				     (double)from->count / count;
	to->mean += delta * (double)from->count / count;
	to->count += from->count;
	to->last = from->last;
	to->sum += from->sum;
}

void tw_tally_merge(struct tw_results *to, const struct tw_results *from)
{
	int id;

	to->missed += from->missed;
	for (id = 0; id < tw_metric_count; id++)
		merge(&to->stats[id], &from->stats[id]);
}

double tw_tally_usual_ns(const struct tw_tally *tally,
			 const struct tw_results *results,
			 enum tw_metric_id id, int64_t but_ns)
{
	const struct tw_stats *stats = &results->stats[id];

	if (stats->count < 2)
		return (double)tw_metric_target_ns(id, &tally->params);
	return (double)(stats->sum - but_ns) / (double)(stats->count - 1);
}

double tw_stats_mean(const struct tw_stats *stats)
{
	return stats->count ? (double)stats->sum / (double)stats->count : 0;
}

double tw_stats_deviation(const struct tw_stats *stats)
{
	return stats->count > 1 ?
	       sqrt(stats->m2 / (double)(stats->count - 1)) : 0;
}

double tw_stats_rms(const struct tw_stats *stats, int64_t target)
{
	double off = target ? tw_stats_mean(stats) - (double)target : 0;

	return stats->count ?
	       hypot(sqrt(stats->m2 / (double)stats->count), off) : 0;
}
