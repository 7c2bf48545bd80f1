/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the measurement itself costs, where and as it is made: on the
 * client's CPU, at its priority. It is told, and subtracted from nothing.
 */
#ifndef TW_COST_H
#define TW_COST_H

#include "tw_clock.h"
#include "tw_metric.h"

struct tw_spread {
	int64_t min_ns;
	double avg_ns;
	int64_t max_ns;
};

struct tw_cost {
	struct tw_spread clock;	/* between back-to-back reads */
	int64_t resolution_ns;	/* the least step that the clock made */
	struct tw_spread sleep;	/* of a nanosleep() of 1 ns */
	/* What a cycle takes of the client but for its system calls. */
	struct tw_spread cycle;
};

/*
 * Takes a few ms. Client only, before its loop: it allocates, and sleeps.
 * The cycle's are 0 if there is no memory for it.
 */
void tw_cost_measure(struct tw_cost *cost, const struct tw_clock *clock,
		     const struct tw_metric_params *params);

#endif /* TW_COST_H */
