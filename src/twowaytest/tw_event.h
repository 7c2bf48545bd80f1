/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One line of the kernel's trace, as its text says it. */
#ifndef TW_EVENT_H
#define TW_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TW_COMM	16		/* bytes of a task's name, with the NUL */

enum tw_event_kind {
	TW_EVENT_OTHER,
	TW_EVENT_SWITCH,	/* sched_switch */
	TW_EVENT_WAKING,	/* sched_waking */
	TW_EVENT_MIGRATE,	/* sched_migrate_task */
	TW_EVENT_ENTER,		/* an interrupt or softirq begins ... */
	TW_EVENT_LEAVE,		/* ... and ends */
	TW_EVENT_NET		/* a packet goes its way */
};

struct tw_event {
	enum tw_event_kind kind;
	int64_t time_ns;	/* on the trace's clock, whole us */
	int cpu;
	int pid;		/* of the task that was there */
	char comm[TW_COMM];
	/* SWITCH: who comes; WAKING, MIGRATE: who is meant. */
	int other_pid;
	char other_comm[TW_COMM];
	/* As the kernel counts: 0 the highest, real-time below 100. */
	int prio;		/* SWITCH: of who leaves */
	int other_prio;
	bool runnable;		/* SWITCH: who leaves was preempted ... */
	bool locked;		/* ... or waits, and not for a signal (D) */
	int other_cpu;		/* WAKING, MIGRATE: where it is to be */
	char name[48];		/* ENTER, LEAVE: of what */
	bool resched;		/* the CPU is to choose a task anew */
};

/* False if @line is no event: a header, or a mark that CPUs lost some. */
bool tw_event_parse(const char *line, struct tw_event *event);

/*
 * All events of @text, of CPUs below CPU_SETSIZE, to *events, which the
 * caller frees. Returns how many.
 */
size_t tw_events_read(const char *text, struct tw_event **events);

#endif /* TW_EVENT_H */
