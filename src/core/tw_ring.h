/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hands whole cycles from the client to main: a ring in memory that they share.
 * If main is late and the ring is full, a cycle is counted and left out; the
 * statistics have it.
 */
#ifndef TW_RING_H
#define TW_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "tw_cycle.h"

struct tw_part;
struct tw_run;

#define TW_RING_CYCLES	8192

/* All 0: empty. The counts may wrap. */
struct tw_ring {
	atomic_ulong written;		/* by the client only */
	uint64_t lost;			/* likewise */
	atomic_ulong read;		/* by main only */
	struct tw_cycle cycles[TW_RING_CYCLES];
};

/*
 * For a part whose memory in each pair is a ring: its record(), which never
 * waits.
 */
bool tw_ring_record(void *ring, const struct tw_cycle *cycle,
		    const int64_t values_ns[]);

/* Its lose(), if it wants those, too. */
void tw_ring_lose(void *ring, const struct tw_cycle *cycle);

/* Called by main: moves all cycles out of the part's rings, oldest first. */
void tw_ring_take(const struct tw_run *run, const struct tw_part *part,
		  void (*take)(int pair, const struct tw_cycle *cycle));

/* How many were left out since the last call. Nobody may write. */
uint64_t tw_ring_lost(const struct tw_run *run, const struct tw_part *part);

#endif /* TW_RING_H */
