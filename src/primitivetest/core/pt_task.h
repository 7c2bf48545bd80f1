/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tasks of a case, threads or processes, and the process that starts them
 * ("starter"). In thread mode the threads are its own.
 */
#ifndef PT_TASK_H
#define PT_TASK_H

#include "core/pt_case.h"

/* A thread's stack: all of it is locked. */
#define PT_STACK	(256 * 1024)

/* What a task that lives in its own process, or as a thread, does. */
int pt_task_live(struct pt_task *task);

/*
 * Called by main: starts the starter and its tasks, and returns when all are
 * ready, and begin. Returns 0 or -errno; c->refused or a task's failed says why.
 */
int pt_starter_start(struct pt_case *c, struct tw_child *child);

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
