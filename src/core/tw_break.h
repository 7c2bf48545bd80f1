/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The cycle that ended the run; of several, the longest. */
#ifndef TW_BREAK_H
#define TW_BREAK_H

#include "tw_run.h"

/* Memory of a pair, see tw_pair_room(). Its client writes it. */
struct tw_break {
	struct tw_cycle cycle;	/* the long one; seq 0: none */
	int64_t values_ns[TW_SPANS];
	enum tw_metric_id metric;	/* the one that was too large */
};

/*
 * Called by main after the clients have ended: the pair whose long cycle was
 * the first; -1: none.
 */
int tw_break_pair(const struct tw_run *run);

/* The number of this pair's long cycle, from 0, without the warm-up. */
uint64_t tw_break_number(const struct tw_break *of);

/* Called by a client: whether a cycle with these values is too long. */
bool tw_break_exceeds(const int64_t values_ns[]);

/* A part may unset it: it ends the run then, or clears the cycle for another. */
extern bool tw_break_ends;
extern int64_t tw_break_limit_us;	/* 0: none */

#endif /* TW_BREAK_H */
