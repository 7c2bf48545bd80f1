/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cycles that the end of a run has cut short: the client still waited for a
 * reply, or was to wake up. How long it took is not known, but how long it took
 * at least. If that is longer than all before it, it is certainly the longest, and
 * counts. Else, as at almost every end, nothing is known of it. Called by main.
 */
#ifndef TW_CUT_H
#define TW_CUT_H

#include <stdint.h>

#include "tw_metric.h"

struct tw_run;

/* The clients of a step have ended: gives what is left to the statistics. */
void tw_cut_take(struct tw_run *run);

/*
 * How many such cycles of a pair count, although of metric @id their values are
 * not known, or only that they are not smaller.
 */
uint64_t tw_cut_open(int pair, enum tw_metric_id id);

/*
 * Of a pair, of the intervals that such cycles had begun: how long the longest has
 * lasted. It is in no statistics. 0: none was longer than those before it.
 */
int64_t tw_cut_begun_ns(int pair);

/*
 * How many of a pair were not answered in this step, or with -1, in all: their
 * response counts.
 */
uint64_t tw_cut_unanswered(int pair, int step);

#endif /* TW_CUT_H */
