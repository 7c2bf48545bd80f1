/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All statistics of one pair in one step: every metric, the worst cycle of
 * each, what was missed. Lives in shared memory: the client alone writes
 * it, main reads it at any time through tw_tally_snapshot().
 */
#ifndef TW_TALLY_H
#define TW_TALLY_H

#include <stdatomic.h>

#include "tw_clock.h"
#include "tw_metric.h"
#include "tw_stats.h"

/* A cycle that is kept whole, with what only its context tells. */
struct tw_kept {
	struct tw_cycle cycle;
	/* How far the measuring clock was ahead of CLOCK_REALTIME then. */
	int64_t ahead_ns;
	int step;
	bool throttled;
};

/* --spike: cycles in which a metric exceeds a limit. */
struct tw_spikes {
	enum tw_metric_id metric;
	int64_t limit_ns;	/* 0: none is kept */
	uint64_t seen;
	uint64_t count;		/* of those in kept: the first that were seen */
	uint64_t room;
	struct tw_kept *kept;
};

/*
 * A bound that values of a metric are counted against as they come: only so
 * is it known of each percentile on which side it lies. The buckets of
 * tw_stats are not that fine.
 */
struct tw_mark {
	enum tw_metric_id metric;
	int64_t bound_ns;
	uint64_t above;		/* values that exceed it */
};

#define TW_MARKS	64

struct tw_tally {
	/* Odd while the client is inside tw_tally_add(). */
	_Atomic uint32_t version;
	struct tw_metric_params params;
	uint64_t warmup;	/* cycles counted apart, in nothing below */
	uint64_t warmup_missed;
	uint64_t cycles;
	uint64_t missed;
	/* Cycles with a stall that only real-time throttling explains ... */
	uint64_t throttled;
	/* ... as it is within this range; 0: there is no throttling. */
	int64_t stall_min_ns;
	int64_t stall_max_ns;
	int64_t last_t3_ns;
	uint64_t first_seq;	/* of the first cycle after the warm-up */
	int64_t start_ns;	/* t0 of that cycle */
	int step;		/* that this is the tally of, from 0 */
	const struct tw_clock *clock;	/* NULL: what follows stays */
	int64_t ahead_ns;	/* of CLOCK_REALTIME; as of cycle ahead_seq */
	uint64_t ahead_seq;
	struct tw_kept worst[TW_METRICS];	/* the first, if several */
	struct tw_spikes spikes;
	int mark_count;
	struct tw_mark marks[TW_MARKS];
	struct tw_stats stats[TW_METRICS];
	struct tw_window window[TW_METRICS];
	struct tw_window trltp[TW_METRICS];	/* --trltp-log */
};

/*
 * Bytes that a tally and its histograms of @width_us (0: none) take;
 * SIZE_MAX, which no allocation grants, if that cannot be addressed.
 */
size_t tw_tally_size(int64_t width_us);

/*
 * Prepares a tally in @memory, which holds tw_tally_size() zeroed bytes,
 * aligned for any type, and outlives it. Before the fork: the histograms'
 * addresses are the same in every process then.
 */
struct tw_tally *tw_tally_init(void *memory,
			       const struct tw_metric_params *params,
			       int64_t width_us);

/* --trltp-log: bins of 10 us, up to 200 ms. */
#define TW_TRLTP_BIN_US	10
#define TW_TRLTP_BINS	20000
#define TW_TRLTP_SIZE	(TW_METRICS * TW_TRLTP_BINS * sizeof(uint64_t))

/* Gives a new tally the histograms of --trltp-log, in TW_TRLTP_SIZE bytes. */
void tw_tally_attach_trltp(struct tw_tally *tally, void *memory);

/*
 * Gives a new tally room for @room spikes, which @memory holds: cycles whose
 * @metric exceeds @limit_ns.
 */
void tw_tally_attach_spikes(struct tw_tally *tally, void *memory,
			    uint64_t room, enum tw_metric_id metric,
			    int64_t limit_ns);

/* Has a new tally count the values of @metric that exceed @bound_ns. */
void tw_tally_mark(struct tw_tally *tally, enum tw_metric_id metric,
		   int64_t bound_ns);

/* Adds all of @from, of the same set-up and at rest, to @tally. */
void tw_tally_merge(struct tw_tally *tally, const struct tw_tally *from);

/* Client only. Counts a warm-up cycle. */
void tw_tally_warmup(struct tw_tally *tally, const struct tw_cycle *cycle);

/*
 * Client only, before it folds @cycle: whether that holds a stall which only
 * real-time throttling explains.
 */
bool tw_tally_is_throttled(const struct tw_tally *tally,
			   const struct tw_cycle *cycle);

/* Client only. Folds a cycle into everything. */
void tw_tally_add(struct tw_tally *tally, const struct tw_cycle *cycle);

/* What a status line shows of a metric; all 0 before the first cycle. */
struct tw_status {
	uint64_t count;
	int64_t last_ns;
	int64_t min_ns;
	int64_t max_ns;
	double mean_ns;
	double deviation_ns;
};

/*
 * Main only, at any time: a consistent status of every metric. The client
 * is never held up; should it be stopped amid a fold, the last values read
 * are taken as they are. Returns the number of cycles.
 */
uint64_t tw_tally_snapshot(const struct tw_tally *tally,
			   struct tw_status status[TW_METRICS]);

/*
 * Main only: whether what was read of a tally since its version was asked for
 * is of one moment.
 */
uint32_t tw_tally_version(const struct tw_tally *tally);
bool tw_tally_is_still(const struct tw_tally *tally, uint32_t version);

/* One metric's status, of a tally at rest. */
struct tw_status tw_tally_status(const struct tw_tally *tally,
				 enum tw_metric_id id);

/*
 * Of a tally at rest: as tw_stats_percentile(), and on the right side of
 * each bound that the metric is counted against.
 */
bool tw_tally_percentile(const struct tw_tally *tally, enum tw_metric_id id,
			 double percent, int64_t *value_ns);

#endif /* TW_TALLY_H */
