/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run: main connects clients and servers, starts them, waits for the end,
 * stops them. A ramp is several steps, each of which starts them anew.
 */
#ifndef TW_RUN_H
#define TW_RUN_H

#include <stdio.h>

#include "tw_loop.h"
#include "tw_process.h"
#include "tw_tally.h"

struct tw_part;

/* What the kernel has counted for a process while its loop ran. */
struct tw_usage {
	uint64_t faults;
	uint64_t switches;	/* voluntary and involuntary */
	int64_t cpu_us;		/* CPU time, of user and system */
};

/*
 * A client and its server. Memory that main shares with both; on the NUMA node
 * of the client.
 */
struct tw_pair {
	int number;
	int fd[TW_ROLES];	/* sockets of both; used by main; -1: closed */
	/* When the client ends, on CLOCK_MONOTONIC; before, if it hangs there. */
	int64_t end_ns;
	struct tw_process process[TW_ROLES];	/* used by main only */
	/* In the last step, or the first in which somebody has changed them. */
	struct tw_process begun[TW_ROLES], left[TW_ROLES];
	int64_t alive_ns;	/* likewise: the client was alive then */
	struct tw_usage usage[TW_ROLES];
	struct tw_tally tally;	/* of this step; written by the client */
	struct tw_results total;	/* of all steps; written by main */
	_Alignas(64) struct tw_progress progress;	/* of the client */
	_Alignas(64) char rooms[];	/* of the parts */
};

/* Memory that main shares with all. */
struct tw_control {
	atomic_int stop;	/* all clients and servers are to end */
	int64_t first_ns;	/* first expiry of aligned clients; else 0 */
};

#define TW_TICK_MS	50	/* a ring holds the cycles of much more */

struct tw_run {
	char **argv;		/* as it was given */
	struct tw_control *control;
	struct tw_pair *pairs[TW_PAIRS_MAX];
	size_t pair_size;	/* in bytes */
	int signal_fd;
	/*
	 * Nobody writes to these pipes. Reading "go" ends when main and all
	 * children have closed its write end: then all start. Reading "done"
	 * ends when all clients have closed theirs: then they exit.
	 */
	int go[2];
	int done[2];
	int steps;		/* of a ramp; else 1 */
	bool ramp;		/* --steps was given */
	int step;		/* the present one, from 0 */
	int whole;		/* how many were not cut short */
	int tick_ms;		/* TW_TICK_MS: woken() is called so often, too */
	int wake_fd;		/* ...and when this can be read; -1: none */
	/* A part may set how a pair is started, its requests answered. */
	void (*start_pair)(struct tw_run *run, int number);
	int (*serve)(const struct tw_loop *loop);
	bool no_status;		/* -h or -v prints instead */
	bool broken;		/* -b: the run ended at a long cycle */
	bool failed;		/* after a message: exit status 1 */
	bool stuck;		/* ...only as a server was killed at the end */
	int interrupted;	/* the signal that ended the run; 0: none */
	bool measured;		/* there are results */
	uint64_t times_set;	/* at the end of a step: its clock, in all... */
	int64_t suspended_us;	/* ...and for how long the system */
	/* Why a limit that is not exceeded is undecided; NULL: it is met. */
	const char *doubt;
};

/* How many pairs the present step has; what is after it is not started. */
extern int tw_run_pairs;

/* All are called by main. What fails before the start ends the program. */

/* Measures all steps. */
void tw_run_measure(struct tw_run *run);

/* Allocates the memory of all pairs. */
void tw_pair_map_all(struct tw_run *run);

/*
 * Connects client and server; starts one of them, which waits for the end of
 * run->go; does all of this. See tw_process_start(): what fails ends the run.
 */
void tw_pair_connect(struct tw_run *run, int number);
int tw_pair_start_process(struct tw_run *run, int number, enum tw_role role);
void tw_pair_start(struct tw_run *run, int number);

/* The client has ended: records the cycle that it still held. */
void tw_pair_release(const struct tw_run *run, int number);

/* Adds what the calling thread has used until now, @sign times. */
void tw_usage_add(struct tw_usage *to, int sign);

/* A part's memory in a pair; NULL: it has none. */
void *tw_pair_room(const struct tw_run *run, int pair,
		   const struct tw_part *part);

#endif /* TW_RUN_H */
