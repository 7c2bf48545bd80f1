/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Client and server have a clock each: what the cycles prove about the offset
 * between the two, and which one-way times follow.
 *
 * The offset is the server's clock minus the client's. A request is read after
 * it was sent, a reply too. That is all that is used:
 *
 *	offset when the server read t1  <=  t1 - t0
 *	offset when the server read t2  >=  t2 - t3
 *
 * An estimate e of the offset, for either of these two moments, then has an
 * error of at most (t1 - t0) - e to one side and e - (t2 - t3) to the other.
 * A window is TW_ONEWAY_WINDOW cycles with a reply. Its lower end is the
 * largest (t2 - t3) - e, its upper end the smallest (t1 - t0) - e: at some
 * moment of the window the offset was no lower, and at some moment no higher.
 * The middle between the two ends is not better founded than any other value
 * between them: half the time of a way there and back is no one-way time.
 *
 * TW_ONEWAY_SYNC: the two clocks claim to show one time. e is 0. Values count
 * once TW_ONEWAY_PROOF windows in a row contain 0. From the first cycle on
 * that does not contain 0 nothing counts any more: in it, one way would take
 * less than no time.
 *
 * TW_ONEWAY_BOUND: e is a straight line, a function of the server's clock,
 * through the middles of the last windows: a rate of 50 ppm is 50 us a second.
 * The line always comes from windows that were complete before the cycle; the
 * narrower a window is, the more it weighs. TW_ONEWAY_ROUGH windows only find
 * how fast the clocks drift apart, as in slow runs they do so by more than the
 * network takes; then TW_ONEWAY_PROOF windows make the line, and values count.
 * If a cycle contradicts the line, as after a step of a clock, all this begins
 * again; until it is done, no values count.
 *
 * Uncertainty: the farthest that an end of any window lies from 0, over all
 * windows whose values count, and with TW_ONEWAY_SYNC over the TW_ONEWAY_PROOF
 * windows before them, too. It is known as soon as the first of those whose
 * values count is complete. The ends come from the formulas above and hold
 * whatever the network does, so it is at least half the least time of the
 * network. What is not proven: an error that comes and goes within a window,
 * between the cycles that made its ends. A window that is broken off is
 * included as it was before that. The last cycles of a run, fewer than a
 * window, are only checked each by itself.
 *
 * The state has a fixed size, and a run may take years. It is in shared memory:
 * the client adds, main may read at any time (a sequence lock, as in
 * base/tw_series.h). All times are in ns. Differences of clocks wrap: they are
 * right if they are less than 2^63 ns, 292 years.
 */
#ifndef TW_ONEWAY_H
#define TW_ONEWAY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "measure/tw_line.h"
#include "measure/tw_metric.h"

#define TW_ONEWAY_WINDOW	64	/* cycles with a reply */
#define TW_ONEWAY_ROUGH		2	/* bound: that find a rate */
#define TW_ONEWAY_PROOF		3	/* windows before values count */
#define TW_ONEWAY_FIT		16	/* windows that the line goes through */

/*
 * With a warm-up of so many cycles with a reply, values count from the first
 * measured cycle on, if the clocks allow it.
 */
#define TW_ONEWAY_WARMUP \
	((TW_ONEWAY_ROUGH + TW_ONEWAY_PROOF) * TW_ONEWAY_WINDOW)

enum tw_oneway_phase {
	TW_ONEWAY_WAITS,	/* for windows; no values count */
	TW_ONEWAY_COUNTS,
	TW_ONEWAY_VOID		/* sync: and never will again */
};

/* The offset, less an estimate, is between them; lower above upper: nowhere. */
struct tw_oneway_ends {
	int64_t lower_ns, upper_ns;
};

/* What main reads, all of one moment. */
struct tw_oneway_result {
	enum tw_oneway_mode mode;
	enum tw_oneway_phase phase;
	/* Complete windows; those in which no offset was possible. */
	uint64_t windows;
	uint64_t empty;
	/* bound: how often a cycle contradicted the line. */
	uint64_t broken;
	uint64_t counted;	/* cycles whose values count; */
	uint64_t uncounted;	/* that had to wait, or are void */
	uint64_t first_seq;	/* the first that counted; 0: none yet */
	bool known;		/* there are enough windows for these: */
	int64_t uncertainty_ns;	/* see above */
	int64_t longest_ns;	/* the longest time a window took */
	bool has_offset;
	int64_t offset_ns;	/* middle of the last window: an estimate */
	/* Mean rate from the first window, since it was broken, to the last. */
	bool has_rate;
	double ppm;		/* above 0: the server's clock is faster */
	/* sync: the cycle that ended it; seq 0: none. */
	uint64_t void_seq;
	int64_t void_t3_ns;	/* on the client's clock */
	struct tw_oneway_ends void_ends;	/* of its window, up to it */
};

/* How to take the server's timestamps of a cycle to the client's clock. */
struct tw_oneway_offset {
	int64_t t1_ns;		/* to be subtracted from t1 */
	int64_t t2_ns;		/* from t2 */
};

/* A window that is complete: a point for the line. */
struct tw_oneway_point {
	int64_t at_ns;
	int64_t offset_ns;	/* its middle */
	int64_t width_ns;
};

/* Only the functions below use the members. */
struct tw_oneway {
	_Atomic uint32_t version;	/* odd while the client writes */
	struct tw_oneway_result result;
	struct tw_line line;
	/* The window that is not complete yet. */
	unsigned int cycles;
	struct tw_oneway_ends ends;
	int64_t begin_ns, end_ns;	/* server's clock: first t1, last t2 */
	/* If it is to find a rate, 1 or 2; and the line through its cycles. */
	unsigned int rough;
	struct tw_fit fit;
	unsigned int row;		/* good windows in a row */
	int64_t row_ns;			/* their farthest end */
	struct tw_oneway_point points[TW_ONEWAY_FIT];	/* a ring */
	uint64_t point_count;		/* all since a break, not only these */
	struct tw_oneway_point first;	/* since a break */
};

/*
 * Initialises the state, in shared memory, before the fork. @mode: not
 * TW_ONEWAY_OFF.
 */
void tw_oneway_init(struct tw_oneway *oneway, enum tw_oneway_mode mode);

/*
 * Called by the client for each cycle, those of the warm-up too, in the slack
 * after it and before its values are added to statistics. No system call, no
 * allocation, a bounded time. Returns whether the cycle's one-way times count,
 * and if so stores what makes them in *offset:
 *
 *	send = t1 - offset->t1_ns - t0
 *	receive = t3 - (t2 - offset->t2_ns)
 *
 * Never for a lost cycle.
 */
bool tw_oneway_add(struct tw_oneway *oneway, const struct tw_cycle *cycle,
		   struct tw_oneway_offset *offset);

/*
 * Called by the client, before tw_oneway_add(): whether the one-way times of
 * the cycle will count. Only for TW_ONEWAY_SYNC, which needs no estimate.
 */
bool tw_oneway_accepts(const struct tw_oneway *oneway,
		       const struct tw_cycle *cycle);

/*
 * Makes it void. Called by main when no client runs; @oneway may have counted
 * till then.
 */
void tw_oneway_void(struct tw_oneway *oneway);

/*
 * Whether there are one-way times that are worth something: values counted,
 * and were not made void since.
 */
bool tw_oneway_has_values(const struct tw_oneway_result *result);

/*
 * Stores a consistent result, at any time, by any process. If the client was
 * stopped while it wrote, the result may be inconsistent.
 */
void tw_oneway_read(const struct tw_oneway *oneway,
		    struct tw_oneway_result *result);

/*
 * Adds a later step to a sum of steps, or another pair: counts are added, the
 * uncertainty is the worst, and a void step makes the sum void. The offset and
 * the rate are those of @from. One without any cycle changes nothing.
 */
void tw_oneway_merge(struct tw_oneway_result *sum,
		     const struct tw_oneway_result *from);

/*
 * Whether the uncertainty is proven to be @most_ns at most. False also if
 * nothing is proven: then *decided is false.
 */
bool tw_oneway_within(const struct tw_oneway_result *result, int64_t most_ns,
		      bool *decided);

struct tw_tally;

/*
 * Lets a new tally take one-way times from two clocks. @memory: zeroed. @mode:
 * not TW_ONEWAY_OFF.
 */
void tw_tally_attach_oneway(struct tw_tally *tally, struct tw_oneway *memory,
			    enum tw_oneway_mode mode);

#endif /* TW_ONEWAY_H */
