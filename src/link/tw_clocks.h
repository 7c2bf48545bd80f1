/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TW_CLOCKS_H
#define TW_CLOCKS_H

#include <stdint.h>

#include "tw_clock.h"

/* The value of a counter or clock, and the time on CLOCK_MONOTONIC. */
struct tw_moment {
	int64_t here;
	int64_t ns;
	int64_t error_ns;	/* of that, at most */
};

/* Reads both at one moment: the best of a few tries. Any process. */
struct tw_moment tw_clocks_moment(int64_t (*read)(void));

/* By main: ends the program if @clock is an auxiliary one, and not there. */
void tw_clocks_open_aux(const struct tw_clock *clock);

/*
 * The time of @clock minus that of CLOCK_MONOTONIC, in ns. Any process;
 * takes less than a microsecond.
 */
int64_t tw_clocks_ahead_ns(const struct tw_clock *clock);

/*
 * A time of tw_config.clock on CLOCK_MONOTONIC. Any process, soon after that
 * time: later, the clock may have been set.
 */
int64_t tw_clocks_monotonic_ns(int64_t ns);

/*
 * tw_clock_tsc.c: called by main: calibrates tw_clock_tsc, which takes 50 ms. Returns NULL, or
 * why there is no reliable counter; the first ends the program with it.
 */
void tw_clock_tsc_open(void);
const char *tw_clock_tsc_try(void);

/* The counter, in ticks, and how long one takes; after one of these. */
int64_t tw_clock_tsc_ticks(void);
double tw_clock_tsc_ns_per_tick(void);

#endif /* TW_CLOCKS_H */
