/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes and threads, as /proc has them. */
#ifndef TW_PROC_H
#define TW_PROC_H

#include <stdbool.h>
#include <stdint.h>

/* Fields of a thread's stat file, as proc(5) counts them. */
enum {
	TW_STAT_PARENT = 4,
	TW_STAT_FLAGS = 9,
	/* Ticks: of the thread, and of the process's children that were reaped. */
	TW_STAT_USER = 14, TW_STAT_SYSTEM,
	TW_STAT_CHILDREN_USER, TW_STAT_CHILDREN_SYSTEM,
	TW_STAT_START = 22,
	TW_STAT_CPU = 39, TW_STAT_PRIORITY, TW_STAT_POLICY,
	TW_STAT_FIELDS
};

struct tw_stat {
	char name[28];
	int64_t field[TW_STAT_FIELDS];	/* from TW_STAT_PARENT on */
};

/* Our number there, which is none of ours in another PID namespace; 0: none. */
int tw_proc_self(void);

/* The first thread of a process has its @pid. false: it has ended. */
bool tw_proc_stat(struct tw_stat *stat, int pid, int tid);

/*
 * Calls each() for the entries of a directory that are numbers, until it
 * returns false: processes in /proc, threads in /proc/PID/task.
 */
void tw_proc_each(const char *path, bool (*each)(int number, void *arg),
		  void *arg);

#endif /* TW_PROC_H */
