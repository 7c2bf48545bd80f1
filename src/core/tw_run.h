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
};

/*
 * A client and its server. Memory that main shares with both; on the NUMA node
 * of the client.
 */
struct tw_pair {
	int number;
	int fd[TW_ROLES];	/* connected: the client's end, the server's */
	int64_t end_ns;		/* when the client is to end; 0: not known */
	struct tw_process process[TW_ROLES];	/* used by main only */
	struct tw_usage usage[TW_ROLES];
	struct tw_tally tally;	/* of this step; written by the client */
	struct tw_results total;	/* of all steps; written by main */
	char rooms[];		/* of the parts */
};

/* Memory that main shares with all. */
struct tw_control {
	atomic_int stop;	/* all clients and servers are to end */
	int64_t first_ns;	/* first expiry of aligned clients; else 0 */
};

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
	int steps;		/* of a ramp; 1: none */
	int step;		/* the present one, from 0 */
	int tick_ms;		/* woken() is also called so often; -1: not */
	bool no_status;		/* -h or -v prints instead */
	bool broken;		/* -b: the run ended at a long cycle */
	bool failed;		/* after a message: exit status 1 */
	int interrupted;	/* the signal that ended the run; 0: none */
	bool measured;		/* there are results */
};

/* All are called by main. What fails before the start ends the program. */

/* From here on, a signal ends the run in an orderly way. */
void tw_run_open_signals(struct tw_run *run);

/* Measures all steps. */
void tw_run_measure(struct tw_run *run);

/* Allocates the memory of all pairs. */
void tw_pair_map_all(struct tw_run *run);

/* Connects and starts client and server, which wait for the end of run->go. */
void tw_pair_start(struct tw_run *run, int number);

/* A part's memory in a pair; NULL: it has none. */
void *tw_pair_room(const struct tw_run *run, int pair,
		   const struct tw_part *part);

/*
 * Connects two TCP sockets over 127.0.0.1, without Nagle's delay. The caller
 * closes both. Returns 0 or -errno; -EPERM: somebody else was faster to
 * connect.
 */
int tw_link_tcp(int *client_fd, int *server_fd);

#endif /* TW_RUN_H */
