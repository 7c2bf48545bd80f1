/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the cause of a delay in a trace. A program says which spans of time its
 * measurement had, which task was to do what in them, and how long they usually
 * take. Of the span that was longest compared with that, each moment is
 * assigned to what the task that was late, the side, did or waited for, and to
 * who had the CPU. Called by main. Times are the trace clock's, in ns.
 */
#ifndef TW_CAUSE_H
#define TW_CAUSE_H

#include <sys/types.h>

#include "tw_window.h"
#include "tw_member.h"

/* State of the side. The peer is the task that has to wake it. */
enum tw_state {
	TW_UNKNOWN,		/* not in the trace */
	TW_ASLEEP,		/* in the sleep that was asked for */
	TW_TIMER_LATE,		/* sleep is over, but no wake-up yet */
	TW_BLOCKED,		/* waits for something else than these */
	TW_PEER_RUNS,		/* the peer runs and will wake it */
	TW_PEER_INTERRUPTED,
	TW_PEER_RUNNABLE,	/* the peer is ready, but has no CPU */
	TW_PEER_BLOCKED,	/* the peer waits for something else */
	TW_ON_THE_WAY,		/* the network stack has the message */
	TW_AWAY,		/* it waits for the network, or who is there */
	TW_RUNNABLE,		/* it is ready, but has no CPU */
	TW_INTERRUPTED,		/* an interrupt runs on its CPU */
	TW_RUNS,
	TW_STATES
};

struct tw_span {
	const char *name;
	const char *side, *peer;	/* what they are called */
	pid_t side_pid;
	pid_t peer_pid;		/* for whom it waits; 0: for a timer */
	int64_t begin_ns, end_ns;
	int64_t due_ns;		/* when a timer should expire */
	double mean_ns;		/* how long it takes usually; 0: not known */
	/* What it waits for whenever it is blocked; TW_UNKNOWN: the above. */
	enum tw_state waits;
	/*
	 * It is to work, or the peer is, and meanwhile other tasks whose names
	 * begin with @own: as long as usual, that delays nobody. @own may be
	 * NULL.
	 */
	bool works;
	const char *own;
};

/* A piece of the span during which nothing changed. */
struct tw_piece {
	int64_t at_ns;		/* from its begin */
	int64_t for_ns;
	enum tw_state state;
	int cpu;		/* CPU of the cause; -1: unknown */
	int pid;		/* task on this CPU; -1: unknown */
	int prio;		/* kernel priority; -1: unknown */
	bool interrupt;		/* @who is an interrupt or a softirq */
	char who[48];
	char sender[96];	/* of an interrupt; "": unknown */
};

#define TW_PIECES	256	/* more are added to the last */

/* The longest wait of a task that was blocked, and what ended it. */
struct tw_cause_wait {
	int64_t for_ns;
	char who[48];		/* task or interrupt that woke it; "": unknown */
	int pid;		/* 0: an interrupt */
	bool lock;		/* a task, which held the lock... */
	bool boosted;		/* ...and has inherited the priority */
	int cpu;		/* where that ran; -1: unknown */
};

/* How the scheduler treated a task. */
struct tw_choices {
	int prio;		/* kernel priority; -1: not in the trace */
	/* It chose an ordinary task although this one was ready. */
	bool passed_over;
	/* It surely did: one followed another, or this one itself. */
	bool overtaken;
	struct tw_cause_wait wait;
};

struct tw_cause {
	const char *lacks;	/* why there is no analysis; or NULL */
	struct tw_span span;	/* the one that was looked into */
	int64_t value_ns;	/* its length */
	/* The last wake-up in it, from its begin; -1: none. */
	int64_t waking_ns;	/* time of sched_waking */
	int64_t running_ns;	/* time of sched_switch */
	bool switch_unseen;	/* no sched_switch: its first event */
	struct tw_choices by_side, by_peer;
	/* In order of time. The sum of all for_ns is value_ns. */
	struct tw_piece pieces[TW_PIECES];
	int count;
	/* Sums by state, CPU and who, the longest first. */
	struct tw_piece sums[TW_PIECES];
	int sum_count;
	/* The verdict. */
	enum tw_state state;	/* what delayed most */
	int64_t state_ns;	/* how long it was in this state */
	struct tw_piece worst;	/* who delayed most in this state ... */
	bool to_blame;		/* ... and is to blame */
	struct tw_stack stack;	/* of that task; pid 0: not in the trace */
	char sentence[384];
	char brief[128];	/* without times and numbers of processes */
};

/* What is said of a state. */
extern const struct tw_state_words {
	const char *name;
	const char *is;		/* in a sentence */
	bool peer;		/* it is said of the peer */
	bool names;		/* those on the CPU are named */
} tw_state_words[TW_STATES];

/* What lets ordinary tasks run although a real-time task is ready. */
enum tw_bypass {
	TW_BYPASS_NONE,
	TW_BYPASS_LIMIT,	/* real-time throttling: sched_rt_runtime_us */
	TW_BYPASS_FAIR		/* the fair server of Linux 6.12 and later */
};

/* That of this system. */
enum tw_bypass tw_bypass_read(void);

/* Of @count spans; cause->lacks says what makes it impossible. */
void tw_cause_find(struct tw_cause *cause, const struct tw_window *window,
		   const struct tw_span *spans, int count,
		   enum tw_bypass bypass);

/* Prints the cause and the time line. */
void tw_cause_print(FILE *file, const struct tw_cause *cause);

/*
 * The row of the JSON, whose getter returns tw_cause_told(); NULL: there was no
 * span.
 */
#define TW_CAUSE_ROW \
	"cause", TW_NOWHERE, TW_OBJECT, \
	"What made it long: the phase that exceeded its mean by most, and what happened in it.", \
	"'dependentRequired': { 'stack': [ 'stack_at', 'who' ], 'stack_at': [ 'stack' ] }, 'anyOf': [ { 'required': [ 'lacks' ] }, { 'required': [ 'state', 'state_ns', 'who', 'cause', 'contributors', 'timeline' ] } ], 'not': { 'type': 'object', 'required': [ 'lacks', 'state' ] }", \
	.of = tw_cause_members
extern const struct tw_member tw_cause_members[];
const void *tw_cause_told(const struct tw_cause *cause);

/* Internal: comes to the verdict from the other members. */
void tw_cause_judge(struct tw_cause *cause, enum tw_bypass bypass);

#endif /* TW_CAUSE_H */
