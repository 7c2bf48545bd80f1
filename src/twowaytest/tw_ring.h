/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Transfers whole cycles from the client to main, for --dump and -v: a ring
 * with one producer and one consumer, in shared memory. If it is full, the
 * cycle is counted as lost and is missing in that output; the statistics
 * include it.
 */
#ifndef TW_RING_H
#define TW_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tw_cycle.h"

#define TW_RING_CYCLES	8192	/* a power of two: 576 KiB */
#define TW_CACHE_LINE	64

struct tw_ring {
	/* Written by the client. */
	_Alignas(TW_CACHE_LINE) _Atomic uint32_t head;
	uint64_t lost;
	/*
	 * Written by main. On cache lines of its own, to avoid false sharing.
	 */
	_Alignas(TW_CACHE_LINE) _Atomic uint32_t tail;
	_Alignas(TW_CACHE_LINE) struct tw_cycle cycles[TW_RING_CYCLES];
};

/* Called by the client; never waits. */
static inline void tw_ring_put(struct tw_ring *ring,
			       const struct tw_cycle *cycle)
{
	uint32_t head = atomic_load_explicit(&ring->head,
					     memory_order_relaxed);
	/* Acquire: main has read the slot that is used next. */
	uint32_t tail = atomic_load_explicit(&ring->tail,
					     memory_order_acquire);

	if (head - tail == TW_RING_CYCLES) {
		ring->lost++;
		return;
	}
	ring->cycles[head % TW_RING_CYCLES] = *cycle;
	/* Release: the slot is filled before main sees it. */
	atomic_store_explicit(&ring->head, head + 1, memory_order_release);
}

/* Called by main. Moves the oldest cycle to *cycle; false: none. */
static inline bool tw_ring_get(struct tw_ring *ring, struct tw_cycle *cycle)
{
	uint32_t tail = atomic_load_explicit(&ring->tail,
					     memory_order_relaxed);
	uint32_t head = atomic_load_explicit(&ring->head,
					     memory_order_acquire);

	if (head == tail)
		return false;
	*cycle = ring->cycles[tail % TW_RING_CYCLES];
	atomic_store_explicit(&ring->tail, tail + 1, memory_order_release);
	return true;
}

#endif /* TW_RING_H */
