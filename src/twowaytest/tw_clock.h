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

/* What tw_clock_ahead_ns() remembers of its last calls; at first all 0. */
struct tw_ahead {
	int64_t ns;		/* the last result */
	int64_t trusted_ns;	/* reads that took no longer are of one moment */
};

/*
 * How far this clock is ahead of the timers' clock now, in ns: 0 if they
 * are one. The last result again if something came between the reads, which
 * shows in that they took longer than those before.
 */
int64_t tw_clock_ahead_ns(const struct tw_clock *clock,
			  struct tw_ahead *ahead);

/*
 * How far this clock is ahead of the kernel's @clockid now, in ns: the best
 * of a few tries. Any process; some us.
 */
int64_t tw_clock_ahead_of_ns(const struct tw_clock *clock, clockid_t clockid);

/* The same in a hurry: of three tries, or the first that is good enough. */
int64_t tw_clock_about_ahead_ns(const struct tw_clock *clock,
				clockid_t clockid);

/*
 * CPU counter only: how far it has run ahead of CLOCK_MONOTONIC since it was
 * calibrated, *over_ns ago. False for other clocks.
 */
bool tw_clock_drift(const struct tw_clock *clock, int64_t *drift_ns,
		    int64_t *over_ns);

#endif /* TW_CLOCK_H */
