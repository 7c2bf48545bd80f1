/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the trace of a cycle to the cause of its delay: which phase it was,
 * and for every moment of that phase, what its waiting side waited for and
 * who had the CPU. Pure: text in, findings out.
 */
#ifndef TW_ANALYSIS_H
#define TW_ANALYSIS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "tw_break.h"
#include "tw_place.h"

/* What the waiting side was at. */
enum tw_blame {
	TW_UNKNOWN,		/* the trace does not tell */
	TW_ASLEEP,		/* in the sleep that was asked for */
	TW_TIMER_LATE,		/* ... which is over, but nobody wakes it */
	TW_BLOCKED,		/* on something else: that had come already */
	TW_PEER_RUNS,		/* its peer is about to wake it */
	TW_PEER_INTERRUPTED,
	TW_PEER_RUNNABLE,	/* ... and has no CPU */
	TW_PEER_BLOCKED,	/* ... and waits for something else */
	TW_ON_THE_WAY,		/* the message is in the network's hands */
	TW_RUNNABLE,		/* it is woken, and has no CPU */
	TW_INTERRUPTED,		/* it has the CPU, but for an interrupt */
	TW_RUNS,
	TW_BLAMES
};

/* Some time of the phase in which nothing changed. */
struct tw_span {
	int64_t at_ns;		/* from the phase's begin */
	int64_t for_ns;
	enum tw_blame blame;
	int cpu;		/* where it was decided; -1: unknown */
	int pid;		/* the task that was there; -1: unknown */
	int prio;		/* as the kernel counts; -1: unknown */
	bool interrupt;		/* who is an interrupt or a softirq */
	char who[48];
};

#define TW_SPANS	256	/* later ones are added to the last */

struct tw_analysis {
	const char *lacks;	/* why there is no analysis; NULL: there is */
	enum tw_metric_id phase;	/* wakeup, send, sleep or receive */
	enum tw_role side;	/* that waited in it: server or client */
	pid_t side_pid;
	/* As the kernel counts, 0 the highest; -1: the trace does not tell. */
	int side_prio;
	int peer_prio;
	/* The scheduler chose ordinary tasks, though these could have run. */
	bool side_passed_over;
	bool peer_passed_over;
	bool throttling;	/* the cause is, probably: see the sentence */
	int64_t value_ns;
	double mean_ns;
	/* Of the wake-up that ended the wait, from the begin; -1: none. */
	int64_t waking_ns;	/* sched_waking */
	int64_t running_ns;	/* sched_switch to it ... */
	bool switch_unseen;	/* ... or, without one, the first sign of it */
	/* In order of time: they add up to value_ns. */
	struct tw_span spans[TW_SPANS];
	int count;
	/* The same, added up by what and who, the longest first. */
	struct tw_span sums[TW_SPANS];
	int sum_count;
	char sentence[384];	/* the largest contributor, for people */
};

/*
 * The phase of a broken cycle, of those that the metric spans, that exceeds
 * its mean by most.
 */
enum tw_metric_id tw_analysis_phase(const struct tw_break *brk,
				    const struct tw_metric_params *params);

/*
 * @text: what tw_trace_collect() gave. @pids: of the sides, by role.
 * @may_throttle: the kernel may have stopped real-time tasks.
 */
void tw_analyse(struct tw_analysis *analysis, const char *text,
		const struct tw_break *brk,
		const struct tw_metric_params *params,
		const pid_t pids[TW_ROLES], bool may_throttle);

/* "runnable", "peer runs", ...: as reports and JSON say it. */
extern const char *const tw_blame_names[TW_BLAMES];

/*
 * The sentence from all the rest; called by tw_analyse(). @throttled: the
 * cycle is counted as such.
 */
void tw_analysis_sum_up(struct tw_analysis *analysis, bool throttled,
			bool may_throttle);

#endif /* TW_ANALYSIS_H */
