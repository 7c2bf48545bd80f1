/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel says in /proc. */
#ifndef TW_PROC_H
#define TW_PROC_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Numbers of fields of /proc/PID/stat, as in proc(5). */
#define TW_STAT_PARENT	4
#define TW_STAT_UTIME	14	/* ticks, as the three that follow */
#define TW_STAT_STIME	15
#define TW_STAT_CUTIME	16	/* of children that were reaped */
#define TW_STAT_CSTIME	17
#define TW_STAT_FIELDS	17	/* how many are read */

struct tw_stat {
	char name[16];
	int64_t field[TW_STAT_FIELDS + 1];	/* from TW_STAT_PARENT */
};

/* Both return false if there is no such file. */
bool tw_proc_stat(struct tw_stat *stat, const char *path);
bool tw_proc_number(int64_t *number, const char *path);

/* A task (thread) with a real-time policy. */
struct tw_task {
	pid_t tid;
	char name[16];
	int64_t ns;		/* CPU time since its start */
	cpu_set_t cpus;		/* that it may use */
};

/* All of them that can be seen; *tasks is to be freed. Returns how many. */
int tw_proc_realtime(struct tw_task **tasks);

#endif /* TW_PROC_H */
