/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace of our own: an instance, which nobody else's tracing takes notice
 * of. Main only, but for the descriptors, which the client uses.
 */
#ifndef TW_TRACE_OWN_H
#define TW_TRACE_OWN_H

#include <sched.h>
#include <stdint.h>

#include "tw_guard.h"
#include "tw_trace.h"

/*
 * What the analysis reads, where it exists, and nothing else: each event costs
 * a cycle time. Of a message's way netif_rx is what the loopback device does.
 */
#define TW_TRACE_EVENTS	"sched:sched_switch,sched:sched_waking," \
			"sched:sched_migrate_task," \
			"irq:irq_handler_entry,irq:irq_handler_exit," \
			"irq:softirq_entry,irq:softirq_exit,irq_vectors," \
			"ipi:ipi_entry,ipi:ipi_exit,net:netif_rx"

/* Instances have the maker's PID, and what makes a name unique. */
#define TW_TRACE_NAME	"twowaytest-%d-%08x"

struct tw_trace {
	char dir[PATH_MAX];	/* of the instance; empty: none */
	struct tw_guard guard;	/* who removes it */
	int removed;		/* instances of tests that were killed ... */
	char first_removed[64];	/* ... and the first one's name */
};

/*
 * Makes an instance that traces @events (NULL: the usual ones), a list of
 * systems, events, or system:event, which with a plus before it are traced
 * beside the usual ones; on @cpus only, stamped with CLOCK_MONOTONIC; and
 * starts it. Before that it removes what killed tests have left: instances
 * that no process has a file of open. 0, or -errno, @why, and nothing is left.
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

/* Removes the instance. Nothing if there is none. */
void tw_trace_close(struct tw_trace *trace);

#endif /* TW_TRACE_OWN_H */
