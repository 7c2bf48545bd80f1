/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A ring hands on all cycles in their order, also where its counts wrap. */
#include <limits.h>

#include "unit.h"
#include "tw_part.h"
#include "tw_ring.h"
#include "tw_run.h"

static struct tw_ring ring;
static unsigned int taken;	/* the next cycle's number */

void *__wrap_tw_pair_room(const struct tw_run *run, int pair,
			  const struct tw_part *part);
void *__wrap_tw_pair_room(const struct tw_run *run, int pair,
			  const struct tw_part *part)
{
	(void)run, (void)pair, (void)part;
	return &ring;
}

static void take(int pair, const struct tw_cycle *cycle)
{
	(void)pair;
	assert_int_equal(cycle->seq, taken++);
}

/* So many cycles, from that number on. */
static void record(unsigned int from, int cycles)
{
	int i;

	for (i = 0; i < cycles; i++)
		tw_ring_record(&ring, &(struct tw_cycle) {
			.seq = from + (unsigned int)i }, NULL);
}

static const struct start {
	const char *name;
	unsigned long count;
} starts[] = {
	{ "empty", 0 }, { "used", 123 }, { "wraps", ULONG_MAX - 3 },
	{ "wraps_when_full", ULONG_MAX - TW_RING_CYCLES + 2 },
};

TEST_EACH(test_ring, starts)
{
	ring.written = ring.read = of->count;
	taken = 0;
	tw_settings.pairs = 1;
	record(0, 10);
	tw_ring_take(NULL, NULL, take);
	assert_int_equal(taken, 10);
	assert_int_equal(tw_ring_lost(NULL, NULL), 0);
	record(10, TW_RING_CYCLES);
	record(0, 2);		/* no room: counted, and left out */
	tw_ring_take(NULL, NULL, take);
	assert_int_equal(taken, 10 + TW_RING_CYCLES);
	tw_ring_take(NULL, NULL, take);
	assert_int_equal(taken, 10 + TW_RING_CYCLES);
	assert_int_equal(tw_ring_lost(NULL, NULL), 2);
}
