/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tasks of a case, threads or processes, and the process that starts them
 * ("starter"), above all of them: it knows itself when their time is over.
 */
#ifndef PT_TASK_H
#define PT_TASK_H

#include "pt_case.h"

/* A thread's stack: all of it is locked. */
#define PT_STACK	(256 * 1024)

/* Called by the starter, or by a thread of it: as a task, until its end. */
int pt_task_live(struct pt_task *task);

/*
 * Forks a child that runs live(@arg) and exits with it, all signals blocked; it
 * gets @death_signal when its parent dies. Returns 0 or -errno.
 */
int pt_fork(struct tw_process *process, const char *name, int death_signal,
	    int (*live)(void *arg), void *arg);

/* Called by main: starts the starter and so the case. Returns 0 or -errno. */
int pt_starter_start(struct pt_case *c);

/* Sets policy, priority and CPUs of the caller. Returns NULL or what failed. */
const char *pt_settle(int priority, const cpu_set_t *cpus);

/* Touches all of the memory, so that it is there. */
void pt_prefault(void *memory, size_t size);

/* Whether a task is not as it was in the beginning. */
bool pt_task_changed(const struct pt_task *task);

/*
 * How many switches the tasks had in their trials; how many they have if nobody
 * disturbs them; and how many they need at least.
 */
int64_t pt_switches(const struct pt_case *c);
int64_t pt_switches_usual(const struct pt_case *c);
int64_t pt_switches_needed(const struct pt_case *c);

/* Whether less than 99 % of them happened; a task may begin with the answer. */
bool pt_switches_lack(const struct pt_case *c);

#endif /* PT_TASK_H */
