/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace of our own: an instance in tracefs, which does not affect other
 * traces, with the clock CLOCK_MONOTONIC. All is called by main but
 * tw_tracefs_stop(). A program that needs several says which one is meant.
 */
#ifndef TW_TRACEFS_H
#define TW_TRACEFS_H

#include <sched.h>
#include <stdint.h>
#include <stdio.h>

#include "tw_guard.h"
#include "tw_option.h"

/* --trace and --trace-file. */
extern const struct tw_option tw_tracefs_options[];
extern const char *tw_tracefs_events;	/* NULL: no --trace */
extern const char *tw_tracefs_file;

extern int64_t tw_tracefs_ring_kb;	/* of a used CPU; 0: by the limit */

/* Whose wake-ups have stacks: filters of both events; NULL: tasks of ours. */
extern const char *tw_tracefs_woken, *tw_tracefs_next;

struct tw_tracefs {
	char path[128];
	int stop_fd;
	struct tw_guard guard;
};

/* From now on, this one is meant. */
void tw_tracefs_use(struct tw_tracefs *which);

/*
 * Refuses contradictions; @limit_us: that of -b, 0: none. The trace has room for
 * what is as long. Returns whether to trace.
 */
bool tw_tracefs_check(int64_t limit_us);

/*
 * Makes and starts it, on @cpus. The events: a list of systems, events or
 * system:event; with "+" in front, they are added to the usual ones. With
 * "stack" before all of it, or alone, it has the kernel stack of whom a wake-up
 * of a task of ours interrupts, and of who leaves the CPU to one. Removes what
 * killed runs have left behind. What fails ends the program after a message.
 * However main ends, the trace is removed.
 */
void tw_tracefs_open(const cpu_set_t *cpus);

/* May be called by all children of main, at any time: one system call. */
void tw_tracefs_stop(void);

/* Starts it again, empty. */
void tw_tracefs_resume(void);

/* Of its files: writes @text, or ends the program after a message. */
void tw_tracefs_put(const char *name, const char *text);
int tw_tracefs_open_in(const char *name, int flags);	/* as open() */

/* The text of the stopped trace; NULL and errno. The caller closes it. */
FILE *tw_tracefs_read(void);

/* A line of the text: where it was saved. */
void tw_tracefs_print_file(FILE *file);

/* Removes it, when all children have ended that have it open. */
void tw_tracefs_close(void);

/* By how much a time of CLOCK_MONOTONIC is ahead of the trace's, in ns. */
int64_t tw_tracefs_ahead_ns(void);

#endif /* TW_TRACEFS_H */
