/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much CPU time each task has used since it started: threads of processes,
 * and of the kernel. Called by main, before and after a run, never within it.
 */
#ifndef TW_TASKS_H
#define TW_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TW_TASKS_MAX	4096	/* bounds memory; the others are not read */
#define TW_TASKS_MS	200	/* as it does the time for reading them */
#define TW_TASK_NAME	28

struct tw_task_row {
	int id;			/* of the thread */
	int process;
	int parent;		/* process that started it, or adopted it */
	int cpu;		/* where it was last */
	uint64_t start;		/* with the id, this names it for ever */
	int64_t used_ns;
	/* In ticks, and 0 but for a process's first thread: */
	int64_t process_ns;	/* of all its threads, those that ended too */
	int64_t reaped_ns;	/* of its children that ended */
	bool coarse;		/* used_ns is in ticks of tw_tick_ns() */
	bool kernel;		/* a thread of the kernel */
	/*
	 * Such a thread that does what interrupts have begun: it works for
	 * whoever waits for a timer, a packet or a device, us too.
	 */
	bool interrupts;
	char name[TW_TASK_NAME];
};

/* Its memory is not inherited by children, which would lock it. */
struct tw_tasks {
	struct tw_task_row *row;	/* sorted by id */
	size_t count;
	bool complete;		/* neither bound was reached */
};

/* What times in /proc are rounded down to. */
int64_t tw_tick_ns(void);

/*
 * Reads the tasks below @root, "" for the real system. Returns 0 or -errno.
 * Free it with tw_tasks_free(), which may also be called after an error.
 */
int tw_tasks_read(struct tw_tasks *tasks, const char *root);
void tw_tasks_free(struct tw_tasks *tasks);

/* NULL: there is none. */
const struct tw_task_row *tw_tasks_find(const struct tw_tasks *tasks, int id);

/* Whether @row is of process @self, or of one that descends from it. */
bool tw_tasks_descends(const struct tw_tasks *tasks,
		       const struct tw_task_row *row, int self);

#endif /* TW_TASKS_H */
