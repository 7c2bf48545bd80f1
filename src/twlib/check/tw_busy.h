/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long tasks had each CPU, whoever they were and whether they live or not.
 * /proc/schedstat tells that in ns. Kernels without SCHEDSTATS lack it: then
 * it is what /proc/stat calls neither idle nor interrupts, in ticks, and with
 * it the way into idling and out of it. The ticks that /proc/stat counts for
 * tasks themselves are not used: a task that a timer wakes may run between
 * them each time, or never.
 */
#ifndef TW_BUSY_H
#define TW_BUSY_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

struct tw_busy {
	int64_t at_ns;		/* CLOCK_MONOTONIC */
	bool exact;		/* from /proc/schedstat */
	struct tw_busy_cpu {
		bool known;
		int64_t task_ns;	/* if exact */
		int64_t idle_ns;
		/* Interrupts, and what a hypervisor took away. */
		int64_t taken_ns;
	} cpu[CPU_SETSIZE];
};

/* @root: "" for the real system. Returns 0 or -errno. */
int tw_busy_read(struct tw_busy *busy, const char *root);

/* How long tasks had CPU @cpu between the two; 0: not known. */
int64_t tw_busy_ns(const struct tw_busy *before, const struct tw_busy *after,
		   int cpu);

#endif /* TW_BUSY_H */
