/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For how long real-time tasks had their CPUs, and ours waited for one: samples
 * of /proc in the last periods. Times are of CLOCK_MONOTONIC. Called by main.
 */
#ifndef TW_SPENT_H
#define TW_SPENT_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#define TW_SPENT_SAMPLES	10	/* in a period */

/* Since the begin of a task. */
struct tw_spent {
	int64_t ran_ns;
	int64_t waited_ns;	/* runnable, but another task had the CPU */
};

/* Of the calling thread, of any process; false: this kernel does not tell. */
bool tw_spent_self(struct tw_spent *to);

/* Whether it did. */
bool tw_spent_told(void);

/*
 * Begins anew: lists the real-time tasks that may use @cpus. For periods of up
 * to @period_ns. Takes some ms.
 */
void tw_spent_begin(const cpu_set_t *cpus, int64_t period_ns);

/*
 * Adds a task of ours that has just begun, once. @last: if not NULL, shared
 * memory where it leaves what it has spent when it ends.
 */
void tw_spent_add(int id, const struct tw_spent *last);

/* Takes a sample, 3 us for each task; without @now, if it is due. */
void tw_spent_sample(bool now);

/*
 * Looks again which real-time tasks there are. Takes some ms, so that it does so
 * once a second at most.
 */
void tw_spent_scan(void);

/* Closes what is open. */
void tw_spent_end(void);

#endif /* TW_SPENT_H */
