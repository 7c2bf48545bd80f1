/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's trace: the user's, which is only marked and stopped, and an
 * instance of our own, of which nobody else's tracing takes notice. Main
 * only, but for the descriptors, which the client uses.
 */
#ifndef TW_TRACE_H
#define TW_TRACE_H

#include <limits.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>

#include "tw_break.h"
#include "tw_guard.h"

#define TW_TRACE_WHY	320	/* bytes for a message */

/* Events of our own instance that are traced where they exist. */
#define TW_TRACE_EVENTS	"sched:sched_switch,sched:sched_waking," \
			"sched:sched_migrate_task,irq,irq_vectors," \
			"ipi:ipi_entry,ipi:ipi_exit,timer,net"

struct tw_trace {
	char dir[PATH_MAX];	/* of the instance; empty: none */
	struct tw_guard guard;	/* who removes it */
};

/* Where tracefs is mounted, by @mounts (/proc/mounts): 0 or -ENOENT. */
int tw_trace_find(char *dir, size_t size, const char *mounts);

/*
 * Opens the mark and the stop of the tracing that the user has set up. 0, or
 * -errno and in @why what is missing.
 */
int tw_trace_open_user(struct tw_trace_fds *fds, char why[TW_TRACE_WHY]);

/*
 * Makes an instance that traces @events (NULL: the usual ones), a list of
 * systems, events, or system:event, on @cpus only, stamped with
 * CLOCK_MONOTONIC, and starts it. 0, or -errno, @why, and nothing is left.
 */
int tw_trace_open_own(struct tw_trace *trace, struct tw_trace_fds *fds,
		      const char *events, const cpu_set_t *cpus,
		      char why[TW_TRACE_WHY]);

/*
 * What the stopped instance holds, as text, from @from_ns (CLOCK_MONOTONIC)
 * on: to *text, which the caller frees. 0 or -errno.
 */
int tw_trace_collect(const struct tw_trace *trace, int64_t from_ns,
		     char **text);

/* The lines of @file, as above; those without a time are kept too. */
int tw_trace_filter(FILE *file, int64_t from_ns, char **text);

void tw_trace_close_fds(struct tw_trace_fds *fds);

/* Removes the instance. Nothing if there is none. */
void tw_trace_close(struct tw_trace *trace);

#endif /* TW_TRACE_H */
