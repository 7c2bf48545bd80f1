// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Adds cycles to the statistics, and reads them while the client adds.
 *
 * This is a sequence lock: the writer never waits, and the reader tries again
 * if the version has changed. The data are plain fields. Relaxed atomics would
 * cost nothing on 64-bit machines; but on many 32-bit machines a 64-bit atomic
 * needs a locked instruction or libatomic, in the client's path. Plain fields
 * are sufficient: the fences are also compiler barriers, and the reader loads
 * each field once (volatile) and only copies numbers until the version is
 * confirmed. An inconsistent number is normally dropped; if it is used, it is
 * only a wrong number.
 */
#include "tw_tally.h"
#include "tw_time.h"

#define READ_ONCE(field) \
	(*(const volatile __typeof__(field) *)&(field))

/* Some 10 us of waiting: many times a fold, unless the client is stopped. */
#define SNAPSHOT_TRIES	10000

/* What a status is made from. */
struct scalars {
	uint64_t count;
	int64_t last_ns;
	int64_t min_ns;
	int64_t max_ns;
	int64_t sum_ns;
	double m2_ns2;
};

size_t tw_tally_size(int64_t width_us)
{
	const size_t row = TW_METRICS * sizeof(uint64_t);

	if ((uint64_t)width_us > (SIZE_MAX - sizeof(struct tw_tally)) / row)
		return SIZE_MAX;
	return sizeof(struct tw_tally) + (size_t)width_us * row;
}

struct tw_tally *tw_tally_init(void *memory,
			       const struct tw_metric_params *params,
			       int64_t width_us)
{
	struct tw_tally *tally = memory;
	uint64_t *counts = (uint64_t *)(tally + 1);
	int id;

	atomic_init(&tally->version, 0);
	tally->params = *params;
	for (id = 0; id < TW_METRICS; id++) {
		const struct tw_metric *metric = &tw_metrics[id];
		struct tw_window *window = &tally->window[id];
		int64_t target_ns;
		bool has_target = metric->target &&
				  metric->target(params, &target_ns);

		tw_stats_init(&tally->stats[id],
			      has_target ? &target_ns : NULL);
		window->bin_us = 1;
		window->width_us = width_us;
		window->counts = counts + (size_t)width_us * id;
		if (metric->base_us)
			window->base_us = metric->base_us(params, width_us);
	}
	return tally;
}

void tw_tally_attach_trltp(struct tw_tally *tally, void *memory)
{
	uint64_t *counts = memory;
	int id;

	for (id = 0; id < TW_METRICS; id++) {
		tally->trltp[id].bin_us = TW_TRLTP_BIN_US;
		tally->trltp[id].width_us = TW_TRLTP_BINS;
		tally->trltp[id].counts = counts + (size_t)TW_TRLTP_BINS * id;
	}
}

void tw_tally_attach_spikes(struct tw_tally *tally, void *memory,
			    uint64_t room, enum tw_metric_id metric,
			    int64_t limit_ns)
{
	tally->spikes.metric = metric;
	tally->spikes.kept = memory;
	tally->spikes.room = room;
	tally->spikes.limit_ns = limit_ns;
}

void tw_tally_mark(struct tw_tally *tally, enum tw_metric_id metric,
		   int64_t bound_ns)
{
	tally->marks[tally->mark_count++] = (struct tw_mark) {
		.metric = metric, .bound_ns = bound_ns,
	};
}

static void merge_spikes(struct tw_spikes *spikes,
			 const struct tw_spikes *from)
{
	uint64_t i;

	spikes->seen += from->seen;
	for (i = 0; i < from->count && spikes->count < spikes->room; i++)
		spikes->kept[spikes->count++] = from->kept[i];
}

void tw_tally_merge(struct tw_tally *tally, const struct tw_tally *from)
{
	int id, i;

	tally->warmup += from->warmup;
	tally->warmup_missed += from->warmup_missed;
	tally->missed += from->missed;
	tally->throttled += from->throttled;
	if (!tally->cycles) {
		tally->first_seq = from->first_seq;
		tally->start_ns = from->start_ns;
	}
	tally->cycles += from->cycles;
	merge_spikes(&tally->spikes, &from->spikes);
	for (i = 0; i < tally->mark_count; i++)
		tally->marks[i].above += from->marks[i].above;
	for (id = 0; id < TW_METRICS; id++) {
		if (from->stats[id].max_ns > tally->stats[id].max_ns)
			tally->worst[id] = from->worst[id];
		tw_stats_merge(&tally->stats[id], &from->stats[id]);
		tw_window_merge(&tally->window[id], &from->window[id]);
	}
}

/*
 * The longest that a side was kept from running in this cycle. A late start
 * that comes of the cycle before is that one's stall.
 */
static int64_t longest_stall_ns(const struct tw_tally *tally,
				const struct tw_cycle *cycle)
{
	int64_t due_ns = cycle->planned_ns > tally->last_t3_ns ?
			 cycle->planned_ns : tally->last_t3_ns;
	int64_t stalls_ns[] = {
		tw_span_ns(due_ns, cycle->t0_ns),
		tw_span_ns(cycle->t0_ns, cycle->t1_ns),
		tw_span_ns(tally->params.sleep_ns,
			   tw_span_ns(cycle->t1_ns, cycle->t2_ns)),
		tw_span_ns(cycle->t2_ns, cycle->t3_ns),
	};
	int64_t longest_ns = 0;
	size_t i;

	for (i = 0; i < sizeof(stalls_ns) / sizeof(stalls_ns[0]); i++)
		if (stalls_ns[i] > longest_ns)
			longest_ns = stalls_ns[i];
	return longest_ns;
}

bool tw_tally_is_throttled(const struct tw_tally *tally,
			   const struct tw_cycle *cycle)
{
	int64_t stall_ns;

	if (!tally->stall_max_ns)
		return false;
	stall_ns = longest_stall_ns(tally, cycle);
	return stall_ns >= tally->stall_min_ns &&
	       stall_ns <= tally->stall_max_ns;
}

void tw_tally_warmup(struct tw_tally *tally, const struct tw_cycle *cycle)
{
	tally->warmup++;
	tally->warmup_missed += cycle->missed;
}

/* Apart, as most runs have none. */
static void fold_histograms(struct tw_tally *tally,
			    const int64_t values_ns[TW_METRICS],
			    uint64_t number)
{
	int id;

	for (id = 0; id < TW_METRICS; id++) {
		tw_window_add(&tally->window[id], values_ns[id], number);
		tw_window_add(&tally->trltp[id], values_ns[id], number);
	}
}

static void fold_marks(struct tw_tally *tally,
		       const int64_t values_ns[TW_METRICS])
{
	int i;

	for (i = 0; i < tally->mark_count; i++) {
		struct tw_mark *mark = &tally->marks[i];

		mark->above += values_ns[mark->metric] > mark->bound_ns;
	}
}

/*
 * Only where it has to be: most cycles are neither worst nor spikes. The time
 * of day is taken now, as it may be set at any time; once a cycle.
 */
static struct tw_kept keep(struct tw_tally *tally,
			   const struct tw_cycle *cycle, bool throttled)
{
	if (tally->clock && tally->ahead_seq != cycle->seq)
		tally->ahead_ns = tw_clock_about_ahead_ns(tally->clock,
							  CLOCK_REALTIME);
	tally->ahead_seq = cycle->seq;
	return (struct tw_kept) {
		.cycle = *cycle, .ahead_ns = tally->ahead_ns,
		.step = tally->step, .throttled = throttled,
	};
}

static void keep_spike(struct tw_tally *tally, const struct tw_cycle *cycle,
		       bool throttled)
{
	struct tw_spikes *spikes = &tally->spikes;

	spikes->seen++;
	if (spikes->count < spikes->room)
		spikes->kept[spikes->count++] = keep(tally, cycle, throttled);
}

static void fold(struct tw_tally *tally, const struct tw_cycle *cycle)
{
	bool throttled = tw_tally_is_throttled(tally, cycle);
	int64_t values_ns[TW_METRICS];
	double inverse;
	int id;

	if (!tally->cycles++) {
		tally->first_seq = cycle->seq;
		tally->start_ns = cycle->t0_ns;
	}
	tally->missed += cycle->missed;
	tally->throttled += throttled;
	tally->last_t3_ns = cycle->t3_ns;
	/* All metrics count the same cycles: one division does for all. */
	inverse = 1.0 / (double)tally->cycles;
	for (id = 0; id < TW_METRICS; id++) {
		values_ns[id] = tw_metrics[id].value_ns(cycle, &tally->params);
		if (values_ns[id] > tally->stats[id].max_ns)
			tally->worst[id] = keep(tally, cycle, throttled);
		tw_stats_add(&tally->stats[id], values_ns[id], inverse);
	}
	if (tally->spikes.limit_ns &&
	    values_ns[tally->spikes.metric] > tally->spikes.limit_ns)
		keep_spike(tally, cycle, throttled);
	fold_marks(tally, values_ns);
	if (tally->window[0].width_us || tally->trltp[0].width_us)
		fold_histograms(tally, values_ns,
				cycle->seq - tally->first_seq);
}

void tw_tally_add(struct tw_tally *tally, const struct tw_cycle *cycle)
{
	uint32_t version = atomic_load_explicit(&tally->version,
						memory_order_relaxed);

	atomic_store_explicit(&tally->version, version + 1,
			      memory_order_relaxed);
	/* No write of the fold may be seen before the odd version... */
	atomic_thread_fence(memory_order_release);
	fold(tally, cycle);
	/* ...and none after the even one. */
	atomic_store_explicit(&tally->version, version + 2,
			      memory_order_release);
}

static struct scalars copy_scalars(const struct tw_stats *stats)
{
	return (struct scalars) {
		.count = READ_ONCE(stats->count),
		.last_ns = READ_ONCE(stats->last_ns),
		.min_ns = READ_ONCE(stats->min_ns),
		.max_ns = READ_ONCE(stats->max_ns),
		.sum_ns = READ_ONCE(stats->sum_ns),
		.m2_ns2 = READ_ONCE(stats->m2_ns2),
	};
}

static struct tw_status to_status(const struct scalars *from)
{
	if (!from->count)
		return (struct tw_status) { 0 };
	return (struct tw_status) {
		.count = from->count,
		.last_ns = from->last_ns,
		.min_ns = from->min_ns,
		.max_ns = from->max_ns,
		.mean_ns = tw_mean(from->count, from->sum_ns),
		.deviation_ns = tw_deviation(from->count, from->m2_ns2),
	};
}

/* One try; false if the client was, or may have been, amid a fold. */
static bool try_copy(const struct tw_tally *tally, bool anyway,
		     uint64_t *cycles, struct scalars copy[TW_METRICS])
{
	uint32_t before = atomic_load_explicit(&tally->version,
					       memory_order_acquire);
	int id;

	/* Touching the data now would only take them from the client. */
	if (before & 1 && !anyway)
		return false;
	*cycles = READ_ONCE(tally->cycles);
	for (id = 0; id < TW_METRICS; id++)
		copy[id] = copy_scalars(&tally->stats[id]);
	/* Every load above comes before the one below. */
	atomic_thread_fence(memory_order_acquire);
	return before == atomic_load_explicit(&tally->version,
					      memory_order_relaxed);
}

uint64_t tw_tally_snapshot(const struct tw_tally *tally,
			   struct tw_status status[TW_METRICS])
{
	struct scalars copy[TW_METRICS];
	int left = SNAPSHOT_TRIES;
	uint64_t cycles;
	int id;

	do
		left--;
	while (!try_copy(tally, !left, &cycles, copy) && left);
	for (id = 0; id < TW_METRICS; id++)
		status[id] = to_status(&copy[id]);
	return cycles;
}

uint32_t tw_tally_version(const struct tw_tally *tally)
{
	return atomic_load_explicit(&tally->version, memory_order_acquire);
}

bool tw_tally_is_still(const struct tw_tally *tally, uint32_t version)
{
	/* Every load before comes before the one below. */
	atomic_thread_fence(memory_order_acquire);
	return !(version & 1) &&
	       version == atomic_load_explicit(&tally->version,
					       memory_order_relaxed);
}

struct tw_status tw_tally_status(const struct tw_tally *tally,
				 enum tw_metric_id id)
{
	struct scalars copy = copy_scalars(&tally->stats[id]);

	return to_status(&copy);
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

bool tw_tally_percentile(const struct tw_tally *tally, enum tw_metric_id id,
			 double percent, int64_t *value_ns)
{
	const struct tw_stats *stats = &tally->stats[id];
	int i;

	if (!tw_stats_percentile(stats, percent, value_ns))
		return false;
	for (i = 0; i < tally->mark_count; i++)
		if (tally->marks[i].metric == id)
			heed_mark(&tally->marks[i], stats->count, percent,
				  value_ns);
	return true;
}
