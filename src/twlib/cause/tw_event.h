/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses the lines of the kernel's trace. */
#ifndef TW_EVENT_H
#define TW_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TW_COMM	16		/* size of a task's name, with the NUL */

enum tw_event_kind {
	TW_EVENT_OTHER,
	TW_EVENT_SWITCH,	/* sched_switch */
	TW_EVENT_WAKING,	/* sched_waking */
	TW_EVENT_MIGRATE,	/* sched_migrate_task */
	TW_EVENT_ENTER,		/* an interrupt or softirq starts */
	TW_EVENT_LEAVE,		/* an interrupt or softirq ends */
	TW_EVENT_NET		/* the network stack passes a packet on */
};

struct tw_event {
	enum tw_event_kind kind;
	int64_t time_ns;	/* trace clock, a multiple of 1 us */
	int cpu;
	int pid;		/* the current task of this CPU */
	char comm[TW_COMM];
	/*
	 * SWITCH: next task; WAKING, MIGRATE: the task that is woken or moved.
	 */
	int other_pid;
	char other_comm[TW_COMM];
	/* Kernel priority: 0 is the highest, real-time tasks are below 100. */
	int prio;		/* SWITCH: previous task */
	int other_prio;
	bool runnable;		/* SWITCH: previous task was preempted */
	bool locked;		/* it waits uninterruptibly (state D) */
	int other_cpu;		/* WAKING, MIGRATE: its new CPU */
	char name[48];		/* ENTER, LEAVE: the interrupt */
	bool resched;		/* the kernel wants a new task on this CPU */
	/* SWITCH: set by tw_playback_open(), see there. */
	bool recalled;
};

/*
 * Returns false if @line is not an event: a header, or a note on lost events.
 */
bool tw_event_parse(const char *line, struct tw_event *event);

/*
 * Stores all events of @text, on CPUs below CPU_SETSIZE, in *events, which the
 * caller frees. Returns their number.
 */
size_t tw_events_read(const char *text, struct tw_event **events);

#endif /* TW_EVENT_H */
