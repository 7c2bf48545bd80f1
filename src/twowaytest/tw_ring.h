/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whole cycles on their way from the client to main, for --dump and -v.
 * Single producer, single consumer, in shared memory. The statistics do not
 * depend on it: a cycle that finds it full is counted, and missing only from
 * what main writes.
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
	/* Written by the client ... */
	_Alignas(TW_CACHE_LINE) _Atomic uint32_t head;
	uint64_t lost;
	/* ... and by main: apart, or each write would evict the other's. */
	_Alignas(TW_CACHE_LINE) _Atomic uint32_t tail;
	_Alignas(TW_CACHE_LINE) struct tw_cycle cycles[TW_RING_CYCLES];
};

/* Client only; never waits. */
static inline void tw_ring_put(struct tw_ring *ring,
			       const struct tw_cycle *cycle)
{
	uint32_t head = atomic_load_explicit(&ring->head,
					     memory_order_relaxed);
	/* Acquire: main has done with the slot that is about to be reused. */
	uint32_t tail = atomic_load_explicit(&ring->tail,
					     memory_order_acquire);

	if (head - tail == TW_RING_CYCLES) {
		ring->lost++;
		return;
	}
	ring->cycles[head % TW_RING_CYCLES] = *cycle;
	/* Release: the slot is filled before it is offered. */
	atomic_store_explicit(&ring->head, head + 1, memory_order_release);
}

/* Main only: the oldest cycle to *cycle, or false if there is none. */
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
