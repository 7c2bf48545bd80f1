/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts that keep, write and judge results. */
#ifndef TW_PART_RESULT_H
#define TW_PART_RESULT_H

#include "frame/tw_part.h"

extern const struct tw_part tw_part_all;	/* pairs, in JSON */
extern const struct tw_part tw_part_cost;
extern const struct tw_part tw_part_dump;
extern const struct tw_part tw_part_kept;
extern const struct tw_part tw_part_limit;
extern const struct tw_part tw_part_ramp;
extern const struct tw_part tw_part_smi;
extern const struct tw_part tw_part_timeline;
extern const struct tw_part tw_part_trltp;

/*
 * Whether the cycles that were asked for are not all there: a signal or a
 * failure came first. Without -l and -D, a signal is the regular end.
 */
bool tw_result_is_cut_short(const struct tw_run *run);

#endif /* TW_PART_RESULT_H */
