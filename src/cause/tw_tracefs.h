/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace of our own: an instance in tracefs, which does not affect other
 * traces, with the clock CLOCK_MONOTONIC. All is called by main but
 * tw_tracefs_stop(). There is at most one at a time.
 */
#ifndef TW_TRACEFS_H
#define TW_TRACEFS_H

#include <sched.h>
#include <stdint.h>
#include <stdio.h>

/*
 * The usual events: only those that the analysis reads, because each event
 * delays what is measured. Events that the kernel lacks are left out. netif_rx
 * is the path of a message through the loopback device.
 */
#define TW_TRACEFS_EVENTS "sched:sched_switch,sched:sched_waking," \
			  "sched:sched_migrate_task," \
			  "irq:irq_handler_entry,irq:irq_handler_exit," \
			  "irq:softirq_entry,irq:softirq_exit,irq_vectors," \
			  "ipi:ipi_entry,ipi:ipi_exit,net:netif_rx"

/* For messages. */
#define TW_TRACEFS_ALLOWED "stack, and a list of systems (irq), events (sched_switch) or system:event out of available_events in tracefs"

/*
 * Makes and starts it, on @cpus. @events: a list of systems, events or
 * system:event; with "+" in front, they are added to the usual ones. With
 * "stack" before all of it, or alone, it has the kernel stack of whom a wake-up
 * of a task of ours interrupts, and of who leaves the CPU to one. Removes what
 * killed runs have left behind. What fails ends the program after a message.
 * However main ends, the trace is removed.
 */
void tw_tracefs_open(const char *events, const cpu_set_t *cpus);

/* May be called by all children of main, at any time: one system call. */
void tw_tracefs_stop(void);

/* Starts it again, empty. */
void tw_tracefs_resume(void);

/* The text of the stopped trace; NULL and errno. The caller closes it. */
FILE *tw_tracefs_read(void);

/* Removes it, when all children have ended that have it open. */
void tw_tracefs_close(void);

/* By how much a time of CLOCK_MONOTONIC is ahead of the trace's, in ns. */
int64_t tw_tracefs_ahead_ns(void);

#endif /* TW_TRACEFS_H */
