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

#include "base/tw_system.h"
#include "measure/tw_cycle.h"

/* Powers of two: up to 576 KiB. */
#define TW_RING_LEAST	64
#define TW_RING_MOST	8192

struct tw_ring {
	/* Written by the client. */
	_Alignas(TW_CACHE_LINE) _Atomic uint32_t head;
	uint64_t lost;
	/*
	 * Written by main. On cache lines of its own, to avoid false sharing.
	 */
	_Alignas(TW_CACHE_LINE) _Atomic uint32_t tail;
	/* Written by nobody. */
	_Alignas(TW_CACHE_LINE) uint32_t size;	/* in cycles */
	_Alignas(TW_CACHE_LINE) struct tw_cycle cycles[];
};

/* Bytes for a ring of @cycles, which is a power of two. */
static inline size_t tw_ring_size(uint32_t cycles)
{
	return sizeof(struct tw_ring) + cycles * sizeof(struct tw_cycle);
}

/* @memory: tw_ring_size() zeroed bytes, aligned to a cache line. */
static inline struct tw_ring *tw_ring_init(void *memory, uint32_t cycles)
{
	struct tw_ring *ring = memory;

	ring->size = cycles;
	return ring;
}

/* Called by the client; never waits. */
static inline void tw_ring_put(struct tw_ring *ring,
			       const struct tw_cycle *cycle)
{
	uint32_t head = atomic_load_explicit(&ring->head,
					     memory_order_relaxed);
	/* Acquire: main has read the slot that is used next. */
	uint32_t tail = atomic_load_explicit(&ring->tail,
					     memory_order_acquire);

	if (head - tail == ring->size) {
		ring->lost++;
		return;
	}
	ring->cycles[head & (ring->size - 1)] = *cycle;
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
	*cycle = ring->cycles[tail & (ring->size - 1)];
	atomic_store_explicit(&ring->tail, tail + 1, memory_order_release);
	return true;
}

#endif /* TW_RING_H */
