/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tallies and cycles for the tests of the tally. */
#ifndef UNIT_TALLY_H
#define UNIT_TALLY_H

#include <sys/mman.h>

#include "measure/tw_tally.h"
#include "unit.h"
#include "cycle.h"

#define WIDTH	50

static const struct tw_metric_params usual = {
	.period_ns = 1000000, .sleep_ns = 100000,
};

static inline struct tw_tally *
new_tally(const struct tw_metric_params *params, int64_t width_us)
{
	void *memory = mmap(NULL, tw_tally_size(width_us),
			    PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(memory, MAP_FAILED);
	return tw_tally_init(memory, params, width_us);
}

static inline void drop_tally(struct tw_tally *tally, int64_t width_us)
{
	munmap(tally, tw_tally_size(width_us));
}

/* The next cycle, its phases drawn at random. */
static inline void advance(struct tw_cycle *cycle, uint64_t *seed)
{
	cycle->seq++;
	cycle->missed = unit_between(seed, 0, 2);
	cycle->inversions = (uint32_t)unit_between(seed, 0, 3);
	cycle->prev_t0_ns = cycle->t0_ns;
	cycle->planned_ns += 1000000;
	cycle->t0_ns = cycle->planned_ns + unit_between(seed, 0, 40000);
	cycle->t1_ns = cycle->t0_ns + unit_between(seed, 3000, 60000);
	cycle->t2_ns = cycle->t1_ns + unit_between(seed, 90000, 200000);
	cycle->t3_ns = cycle->t2_ns + unit_between(seed, 3000, 60000);
}

#endif /* UNIT_TALLY_H */
