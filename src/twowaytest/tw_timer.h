/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What wakes the client: expiries on a grid of first + k * period. A late
 * cycle never shifts the grid; it is served for the oldest expiry that it
 * has not served, and those that passed meanwhile are missed.
 */
#ifndef TW_TIMER_H
#define TW_TIMER_H

#include <signal.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct tw_timer;

struct tw_timer_ops {
	const char *name;
	/* Arms it for next_ns and every period from there. 0 or -errno. */
	int (*start)(struct tw_timer *timer);
	/*
	 * Sleeps until next_ns: 0, or -EINTR if a signal came first, or the
	 * clock was set back just then: it is to be called again.
	 */
	int (*wait)(struct tw_timer *timer);
	/*
	 * After the cycle: planned_ns and missed of the expiry that wait()
	 * returned for, at @awake_ns; moves next_ns on.
	 */
	void (*settle)(struct tw_timer *timer, int64_t awake_ns);
	void (*stop)(struct tw_timer *timer);
	/* It expires in a softirq, which PREEMPT_RT runs in a thread. */
	bool softirq;
};

/* Used by one process, the client. Times are on @clockid. */
struct tw_timer {
	const struct tw_timer_ops *ops;
	clockid_t clockid;
	int64_t period_ns;
	int64_t next_ns;
	int64_t planned_ns;
	uint64_t missed;
	uint64_t overrun;	/* the kernel's count at the last expiry */
	timer_t id;
	sigset_t signals;
	int fd;
};

/* Sent at each expiry of a POSIX timer; blocked in the client. */
#define TW_TIMER_SIGNAL	(SIGRTMIN)

/* nanosleep, posix, timerfd; NULL from @index 3 on. */
const struct tw_timer_ops *tw_timer_kind(size_t index);

/* That of -x. */
extern const struct tw_timer_ops *const tw_timer_posix;

/* For a period of 0: the closed loop, which has no timer. */
extern const struct tw_timer_ops tw_timer_none;

/*
 * Arms a timer of @ops for the first time one period from now. Errors:
 * -errno of the kernel's call.
 */
int tw_timer_start(struct tw_timer *timer, const struct tw_timer_ops *ops,
		   clockid_t clockid, int64_t period_ns);

/* Grid points after @planned_ns that have passed by @awake_ns. */
uint64_t tw_timer_passed(int64_t planned_ns, int64_t awake_ns,
			 int64_t period_ns);

#endif /* TW_TIMER_H */
