/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace, played back event by event: who runs where, and what the two
 * sides are at.
 */
#ifndef TW_PLAYBACK_H
#define TW_PLAYBACK_H

#include <stddef.h>

#include "tw_event.h"

#define TW_NESTED	8	/* interrupts in softirqs in ... */
#define TW_REALTIME	100	/* priorities from here on are not */

enum tw_task_state {
	TW_TASK_UNKNOWN,
	TW_TASK_BLOCKED,
	TW_TASK_RUNNABLE,
	TW_TASK_RUNNING
};

/* A side, as the trace shows it. */
struct tw_task_seen {
	int pid;		/* 0: there is none */
	enum tw_task_state state;
	bool locked;		/* blocked by a lock, or a page to be read */
	int cpu;		/* -1: unknown, as the priority */
	int prio;		/* as the kernel counts */
	/*
	 * Since when it has been a real-time task that waits for an ordinary
	 * one; when the scheduler last could have changed that, and did not;
	 * when this was so the last time. All -1 if there is no such time.
	 */
	int64_t waits_ns;
	int64_t left_ns;
	int64_t passed_ns;
};

struct tw_cpu_seen {
	int pid;		/* who runs there; -1: unknown */
	int prio;
	char comm[TW_COMM];
	int depth;		/* how many of the next have begun */
	char interrupts[TW_NESTED][48];
};

struct tw_playback {
	struct tw_cpu_seen *cpus;	/* CPU_SETSIZE of them */
	struct tw_task_seen side;	/* who waits */
	struct tw_task_seen peer;	/* who is to wake it; none: a timer */
};

/*
 * Allocates the CPUs, and sets them and the sides with the numbers @side and
 * @peer as they must have been before the first of @events, all of which lie
 * on CPUs below CPU_SETSIZE. 0 or -ENOMEM.
 */
int tw_playback_open(struct tw_playback *play, int side, int peer,
		     const struct tw_event *events, size_t count);

/* Makes things as they are after @event. */
void tw_playback_apply(struct tw_playback *play,
		       const struct tw_event *event);

void tw_playback_close(struct tw_playback *play);

#endif /* TW_PLAYBACK_H */
