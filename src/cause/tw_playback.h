/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Plays back a trace, event by event: which task runs on which CPU, and the
 * state of the side and its peer (see tw_cause.h).
 */
#ifndef TW_PLAYBACK_H
#define TW_PLAYBACK_H

#include <stddef.h>

#include "tw_window.h"

#define TW_NESTED	8	/* maximum depth of nested interrupts */
#define TW_SENDER	96	/* size of a text */
#define TW_REALTIME	100	/* priorities from here are not real-time */

enum tw_task_state {
	TW_TASK_UNKNOWN,
	TW_TASK_BLOCKED,
	TW_TASK_RUNNABLE,
	TW_TASK_RUNNING
};

/* Side or peer, as the trace shows it. */
struct tw_task_seen {
	int pid;		/* 0: none */
	enum tw_task_state state;
	bool held;		/* as in struct tw_event */
	int cpu;		/* -1: unknown, also prio */
	int prio;		/* kernel priority */
	/*
	 * Does the scheduler pass over this real-time task? In ns, -1: none.
	 * waits_ns: since then it waits while an ordinary task runs
	 * left_ns: since then the scheduler could have chosen it
	 * passed_ns: last time that it was not chosen
	 */
	int64_t waits_ns;
	int64_t left_ns;
	int64_t passed_ns;
	/*
	 * Of which there is no doubt, as it is in its CPU's queue. In ns:
	 * queued_ns: from then on, while waits_ns is set
	 * overtaken_ns: last time that an ordinary task was chosen; -1: none
	 */
	int64_t queued_ns;
	int64_t overtaken_ns;
	/* It waits for a lock; who holds it, if that has inherited, or 0. */
	bool contends;
	int holder_pid;
	char holder[TW_COMM];
	int64_t blocked_ns;	/* since then it has not run */
};

struct tw_cpu_seen {
	int pid;		/* current task; -1: unknown */
	int prio;
	char comm[TW_COMM];
	int64_t resched_ns;	/* since then a new task is wanted; -1: none */
	int depth;		/* number of entries used in interrupts */
	char interrupts[TW_NESTED][48];
	/* Who has sent the interrupt; "": unknown. Of one that is to come... */
	char senders[TW_NESTED][TW_SENDER];
	char sender[TW_SENDER];
	int64_t sent_ns;	/* ...it was sent then */
};

struct tw_playback {
	struct tw_cpu_seen *cpus;	/* CPU_SETSIZE entries */
	struct tw_task_seen side;	/* the task that is late */
	struct tw_task_seen peer;	/* wakes it; pid 0: a timer does */
};

/*
 * Allocates the CPUs. Sets them, and the tasks with PID @side and @peer, to
 * their state before the first event. A task may be woken by another CPU when
 * it is about to sleep: then it gives up its CPU as if to sleep, and is ready
 * nevertheless; that is noted in its sched_switch, as recalled. Returns 0 or
 * -ENOMEM. End with tw_playback_close().
 */
int tw_playback_open(struct tw_playback *play, int side, int peer,
		     struct tw_event *events, size_t count);

/* Updates the state with @event. */
void tw_playback_apply(struct tw_playback *play,
		       const struct tw_event *event);

void tw_playback_close(struct tw_playback *play);

#endif /* TW_PLAYBACK_H */
