// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>

#include "tw_tally.h"

/* Then give up: a client that was killed while it wrote would block main. */
#define READ_TRIES	10000

/* Inline: a closed loop has all metrics folded in before its next request. */
static inline void add(struct tw_stats *stats, int64_t value_ns, double inverse)
{
	double delta = (double)value_ns - stats->mean_ns;

	if (!stats->count++)
		stats->min_ns = stats->max_ns = value_ns;
	else if (value_ns < stats->min_ns)
		stats->min_ns = value_ns;
	else if (value_ns > stats->max_ns)
		stats->max_ns = value_ns;
	stats->last_ns = value_ns;
	stats->sum_ns += value_ns;
	stats->mean_ns += delta * inverse;
	stats->m2_ns2 += delta * ((double)value_ns - stats->mean_ns);
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
	double delta = from->mean_ns - to->mean_ns;
	double count = (double)to->count + (double)from->count;

	if (!from->count)
		return;
	if (!to->count || from->min_ns < to->min_ns)
		to->min_ns = from->min_ns;
	if (!to->count || from->max_ns > to->max_ns)
		to->max_ns = from->max_ns;
	to->m2_ns2 += from->m2_ns2 + delta * delta * (double)to->count *
				     (double)from->count / count;
	to->mean_ns += delta * (double)from->count / count;
	to->count += from->count;
	to->last_ns = from->last_ns;
	to->sum_ns += from->sum_ns;
}

void tw_tally_merge(struct tw_results *to, const struct tw_results *from)
{
	int id;

	to->missed += from->missed;
	for (id = 0; id < tw_metric_count; id++)
		merge(&to->stats[id], &from->stats[id]);
}

double tw_stats_mean(const struct tw_stats *stats)
{
	return stats->count ? (double)stats->sum_ns / (double)stats->count : 0;
}

double tw_stats_deviation(const struct tw_stats *stats)
{
	return stats->count > 1 ?
	       sqrt(stats->m2_ns2 / (double)(stats->count - 1)) : 0;
}

double tw_stats_rms(const struct tw_stats *stats, int64_t target_ns)
{
	double off = target_ns ? tw_stats_mean(stats) - (double)target_ns : 0;

	return stats->count ?
	       hypot(sqrt(stats->m2_ns2 / (double)stats->count), off) : 0;
}
