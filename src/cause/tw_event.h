/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An event of a trace, and the lines that it is read from. */
#ifndef TW_EVENT_H
#define TW_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#define TW_COMM	16		/* size of a task's name, with the NUL */

enum tw_event_kind {
	TW_EVENT_OTHER,
	TW_EVENT_SWITCH,	/* sched_switch */
	TW_EVENT_WAKING,	/* sched_waking */
	TW_EVENT_MIGRATE,	/* sched_migrate_task */
	TW_EVENT_ENTER,		/* an interrupt or softirq starts */
	TW_EVENT_LEAVE,		/* an interrupt or softirq ends */
	TW_EVENT_NET,		/* the network stack passes a packet on */
	TW_EVENT_LOCK,		/* the current task begins to wait for a lock */
	TW_EVENT_UNLOCK,	/* ...and has it, or gives up */
	TW_EVENT_BOOST,		/* a task inherits a priority, or loses it */
	TW_EVENT_SEND,		/* an interrupt is sent to other CPUs */
	TW_EVENT_STACK		/* of the event before it: see struct tw_stack */
};

struct tw_event {
	enum tw_event_kind kind;
	int64_t time_ns;	/* trace clock, a multiple of 1 us */
	int cpu;
	int pid;		/* the current task of this CPU */
	char comm[TW_COMM];
	/*
	 * SWITCH: next task; WAKING, MIGRATE, BOOST: the task that is woken,
	 * moved or boosted; SEND: only the name: the list of CPUs.
	 */
	int other_pid;
	char other_comm[TW_COMM];
	/* Kernel priority: 0 is the highest, real-time tasks are below 100. */
	int prio;		/* SWITCH: previous task */
	int other_prio;
	bool runnable;		/* SWITCH: previous task was preempted */
	bool held;		/* by a lock, a page fault or a stop signal */
	int other_cpu;		/* WAKING, MIGRATE: its new CPU */
	char name[48];		/* ENTER, LEAVE: the interrupt; SEND: where */
	bool resched;		/* the kernel wants a new task on this CPU */
	bool recalled;		/* SWITCH: see tw_playback_open() */
};

/*
 * A line of the kernel's text, or of `trace-cmd report`. false: no event, or on
 * a CPU from CPU_SETSIZE on.
 */
bool tw_event_parse(const char *line, struct tw_event *event);

#endif /* TW_EVENT_H */
