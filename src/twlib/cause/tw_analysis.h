/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the cause of a delay in a trace: for each moment of a stretch of time,
 * what the task that is late, the side, waited for, and which task used the
 * CPU. The program knows what the stretches of its measurement are, which of
 * them took too long, and what the side had to do. Reads text, changes nothing
 * else.
 */
#ifndef TW_ANALYSIS_H
#define TW_ANALYSIS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "check/tw_bypass.h"

struct tw_json;

/* State of the side. "Peer" is the task that has to wake it. */
enum tw_blame {
	TW_UNKNOWN,		/* not in the trace */
	TW_ASLEEP,		/* in the requested sleep */
	TW_TIMER_LATE,		/* sleep is over, but no wake-up yet */
	TW_BLOCKED,		/* waits for something else than these */
	TW_PEER_RUNS,		/* the peer runs and will wake it */
	TW_PEER_INTERRUPTED,
	TW_PEER_RUNNABLE,	/* the peer is ready, but has no CPU */
	TW_PEER_BLOCKED,	/* the peer waits for something else */
	TW_ON_THE_WAY,		/* the network stack has the message */
	TW_RUNNABLE,		/* it is ready, but has no CPU */
	TW_INTERRUPTED,		/* an interrupt runs on its CPU */
	TW_RUNS,
	TW_AWAITS,		/* waits for the other host */
	TW_BLAMES
};

/* A part of the stretch during which nothing changed. */
struct tw_span {
	int64_t at_ns;		/* from its begin */
	int64_t for_ns;
	enum tw_blame blame;
	int cpu;		/* CPU of the cause; -1: unknown */
	int pid;		/* task on this CPU; -1: unknown */
	int prio;		/* kernel priority; -1: unknown */
	bool interrupt;		/* @who is an interrupt or a softirq */
	char who[48];
};

#define TW_SPANS	256	/* more are added to the last */

/* How a stretch and its tasks are called in reports. Constants. */
struct tw_names {
	const char *phase;
	const char *side;
	const char *peer;	/* NULL: there is none */
	const char *title;	/* "task ": before both in texts; NULL: none */
	const char *own;	/* "prim-" begins all their names; or NULL */
};

struct tw_analysis {
	const char *lacks;	/* why there is no analysis; or NULL */
	int phase;		/* the program's number of the stretch, ... */
	int side;		/* ... and of the side */
	struct tw_names names;
	pid_t side_pid;
	bool works;		/* as in struct tw_stretch */
	char host[64];		/* where this was seen; "": the only one */
	const char *part;	/* of a longer time; NULL: it is all of it */
	int64_t whole_ns;	/* this time, if it is a part; else 0 */
	/* Kernel priority, 0 is the highest; -1: not in the trace. */
	int side_prio;
	int peer_prio;
	/* The scheduler chose an ordinary task although this one was ready. */
	bool side_passed_over;
	bool peer_passed_over;
	/* It surely did: one followed another, or this one itself. */
	bool side_overtaken;
	bool peer_overtaken;
	bool throttling;	/* the kernel's bypass is the probable cause */
	int64_t value_ns;
	double mean_ns;
	/* The wake-up that ended the wait, from its begin; -1: none. */
	int64_t waking_ns;	/* time of sched_waking */
	int64_t running_ns;	/* time of sched_switch */
	bool switch_unseen;	/* no sched_switch: its first event */
	/* In order of time. The sum of all for_ns is value_ns. */
	struct tw_span spans[TW_SPANS];
	int count;
	/* Sums by state and task, the longest first. */
	struct tw_span sums[TW_SPANS];
	int sum_count;
	char sentence[384];	/* the largest part, for the user */
};

/* What is looked into. Times are the trace clock's, in ns. */
struct tw_stretch {
	int phase, side;	/* as in struct tw_analysis */
	struct tw_names names;
	const char *part;
	int64_t whole_ns;
	double mean_ns;		/* of the whole */
	pid_t side_pid;
	pid_t peer_pid;		/* for whom it waits; 0: for a timer */
	/* What it waits for whenever it is blocked; TW_UNKNOWN: the above. */
	enum tw_blame waits;
	/*
	 * It is to run, or the peer is, and meanwhile other tasks with names
	 * of our own: as long as on average, that delays nobody.
	 */
	bool works;
	int64_t begin_ns, end_ns;
	int64_t due_ns;		/* when a timer should expire */
	bool throttled;		/* as long as real-time throttling lasts, ... */
	bool may_throttle;	/* ... which is possible here */
	enum tw_bypass bypass;
};

/*
 * Analyses @text, the lines of a trace. Cannot fail: without a result,
 * analysis->lacks tells why.
 */
void tw_analyse_stretch(struct tw_analysis *analysis, const char *text,
			const struct tw_stretch *stretch);

/* The time in a state, in ns. */
int64_t tw_analysis_time_of(const struct tw_analysis *analysis,
			    enum tw_blame blame);

/* Prints the cause and the time line. @has_mean: there were others before. */
void tw_analysis_print(FILE *file, const struct tw_analysis *analysis,
		       bool has_mean);

/* Only the cause, of an analysis that lacks nothing. */
void tw_analysis_print_cause(FILE *file, const struct tw_analysis *analysis);

/* Where there are too many pieces, shorter ones than this are not shown. */
int64_t tw_analysis_shortest(const struct tw_analysis *analysis);

/* Only the time line, and how long the wake-up took. */
void tw_analysis_print_line(FILE *file, const struct tw_analysis *analysis,
			    bool has_mean);

/* The member @key. @analysis: NULL if there is none. */
void tw_analysis_json(struct tw_json *json, const char *key,
		      const struct tw_analysis *analysis);

/* "runnable", "peer runs", ...: the names in reports and JSON. */
extern const char *const tw_blame_names[TW_BLAMES];

/* Internal: writes the sentence from the other members. */
void tw_analysis_sum_up(struct tw_analysis *analysis,
			const struct tw_stretch *stretch);

#endif /* TW_ANALYSIS_H */
