/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's trace that the user has set up (--tracemark). It is only marked
 * and stopped. All functions here are called by main, but the one for the task
 * that measures.
 */
#ifndef TW_TRACE_H
#define TW_TRACE_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define TW_TRACE_WHY	320	/* size of a message in bytes */

/* Opened before the fork; -1: no such trace. */
struct tw_trace_fds {
	int mark;		/* trace_marker */
	int stop;		/* tracing_on */
};

/*
 * Finds where tracefs is mounted, from @mounts (/proc/mounts). Returns 0, or
 * -ENOENT.
 */
int tw_trace_find(char *dir, size_t size, const char *mounts);

/* The same for this system. Returns 0, or -errno and a message in @why. */
int tw_trace_here(char *dir, size_t size, char why[TW_TRACE_WHY]);

/*
 * Opens the marker and the switch of the user's trace. Returns 0, or -errno and
 * a message in @why.
 */
int tw_trace_open_user(struct tw_trace_fds *fds, char why[TW_TRACE_WHY]);

/* The same, for the trace with its files in directory @dir. */
int tw_trace_open_fds(struct tw_trace_fds *fds, const char *dir,
		      char why[TW_TRACE_WHY]);

/* Opens one of these files. Returns a descriptor, or -errno and @why. */
int tw_trace_open_file(const char *dir, const char *name, int flags,
		       char why[TW_TRACE_WHY]);

/*
 * For the task that measures: writes @mark and stops the trace, if there is
 * one. Returns 0 or the first error, -errno; the second is tried nevertheless.
 */
int tw_trace_mark_and_stop(const struct tw_trace_fds *fds, const char *mark,
			   int len);

/* What came of it, in a line of the text; nothing if @err is 0. */
void tw_trace_print_mark_err(FILE *file, int err);

void tw_trace_close_fds(struct tw_trace_fds *fds);

/*
 * Returns CLOCK_MONOTONIC minus the trace clock "mono", in ns. They differ in a
 * time namespace, which the trace clock ignores. Reads the offset that children
 * of this process get. @root: "" for the real system.
 */
int64_t tw_trace_ahead_ns(const char *root);

/*
 * Writes to @why the reason why @path cannot be used, and what to do. Returns
 * @err.
 */
int tw_trace_tell(char why[TW_TRACE_WHY], const char *path, int err);

#endif /* TW_TRACE_H */
