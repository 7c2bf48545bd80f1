/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TW_CLOCK_TSC_H
#define TW_CLOCK_TSC_H

#include <stdint.h>

/*
 * Called by main: calibrates tw_clock_tsc, which takes 50 ms. Returns NULL, or
 * why there is no reliable counter; the first ends the program with it.
 */
void tw_clock_tsc_open(void);
const char *tw_clock_tsc_try(void);

/* The counter, in ticks, and how long one takes; after one of these. */
int64_t tw_clock_tsc_ticks(void);
double tw_clock_tsc_ns_per_tick(void);

#endif /* TW_CLOCK_TSC_H */
