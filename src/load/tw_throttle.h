/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TW_THROTTLE_H
#define TW_THROTTLE_H

#include <stdint.h>

struct tw_run;

/*
 * The cycles of a pair in which the kernel stopped real-time tasks, in all
 * steps until now; and those of which this is not known.
 */
uint64_t tw_throttled(const struct tw_run *run, int pair);
uint64_t tw_throttle_unknown(const struct tw_run *run, int pair);

/*
 * Called by the task that records, with the part's memory: something was late,
 * as long as such a stop (tw_stop_fits_any()), and ended at @end_ns, on
 * CLOCK_MONOTONIC. Main looks whether it was one.
 */
void tw_throttle_note(void *memory, int64_t late_ns, int64_t end_ns);

#endif /* TW_THROTTLE_H */
