/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's trace, as the user has set it up: it is only marked and
 * stopped. Main only, but for the descriptors, which the client uses.
 */
#ifndef TW_TRACE_H
#define TW_TRACE_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#include "tw_break.h"

#define TW_TRACE_WHY	320	/* bytes for a message */

/* Where tracefs is mounted, by @mounts (/proc/mounts): 0 or -ENOENT. */
int tw_trace_find(char *dir, size_t size, const char *mounts);

/* Here: 0, or -errno and @why. */
int tw_trace_here(char *dir, size_t size, char why[TW_TRACE_WHY]);

/*
 * Opens the mark and the stop of the tracing that the user has set up. 0, or
 * -errno and in @why what is missing.
 */
int tw_trace_open_user(struct tw_trace_fds *fds, char why[TW_TRACE_WHY]);

/* The same, of the trace that has its files in @dir. */
int tw_trace_open_fds(struct tw_trace_fds *fds, const char *dir,
		      char why[TW_TRACE_WHY]);

/* One of these files: a descriptor, or -errno and @why. */
int tw_trace_open_file(const char *dir, const char *name, int flags,
		       char why[TW_TRACE_WHY]);

void tw_trace_close_fds(struct tw_trace_fds *fds);

/*
 * How far CLOCK_MONOTONIC is ahead of the clock mono of traces, which knows of
 * no time namespace: that of this process's children, below @root.
 */
int64_t tw_trace_ahead_ns(const char *root);

/* Why @path cannot be used, and what to do, to @why; returns @err. */
int tw_trace_tell(char why[TW_TRACE_WHY], const char *path, int err);

#endif /* TW_TRACE_H */
