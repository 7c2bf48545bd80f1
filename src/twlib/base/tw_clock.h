/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The clocks for timestamps: the clocks of the kernel, and the counter of the
 * CPU (x86: time-stamp counter, aarch64: virtual counter).
 */
#ifndef TW_CLOCK_H
#define TW_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct tw_clock {
	const char *name;
	/*
	 * Returns the time in ns. Any process; no system call, for use in the
	 * loops.
	 */
	int64_t (*read_ns)(const struct tw_clock *clock);
	clockid_t clockid;	/* kernel clock of read_ns, if any */
	/*
	 * The clock of the timers: the measuring clock or, if the kernel has no
	 * timers on that clock, CLOCK_MONOTONIC.
	 */
	clockid_t timer_clockid;
	bool own_timer;
	/*
	 * CPU counter only: ns = base_ns + (ticks - base_ticks) * ns_per_tick.
	 */
	double ns_per_tick;
	uint64_t base_ticks;
	int64_t base_ns;
};

struct tw_clock_kind {
	const char *name;
	const char *number;	/* as cyclictest's -c */
	clockid_t clockid;
	bool own_timer;
	/* Sets read_ns, if it is no clock of the kernel. See tw_clock_open(). */
	int (*open)(struct tw_clock *clock);
};

/* The first is the default; the last is NULL. */
extern const struct tw_clock_kind *const tw_clock_kinds[];
extern const struct tw_clock_kind tw_clock_tsc;

/*
 * Prepares the clock @name ("monotonic" or "0", "realtime" or "1", ...). Called
 * by main, before the fork. Takes 50 ms for tsc, to calibrate it. Returns 0, or
 * -EINVAL: unknown name. For tsc also -ENOTSUP: no counter, or its rate is not
 * constant; -ENODEV: the kernel found it unreliable; -ERANGE: two calibrations
 * differ by more than 100 ppm.
 */
int tw_clock_open(struct tw_clock *clock, const char *name);

/* State of tw_clock_ahead_ns(). Initialise it with zeros. */
struct tw_ahead {
	int64_t ns;		/* last result */
	int64_t trusted_ns;	/* maximum duration of a valid reading */
};

/*
 * Returns the measuring clock minus the clock of the timers, in ns; 0 if they
 * are the same clock. If the reading took too long (an interrupt or a
 * preemption came between the two clocks), returns the last result.
 */
int64_t tw_clock_ahead_ns(const struct tw_clock *clock,
			  struct tw_ahead *ahead);

/*
 * The same for any clock of the kernel, which is always read. A reading is off
 * by at most half of ahead->trusted_ns.
 */
int64_t tw_clock_follow_ns(const struct tw_clock *clock, clockid_t clockid,
			   struct tw_ahead *ahead);

/*
 * Returns the measuring clock minus the kernel's @clockid, in ns: the best of a
 * few readings. Any process; takes some us.
 */
int64_t tw_clock_ahead_of_ns(const struct tw_clock *clock, clockid_t clockid);

/* The same, but faster: at most three readings, until one is good enough. */
int64_t tw_clock_about_ahead_ns(const struct tw_clock *clock,
				clockid_t clockid);

/*
 * CPU counter only. Stores the time that it gained on CLOCK_MONOTONIC since the
 * calibration, and the time since then. Returns false for other clocks.
 */
bool tw_clock_drift(const struct tw_clock *clock, int64_t *drift_ns,
		    int64_t *over_ns);

#endif /* TW_CLOCK_H */
