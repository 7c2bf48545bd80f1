/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TW_THROTTLE_H
#define TW_THROTTLE_H

#include <stdint.h>

struct tw_run;

/* The cycles of a pair that the kernel has probably throttled, in all steps. */
uint64_t tw_throttled(const struct tw_run *run, int pair);

#endif /* TW_THROTTLE_H */
