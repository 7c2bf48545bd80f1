/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is read of a trace: its events, and the lines that are kept. */
#ifndef TW_EVENT_H
#define TW_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

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

#define TW_FRAMES	5

/*
 * The kernel stack of the current task at an event on its CPU: what it did
 * itself, without an interrupt above that, or the scheduler. No frame: it was
 * in user mode.
 */
struct tw_stack {
	int64_t time_ns;
	int cpu, pid;
	enum tw_event_kind at;	/* SWITCH: it gave up the CPU */
	int count;
	char frames[TW_FRAMES][48];	/* functions, the innermost first */
};

/* A remark, inserted among the lines. Times are the trace clock's, in ns. */
struct tw_mark {
	int64_t at_ns;
	const char *what;
};

struct tw_window {
	struct tw_event *events;	/* all, in order of time */
	size_t count;
	struct tw_stack *stacks;	/* all, in order of time */
	size_t stack_count;
	/* Events before that were lost on a CPU; INT64_MIN: none were. */
	int64_t lost_ns;
	int err;			/* what tw_window_read() returned */
	/* The head, the lines from @from_ns on, and the marks. */
	char *text;
};

/*
 * Reads the text of a stopped trace, and closes it; NULL could not be opened.
 * Each of the @count marks, which are in order of time, is a line "# SECONDS:
 * @whose: WHAT". Returns 0, -ENOMEM, -EIO, or -EINTR: a signal that ends the
 * program is pending, see twowaytest.c. End with tw_window_free(), whatever is
 * returned.
 */
int tw_window_read(struct tw_window *window, FILE *trace, int64_t from_ns,
		   const char *whose, const struct tw_mark *marks, int count);

void tw_window_free(struct tw_window *window);

/*
 * A line of the kernel's text, or of `trace-cmd report`. false: no event, or on
 * a CPU from CPU_SETSIZE on.
 */
bool tw_event_parse(const char *line, struct tw_event *event);

/*
 * Internal: a stack of the current task begins, at an event of the kind @at: 0
 * or -ENOMEM. One of its lines, " => FUNCTION".
 */
int tw_stack_begin(struct tw_window *window, const struct tw_event *event,
		   enum tw_event_kind at);
void tw_stack_line(struct tw_window *window, const char *line);

#endif /* TW_EVENT_H */
