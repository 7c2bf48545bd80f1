// SPDX-License-Identifier: GPL-2.0-or-later
#include "tw_part.h"
#include "tw_ring.h"

bool tw_ring_record(void *memory, const struct tw_cycle *cycle,
		    const int64_t values_ns[])
{
	struct tw_ring *ring = memory;
	unsigned long at = atomic_load_explicit(&ring->written,
						memory_order_relaxed);

	if (at - atomic_load_explicit(&ring->read, memory_order_acquire) >=
	    TW_RING_CYCLES) {
		ring->lost++;
		return false;
	}
	ring->cycles[at % TW_RING_CYCLES] = *cycle;
	atomic_store_explicit(&ring->written, at + 1, memory_order_release);
	return false;
}

void tw_ring_lose(void *ring, const struct tw_cycle *cycle)
{
	tw_ring_record(ring, cycle, NULL);
}

/* Those that are there now: more may come as fast as they are taken. */
static void take_pair(struct tw_ring *ring, int pair,
		      void (*take)(int pair, const struct tw_cycle *cycle))
{
	unsigned long end = atomic_load_explicit(&ring->written,
						 memory_order_acquire);
	unsigned long at;

	for (at = ring->read; at != end; at++)
		take(pair, &ring->cycles[at % TW_RING_CYCLES]);
	atomic_store_explicit(&ring->read, end, memory_order_release);
}

void tw_ring_take(const struct tw_run *run, const struct tw_part *part,
		  void (*take)(int pair, const struct tw_cycle *cycle))
{
	int pair;

	for (pair = 0; pair < tw_config.pairs; pair++)
		take_pair(tw_pair_room(run, pair, part), pair, take);
}

uint64_t tw_ring_lost(const struct tw_run *run, const struct tw_part *part)
{
	struct tw_ring *ring;
	uint64_t lost = 0;
	int pair;

	for (pair = 0; pair < tw_config.pairs; pair++) {
		ring = tw_pair_room(run, pair, part);
		lost += ring->lost;
		ring->lost = 0;
	}
	return lost;
}
