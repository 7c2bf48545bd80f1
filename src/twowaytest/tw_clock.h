/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The clocks that timestamps may come from: the kernel's, and the CPU's own
 * counter (x86 time-stamp counter, aarch64 virtual counter).
 */
#ifndef TW_CLOCK_H
#define TW_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct tw_clock {
	const char *name;
	/* Now, in ns; any process, in the loops too: no system call. */
	int64_t (*read_ns)(const struct tw_clock *clock);
	clockid_t clockid;	/* what read_ns reads, if the kernel's */
	/*
	 * The timers' clock: the measuring clock itself or, where that can
	 * not drive a timer, the monotonic clock.
	 */
	clockid_t timer_clockid;
	bool own_timer;
	/* CPU counter only: ns = base_ns + (ticks - base) * ns_per_tick. */
	double ns_per_tick;
	uint64_t base_ticks;
	int64_t base_ns;
};

/* The names that tw_clock_open() knows; NULL from @index 6 on. */
const char *tw_clock_name(size_t index);

/*
 * Prepares the clock called @name ("monotonic" or "0", "realtime" or "1",
 * ...). Main, before the fork; takes 50 ms for tsc, which is calibrated.
 * Errors: -EINVAL unknown name; and for tsc only: -ENOTSUP no counter or not
 * an invariant one, -ENODEV the kernel does not trust it, -ERANGE two
 * calibrations differ by more than 100 ppm.
 */
int tw_clock_open(struct tw_clock *clock, const char *name);

/*
 * How far this clock is ahead of the timers' clock now, in ns: 0 if they
 * are one. @last_ns is returned if the two could not be read together.
 */
int64_t tw_clock_ahead_ns(const struct tw_clock *clock, int64_t last_ns);

/* Shortest and mean difference of back-to-back reads, in ns. */
void tw_clock_cost(const struct tw_clock *clock, int64_t *min_ns,
		   double *avg_ns);

#endif /* TW_CLOCK_H */
