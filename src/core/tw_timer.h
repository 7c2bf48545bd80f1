/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The timers that wake the client. Expiries are at first + k * period; a late
 * cycle does not change this. A cycle belongs to the oldest expiry that has no
 * cycle yet. The expiries that passed since then are overruns ("missed"): they
 * get no cycle. All timers run on CLOCK_MONOTONIC, which nobody can set; times
 * are in ns on it.
 */
#ifndef TW_TIMER_H
#define TW_TIMER_H

#include <signal.h>
#include <stdint.h>
#include <time.h>

#include "tw_clock.h"

struct tw_timer;

struct tw_timer_ops {
	const char *name;
	/*
	 * Starts the timer: first expiry at next_ns. Returns 0 or -errno. It
	 * ends with the process. NULL: nothing is to be started.
	 */
	int (*start)(struct tw_timer *timer);
	/*
	 * Sleeps until next_ns. Returns 0; -EINTR if a signal arrived: call it
	 * again; or -errno.
	 */
	int (*wait)(struct tw_timer *timer);
	/*
	 * Called after the cycle, so that this is no part of it. Sets
	 * planned_ns and missed for the expiry that wait() returned for; the
	 * client woke up at @awake_ns. Moves next_ns to the next expiry. With
	 * another measuring clock, that clock has planned_ns and @awake_ns,
	 * and watch has its distance.
	 */
	void (*settle)(struct tw_timer *timer, int64_t awake_ns);
};

/* Used by the client process only. */
struct tw_timer {
	const struct tw_timer_ops *ops;
	struct tw_watch watch;
	int64_t period_ns;
	int64_t next_ns;
	int64_t planned_ns;
	uint64_t missed;
	uint64_t overrun;	/* overrun count of the kernel, last expiry */
	timer_t id;
	sigset_t signals;
};

extern const struct tw_timer_ops tw_timer_nanosleep;
extern const struct tw_timer_ops tw_timer_posix;

/* The timer of this name; "none", that of a closed loop, is not in the table. */
const struct tw_timer_ops *tw_timer_find(const char *name);

/* The name of a row of the table; NULL after the last. */
const char *tw_timer_name(int number);

/*
 * Starts a timer. Its first expiry is at @first_ns; 0: one period from now.
 * Returns 0 or -errno.
 */
int tw_timer_start(struct tw_timer *timer, const struct tw_timer_ops *ops,
		   int64_t period_ns, int64_t first_ns);

#endif /* TW_TIMER_H */
