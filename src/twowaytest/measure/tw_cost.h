/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cost of measuring, on the client's CPU and at its priority. It is only
 * reported; no result is corrected by it.
 */
#ifndef TW_COST_H
#define TW_COST_H

#include "base/tw_clock.h"
#include "measure/tw_metric.h"

struct tw_spread {
	int64_t min_ns;
	double avg_ns;
	int64_t max_ns;
};

struct tw_cost {
	struct tw_spread clock;	/* between two consecutive readings */
	int64_t resolution_ns;	/* smallest step of the clock */
	struct tw_spread sleep;	/* duration of nanosleep() of 1 ns */
	/* The client's work in a cycle, without its system calls. */
	struct tw_spread cycle;
};

/*
 * Called by the client, before its loop; it allocates, sleeps, and takes a few
 * ms. Without memory, cost->cycle is 0.
 */
void tw_cost_measure(struct tw_cost *cost, const struct tw_clock *clock,
		     const struct tw_metric_params *params);

#endif /* TW_COST_H */
