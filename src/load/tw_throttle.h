/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TW_THROTTLE_H
#define TW_THROTTLE_H

#include <stdbool.h>
#include <stdint.h>

struct tw_run;

/* The cycles of a pair that the kernel has probably throttled, in all steps. */
uint64_t tw_throttled(const struct tw_run *run, int pair);

/* Whether a task was late by about the time of such a stop. */
bool tw_throttle_is_stop(int64_t late_ns);

#endif /* TW_THROTTLE_H */
