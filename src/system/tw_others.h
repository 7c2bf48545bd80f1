/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who else used a CPU between two snapshots of /proc. Called by main, before
 * and after a run or a step, never within it.
 *
 * The kernel knows how long each task ran, but not where, only on which CPU it
 * was last. So what tasks are said to have used of a CPU is limited by the
 * time that it was neither idle nor ours. What remains belongs to tasks that
 * ended, moved, or are hidden in another PID namespace; it is counted as far
 * as it cannot have been ours.
 */
#ifndef TW_OTHERS_H
#define TW_OTHERS_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#define TW_OTHERS_TASKS	16384	/* more are not read */
#define TW_OTHERS_NAMED	3

struct tw_task {
	int id;			/* of the thread; 0: no task */
	int cpu;		/* where it was last */
	uint64_t start;		/* with the id, this names it for ever */
	int64_t ns;		/* CPU time */
	int64_t children_ns;	/* of its process's that were reaped */
	int policy;
	int priority;		/* real-time; else 0 */
	bool kernel;		/* a thread of the kernel */
	/* One that does what interrupts began, for whoever waits: us, too. */
	bool interrupts;
	char name[28];
};

/* Times since boot. */
struct tw_cpu_time {
	bool known;
	int64_t idle_ns;
	int64_t interrupt_ns;	/* 0 if the kernel counts it for tasks */
	int64_t host_ns;	/* that the host took from a virtual CPU */
	int64_t task_ns;	/* exact; see below */
};

struct tw_snapshot {
	int64_t at_ns;		/* CLOCK_MONOTONIC */
	bool exact;		/* task_ns is known: needs SCHEDSTATS */
	bool complete;		/* all tasks were read, within 200 ms */
	int count;
	struct tw_task task[TW_OTHERS_TASKS];	/* by id */
	struct tw_cpu_time cpu[CPU_SETSIZE];
};

/* A CPU between two snapshots. */
struct tw_others {
	int cpu;
	int64_t ns;		/* of all others, those below included */
	int64_t unnamed_ns;
	int64_t host_ns;
	int64_t interrupts_ns;	/* of such threads, not in ns */
	struct tw_task task[TW_OTHERS_NAMED];	/* the greatest first */
};

/* Reads all tasks but the caller. Returns 0 or -errno. */
int tw_snapshot_read(struct tw_snapshot *to);

/* Reads the CPUs alone, without task_ns. */
int tw_snapshot_read_cpus(struct tw_snapshot *to);

/* The same task there; NULL: it was not seen. */
const struct tw_task *tw_snapshot_find(const struct tw_snapshot *in,
				       const struct tw_task *task);

/*
 * Sets all but the number of @to. Our processes used @own_ns there, and
 * @rest_ns there or elsewhere.
 */
void tw_others_compare(struct tw_others *to, const struct tw_snapshot *before,
		       const struct tw_snapshot *after, int64_t own_ns,
		       int64_t rest_ns);

#endif /* TW_OTHERS_H */
