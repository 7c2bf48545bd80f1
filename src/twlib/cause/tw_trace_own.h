/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The program's own trace (--trace): a tracefs instance, which does not affect
 * other traces. All functions here are called by main; the task that measures
 * uses the open descriptors.
 */
#ifndef TW_TRACE_OWN_H
#define TW_TRACE_OWN_H

#include <sched.h>
#include <stdint.h>

#include "base/tw_guard.h"
#include "cause/tw_trace.h"

/*
 * The default events: only those that the analysis reads, because each event
 * delays what is measured. Events that the kernel lacks are left out. netif_rx
 * is the path of a message through the loopback device.
 */
#define TW_TRACE_EVENTS	"sched:sched_switch,sched:sched_waking," \
			"sched:sched_migrate_task," \
			"irq:irq_handler_entry,irq:irq_handler_exit," \
			"irq:softirq_entry,irq:softirq_exit,irq_vectors," \
			"ipi:ipi_entry,ipi:ipi_exit,net:netif_rx"

/*
 * Name of an instance of either program: PID of its process, and a number that
 * makes it unique.
 */
#define TW_TRACE_PREFIX	"twowaytest-"
#define TW_TRACE_NAME	TW_TRACE_PREFIX "%d-%08x"

struct tw_trace {
	char dir[PATH_MAX];	/* directory of the instance; "": none */
	struct tw_guard guard;	/* removes it if main is killed */
	int removed;		/* number of old instances that were removed */
	char first_removed[64];	/* name of the first of them */
};

/*
 * Creates and starts an instance that traces @events on @cpus, with timestamps
 * of CLOCK_MONOTONIC. @events: a list of systems, events or system:event; NULL:
 * the default events. With "+" in front, they are traced in addition to the
 * default events. First removes instances that killed tests left behind, if no
 * process has one of their files open. Returns 0; or -errno and a message in
 * @why; then there is no instance.
 */
int tw_trace_open_own(struct tw_trace *trace, struct tw_trace_fds *fds,
		      const char *events, const cpu_set_t *cpus,
		      char why[TW_TRACE_WHY]);

/*
 * Reads the text of the stopped instance from @from_ns (CLOCK_MONOTONIC) on, to
 * *text, which the caller frees. Returns 0 or -errno.
 */
int tw_trace_collect(const struct tw_trace *trace, int64_t from_ns,
		     char **text);

/* What the kernel takes for a set of CPUs: words of 32 bits, highest first. */
#define TW_TRACE_MASK	(CPU_SETSIZE / 32 * 9 + 1)
void tw_trace_mask(char text[TW_TRACE_MASK], const cpu_set_t *cpus);

/* Removes the instance. Does nothing if there is none. */
void tw_trace_close(struct tw_trace *trace);

#endif /* TW_TRACE_OWN_H */
