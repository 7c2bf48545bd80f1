// SPDX-License-Identifier: GPL-2.0-or-later
/* Adds cycles to the statistics, and keeps the worst. */
#include "base/tw_time.h"
#include "measure/tw_tally.h"

size_t tw_tally_size(int64_t width_us)
{
	const size_t before = offsetof(struct tw_tally, series);
	size_t size = tw_series_size(TW_METRICS, width_us);

	return size > SIZE_MAX - before ? SIZE_MAX : before + size;
}

/*
 * A late start that comes of the cycle before is that one's stall. With two
 * clocks, no other stall can be seen: the two ways cannot be told apart, and
 * the server's sleep is the business of another kernel, which may throttle for
 * another time.
 */
static int64_t late_start_ns(const struct tw_tally *tally,
			     const struct tw_cycle *cycle)
{
	int64_t due_ns = cycle->planned_ns > tally->last_t3_ns ?
			 cycle->planned_ns : tally->last_t3_ns;

	return tw_span_ns(due_ns, cycle->t0_ns);
}

static int64_t longest_stall_ns(const struct tw_tally *tally,
				const struct tw_cycle *cycle)
{
	int64_t stalls_ns[] = {
		late_start_ns(tally, cycle),
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

struct tw_tally *tw_tally_init(void *memory,
			       const struct tw_metric_params *params,
			       int64_t width_us)
{
	struct tw_tally *tally = memory;
	int id;

	tally->params = *params;
	tally->stall_ns = params->two_clocks ? late_start_ns :
					       longest_stall_ns;
	tw_series_init(&tally->series, TW_METRICS, width_us);
	for (id = 0; id < TW_METRICS; id++) {
		const struct tw_metric *metric = &tw_metrics[id];
		struct tw_series_row *row = &tally->series.row[id];
		int64_t target_ns;

		if (!tw_metric_lacks(id, params))
			tally->rows.id[tally->rows.count++] = id;
		if (metric->target && metric->target(params, &target_ns))
			tw_stats_init(&row->stats, &target_ns);
		if (metric->base_us)
			row->window.base_us = metric->base_us(params, width_us);
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
	int id;

	tally->warmup += from->warmup;
	tally->warmup_missed += from->warmup_missed;
	tally->missed += from->missed;
	tally->lost += from->lost;
	tally->throttled += from->throttled;
	tally->inversions += from->inversions;
	if (!tally->cycles) {
		tally->first_seq = from->first_seq;
		tally->start_ns = from->start_ns;
	}
	tally->cycles += from->cycles;
	merge_spikes(&tally->spikes, &from->spikes);
	if (from->level)
		from->level->merge(tally, from);
	for (id = 0; id < TW_METRICS; id++)
		if (from->series.row[id].stats.max_ns >
		    tally->series.row[id].stats.max_ns)
			tally->worst[id] = from->worst[id];
	tw_series_merge(&tally->series, &from->series);
}

bool tw_tally_is_throttled(const struct tw_tally *tally,
			   const struct tw_cycle *cycle)
{
	int64_t stall_ns;

	if (!tally->stall_max_ns)
		return false;
	stall_ns = tally->stall_ns(tally, cycle);
	return stall_ns >= tally->stall_min_ns &&
	       stall_ns <= tally->stall_max_ns;
}

void tw_tally_warmup(struct tw_tally *tally, const struct tw_cycle *cycle)
{
	int64_t unused_ns[TW_METRICS];

	tally->warmup++;
	tally->warmup_missed += cycle->missed;
	/* The warm-up is as good as any time to compare the clocks. */
	if (tally->level)
		tally->level->level(tally, cycle, unused_ns);
}

/* Apart, as most runs have none. */
static void fold_histograms(struct tw_tally *tally,
			    const int64_t values_ns[TW_METRICS],
			    uint64_t number)
{
	const struct tw_metric_list *rows = &tally->rows;
	int i;

	for (i = 0; i < rows->count; i++)
		if (values_ns[rows->id[i]] != TW_NO_VALUE)
			tw_window_add(&tally->series.row[rows->id[i]].window,
				      values_ns[rows->id[i]], number);
	for (i = 0; tally->trltp[0].width_us && i < rows->count; i++)
		tw_window_add(&tally->trltp[rows->id[i]],
			      values_ns[rows->id[i]], number);
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
		.step = tally->step, .pair = tally->pair,
		.throttled = throttled,
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

/* Of cycles that were lost before the first, too. */
static void begin(struct tw_tally *tally, const struct tw_cycle *cycle)
{
	if (tally->first_seq)
		return;
	tally->first_seq = cycle->seq;
	tally->start_ns = cycle->t0_ns;
}

static void take_values(struct tw_tally *tally, const struct tw_cycle *cycle,
			int64_t values_ns[TW_METRICS])
{
	int i;

	for (i = 0; i < tally->rows.count; i++)
		values_ns[tally->rows.id[i]] =
			tw_metrics[tally->rows.id[i]].value_ns(cycle,
							&tally->params);
	if (tally->level)
		tally->level->level(tally, cycle, values_ns);
}

/* A value of a metric that not all cycles have. */
static void add_one(struct tw_stats *stats, int64_t value_ns)
{
	tw_stats_add(stats, value_ns, 1.0 / (double)(stats->count + 1));
}

static void fold(struct tw_tally *tally, const struct tw_cycle *cycle)
{
	bool throttled = tw_tally_is_throttled(tally, cycle);
	int64_t values_ns[TW_METRICS] = { 0 };
	double inverse;
	int i;

	if (!tally->cycles++)
		begin(tally, cycle);
	tally->missed += cycle->missed;
	tally->throttled += throttled;
	tally->inversions += cycle->inversions;
	tally->last_t3_ns = cycle->t3_ns;
	take_values(tally, cycle, values_ns);
	/* Nearly all metrics count the same cycles: one division does. */
	inverse = 1.0 / (double)tally->cycles;
	for (i = 0; i < tally->rows.count; i++) {
		enum tw_metric_id id = tally->rows.id[i];
		struct tw_stats *stats = &tally->series.row[id].stats;

		if (values_ns[id] == TW_NO_VALUE)
			continue;
		if (values_ns[id] > stats->max_ns)
			tally->worst[id] = keep(tally, cycle, throttled);
		if (stats->count + 1 == tally->cycles)
			tw_stats_add(stats, values_ns[id], inverse);
		else
			add_one(stats, values_ns[id]);
	}
	if (tally->spikes.limit_ns &&
	    values_ns[tally->spikes.metric] > tally->spikes.limit_ns)
		keep_spike(tally, cycle, throttled);
	tw_series_count_marks(&tally->series, values_ns);
	if (tally->series.row[0].window.width_us || tally->trltp[0].width_us)
		fold_histograms(tally, values_ns,
				cycle->seq - tally->first_seq);
}

void tw_tally_add(struct tw_tally *tally, const struct tw_cycle *cycle)
{
	uint32_t version = tw_series_begin(&tally->series);

	fold(tally, cycle);
	tw_series_end(&tally->series, version);
}

void tw_tally_lose(struct tw_tally *tally, const struct tw_cycle *cycle)
{
	uint32_t version = tw_series_begin(&tally->series);

	begin(tally, cycle);
	tally->lost++;
	tally->missed += cycle->missed;
	/* The next cycle may be late because of it: that is no stall. */
	tally->last_t3_ns = cycle->t3_ns;
	tw_series_end(&tally->series, version);
}
