/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who else used the CPUs of a run: how much, and the greatest of them by name.
 *
 * Others are all tasks, of the kernel too, but main and what descends from it:
 * client and server, loads, and what loads start. Threads of the kernel that do
 * what interrupts have begun (ksoftirqd, ktimers, irq/...) are counted apart:
 * they work for the run's own timers and packets as well, and nobody can tell
 * for how much of the time. What an interrupt does at once is nobody's.
 *
 * Which CPU a task used is not known to the kernel, only where it was last. So
 * what tasks are said to have used there is limited by what the CPU's counters
 * leave over. Tasks that have ended cannot be named, nor those of another PID
 * namespace: they are told as the rest, as far as it cannot have been ours.
 * Beside a load that may run anywhere, that is little.
 *
 * A kernel reads its clock for a wake-up and not again for the switch to the
 * task that was woken: what ran in between, as it could not be preempted, is
 * counted as that task's time. So a task that disturbs in this way used more
 * than is told, and our own less.
 *
 * Called by main, before and after a run, never within it.
 */
#ifndef TW_OTHERS_H
#define TW_OTHERS_H

#include "check/tw_busy.h"
#include "check/tw_tasks.h"
#include "frame/tw_part.h"

#define TW_OTHERS_NAMED	3	/* of a CPU */

/* What is read at one time. */
struct tw_others_state {
	struct tw_tasks tasks;
	struct tw_busy busy;
};

struct tw_others_task {
	char name[TW_TASK_NAME];
	int id;			/* of the thread; 0: no task */
	bool kernel;
	int64_t ns;
};

/* Times within the run. */
struct tw_others_cpu {
	int cpu;
	int64_t ns;		/* of others in all, with those below */
	int64_t unnamed_ns;	/* of tasks that ended, moved or are hidden */
	int64_t interrupts_ns;	/* of threads of interrupts, beside ns */
	struct tw_others_task task[TW_OTHERS_NAMED];	/* the greatest first */
	struct tw_others_task interrupts;		/* the greatest */
};

struct tw_others {
	int64_t elapsed_ns;
	/* All tasks were read; else none is taken for ended. */
	bool complete;
	int count;
	struct tw_others_cpu cpu[CPU_SETSIZE];
};

/*
 * Read before and after a run, below @root, "" for the real system. What
 * belongs to us is read farther from the run than what belongs to CPUs, so that
 * it is not too little. Return 0 or -errno; then nothing is to be freed.
 */
int tw_others_before(struct tw_others_state *state, const char *root);
int tw_others_after(struct tw_others_state *state, const char *root);

void tw_others_free(struct tw_others_state *state);

/* A run that lies between two states. */
struct tw_others_run {
	const struct tw_others_state *before, *after;
	cpu_set_t cpus;		/* of client and server, or of all tasks */
	int64_t sides_ns;	/* that these used, and they alone */
	/* All children that main had and that ended; /proc has only ticks. */
	int64_t children_ns;
	int self;		/* main's process number */
};

void tw_others_compare(struct tw_others *others,
		       const struct tw_others_run *run);

/* Part of the run's time, in percent. */
double tw_others_percent(const struct tw_others *others, int64_t ns);

/* Before and after each run, in the text from 1 % on, and in the JSON. */
extern const struct tw_part tw_part_others;

#endif /* TW_OTHERS_H */
