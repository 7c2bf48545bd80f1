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

#include "tw_config.h"
#include "tw_others.h"

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

/* For tw_stop.c: what each task has spent between two samples. */
#define TW_SPENT_TASKS	(2 * TW_PAIRS_MAX + 256)
#define TW_SPENT_KEPT	32	/* samples */

struct tw_spent_task {
	int id;			/* 0: what the host took from a CPU */
	int fd;			/* -1: it is not open */
	bool ours;
	bool known;		/* it was read at least once */
	bool ended;
	int64_t ended_ns;
	cpu_set_t cpus;
	char name[28];
	const struct tw_spent *last;	/* see tw_spent_add() */
	struct tw_spent total;
	struct tw_spent_part {
		struct tw_spent spent;	/* since the sample before */
		int cpu;	/* where it was at the end of that time */
	} part[TW_SPENT_KEPT];
};

/* Samples have numbers, from 0 on; the index is that, modulo TW_SPENT_KEPT. */
struct tw_spents {
	bool told;		/* by this kernel */
	bool hosted;		/* a host takes time from our CPUs */
	cpu_set_t cpus;
	int64_t period_ns;
	int64_t scanned_ns;
	int64_t at_ns[TW_SPENT_KEPT];
	int count;		/* of samples */
	int tasks;
	struct tw_spent_task task[TW_SPENT_TASKS];
	struct tw_snapshot all;
};

extern struct tw_spents *tw_spents;

static inline struct tw_spent_task *tw_spent_behind(void)
{
	return tw_spents->task + tw_spents->tasks;
}

/* The sample before the oldest part. */
static inline int tw_spent_first(void)
{
	return tw_spents->count > TW_SPENT_KEPT ?
	       tw_spents->count - TW_SPENT_KEPT : 0;
}

static inline int64_t tw_spent_at_ns(int sample)
{
	return tw_spents->at_ns[sample % TW_SPENT_KEPT];
}

static inline struct tw_spent *tw_spent_of(struct tw_spent_task *task,
					   int sample)
{
	return &task->part[sample % TW_SPENT_KEPT].spent;
}

/* How much of the time between a sample and the one before is in bounds. */
double tw_spent_within(int sample, int64_t from_ns, int64_t to_ns);

#endif /* TW_SPENT_H */
