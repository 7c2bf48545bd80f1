/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All statistics of a pair of client and server: every metric, the worst cycle
 * of each metric, the timer overruns. A tally is in shared memory. Only the
 * client writes to it; main can read its series at any time.
 */
#ifndef TW_TALLY_H
#define TW_TALLY_H

#include "base/tw_clock.h"
#include "base/tw_series.h"
#include "measure/tw_metric.h"

/* A cycle that is kept for the report, with its context. */
struct tw_kept {
	struct tw_cycle cycle;
	/* Measuring clock minus CLOCK_REALTIME, in ns, at that time. */
	int64_t ahead_ns;
	int step;
	unsigned int pair;
	bool throttled;
};

/* --spike: cycles in which a metric is above a limit. */
struct tw_spikes {
	enum tw_metric_id metric;
	int64_t limit_ns;	/* 0: --spike is not used */
	uint64_t seen;
	uint64_t count;		/* entries used in kept: the first seen */
	uint64_t room;
	struct tw_kept *kept;
};

struct tw_oneway;
struct tw_tally;

/* In the place of the value of a cycle that has none: it is above no limit. */
#define TW_NO_VALUE	INT64_MIN

/* What takes two clocks to one. The client calls it, for each cycle. */
struct tw_level_ops {
	/* Sets the values that compare the clocks. */
	void (*level)(struct tw_tally *tally, const struct tw_cycle *cycle,
		      int64_t values_ns[TW_METRICS]);
	/* Called by main: as tw_tally_merge(); and whether they are void. */
	void (*merge)(struct tw_tally *tally, const struct tw_tally *from);
	bool (*is_void)(const struct tw_tally *tally);
};

struct tw_tally {
	struct tw_metric_params params;
	/* The metrics that are defined: rows of others stay empty. */
	struct tw_metric_list rows;
	/* The longest that a side was kept from running in a cycle. */
	int64_t (*stall_ns)(const struct tw_tally *tally,
			    const struct tw_cycle *cycle);
	uint64_t warmup;	/* cycles not included in the counts below */
	uint64_t warmup_missed;
	uint64_t cycles;
	uint64_t missed;
	uint64_t inversions;
	uint64_t lost;		/* not in @cycles: no reply came in time */
	/* Cycles with a stall that only real-time throttling explains: */
	uint64_t throttled;
	/* its duration is in this range. 0: throttling is off. */
	int64_t stall_min_ns;
	int64_t stall_max_ns;
	int64_t last_t3_ns;
	uint64_t first_seq;	/* number of the first measured cycle */
	int64_t start_ns;	/* t0 of that cycle */
	int step;		/* index of the step, from 0 */
	unsigned int pair;	/* number of the pair, from 0 */
	const struct tw_clock *clock;	/* NULL: ahead_ns is not updated */
	int64_t ahead_ns;	/* clock - CLOCK_REALTIME, at ahead_seq */
	uint64_t ahead_seq;
	struct tw_kept worst[TW_METRICS];	/* if several: the first */
	struct tw_window trltp[TW_METRICS];	/* --trltp-log */
	const struct tw_level_ops *level;	/* NULL: none */
	struct tw_oneway *oneway;	/* its state */
	struct tw_spikes spikes;
	struct tw_series series;	/* a row for each metric; the last */
};

/*
 * Returns the bytes needed for a tally and its histograms of @width_us (0:
 * none). Returns SIZE_MAX if the size overflows; an allocation of that size
 * fails.
 */
size_t tw_tally_size(int64_t width_us);

/*
 * Initialises a tally in @memory: tw_tally_size() zeroed bytes, aligned for any
 * type. The caller frees it after the last use. Call it before the fork, so
 * that the pointers to the histograms are valid in every process.
 */
struct tw_tally *tw_tally_init(void *memory,
			       const struct tw_metric_params *params,
			       int64_t width_us);

/* --trltp-log: bins of 10 us, up to 200 ms. */
#define TW_TRLTP_BIN_US	10
#define TW_TRLTP_BINS	20000
#define TW_TRLTP_SIZE	(TW_METRICS * TW_TRLTP_BINS * sizeof(uint64_t))

/*
 * Adds the histograms of --trltp-log to a new tally. @memory: TW_TRLTP_SIZE
 * zeroed bytes.
 */
void tw_tally_attach_trltp(struct tw_tally *tally, void *memory);

/*
 * Lets a new tally keep the first @room cycles in which @metric is above
 * @limit_ns. @memory: @room entries of struct tw_kept.
 */
void tw_tally_attach_spikes(struct tw_tally *tally, void *memory,
			    uint64_t room, enum tw_metric_id metric,
			    int64_t limit_ns);

/* Adds @from to @tally. Both have the same settings and no client runs. */
void tw_tally_merge(struct tw_tally *tally, const struct tw_tally *from);

/* Called by the client. Counts a warm-up cycle. */
void tw_tally_warmup(struct tw_tally *tally, const struct tw_cycle *cycle);

/*
 * Called by the client, before tw_tally_add(). Whether @cycle contains a stall
 * that only real-time throttling explains.
 */
bool tw_tally_is_throttled(const struct tw_tally *tally,
			   const struct tw_cycle *cycle);

/* Called by the client. Adds a measured cycle to all statistics. */
void tw_tally_add(struct tw_tally *tally, const struct tw_cycle *cycle);

/*
 * Called by the client. Counts a measured cycle that was lost: of its values,
 * only the expiries that it missed are known.
 */
void tw_tally_lose(struct tw_tally *tally, const struct tw_cycle *cycle);

#endif /* TW_TALLY_H */
