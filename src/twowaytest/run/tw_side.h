/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Client or server ("side") as a process: it applies its settings, verifies
 * them, reports that it is ready, and runs its loop.
 *
 * "main" is the parent process, which the user started.
 */
#ifndef TW_SIDE_H
#define TW_SIDE_H

#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/tw_child.h"
#include "base/tw_clock.h"
#include "base/tw_system.h"
#include "base/tw_timer.h"
#include "measure/tw_cost.h"
#include "measure/tw_tally.h"
#include "measure/tw_transport.h"
#include "measure/tw_wait.h"
#include "run/tw_place.h"

/* Interrupts any wait of client or server; they then check pair->stop. */
#define TW_STOP_SIGNAL	(SIGRTMIN + 1)

/* What failed in a side. tw_explain.c has the messages. */
enum tw_step {
	TW_STEP_NONE,
	TW_STEP_PIN,
	TW_STEP_LOCK,
	TW_STEP_SCHEDULE,
	TW_STEP_VERIFY,
	TW_STEP_START,
	TW_STEP_RUN,
	TW_STEP_STOP,
	TW_STEP_KILLED
};

/* A failure. @err: -errno, or the number of a signal. */
struct tw_failure {
	enum tw_step step;
	enum tw_role role;
	unsigned int pair;
	pid_t pid;
	int err;
	const struct tw_child *child;	/* that was lost; or NULL */
};

struct tw_pair;

/* The settings of client and server. main sets them before the fork. */
struct tw_task {
	struct tw_clock clock;
	const struct tw_timer_ops *timer_ops;
	const struct tw_wait_ops *wait_ops;
	int (*serve)(struct tw_pair *pair, void *request);
	struct tw_link link;
	size_t size;
	int64_t period_ns;
	int64_t sleep_ns;
	uint64_t warmup;
	uint64_t loops;
	int policy;
	int priority[TW_ROLES];
	bool pinned[TW_ROLES];		/* pinned by an option such as -a */
	cpu_set_t cpus[TW_ROLES];
	bool lock_memory;
};

/* Written by client or server, read by main; @child belongs to main. */
struct tw_side {
	struct tw_child child;
	enum tw_step failed;		/* failed step; err: -errno */
	int err;
	struct tw_settings settings;
	struct tw_settings left;	/* the settings read at the end */
	struct tw_usage steady;		/* at the end of the warm-up */
	struct tw_usage end;
	int64_t retransmitted;		/* segments; -1: not TCP */
};

#define TW_SIDE_KEEP	4

struct tw_break;
struct tw_client;
struct tw_datagrams;
struct tw_far_limit;
struct tw_reply;
struct tw_ring;
struct tw_run;
struct tw_server;
struct tw_stamps;

/* Shared memory of a pair of client and server. */
struct tw_pair {
	unsigned int number;
	struct tw_task task;
	/* Other than for a single pair, clients start together: */
	bool gated;
	unsigned int server;	/* number of the pair whose server it uses */
	/* The pairs that its server serves, beginning with itself; or none. */
	unsigned int served_count;
	struct tw_pair *const *served;
	_Atomic uint32_t inversions;	/* see struct tw_served */
	sem_t gate;		/* main posts it when all are ready */
	int64_t first_ns;	/* the first expiry; 0: a period from then */
	_Alignas(TW_CACHE_LINE) atomic_int stop;	/* set by main */
	_Alignas(TW_CACHE_LINE) struct tw_side side[TW_ROLES];
	/* Called by the client for each measured cycle; @sink: the pair. */
	void (*record)(void *sink, const struct tw_cycle *cycle);
	void (*lose)(void *sink, const struct tw_cycle *cycle);	/* the same */
	bool prompt;			/* it must not wait for the next cycle */
	int keep[TW_SIDE_KEEP];		/* descriptors for the client; or 0 */
	int server_keep;		/* one for the server; or 0 */
	struct tw_break *brk;		/* -b; NULL: not used */
	/* Called by the client before it is ready; or NULL. */
	void (*prepare)(struct tw_pair *pair);
	struct tw_cost cost;		/* cost of measuring; by the client */
	atomic_int steady;		/* the client's warm-up is over */
	atomic_int done;		/* it waits, gated, to be stopped */
	int64_t steady_ns;		/* since then; CLOCK_MONOTONIC */
	int workers;			/* of the load; 0: none */
	struct tw_tally *tally;
	/* The loops; parts may set others. */
	int (*run_client)(const struct tw_client *client);
	int (*run_server)(const struct tw_server *server);
	/* See tw_client.h and tw_server.h; NULL: a plain stream. */
	int (*receive)(const struct tw_client *client, struct tw_cycle *cycle);
	int (*take)(const struct tw_server *server, struct tw_wait *wait,
		    struct tw_reply *reply);
	struct tw_datagrams *datagrams;
	struct tw_stamps *stamps;	/* NULL: not used */
	/* Called by main for a new link; as functions of parts. Or NULL. */
	int (*linked)(struct tw_run *run, struct tw_pair *pair);
	struct tw_far_limit *limit;	/* for a client on another host */
	struct tw_ring *ring;		/* NULL: whole cycles are not needed */
	size_t shared_size;		/* bytes, with tally and ring */
};

/* Adds @cycle to the tally; parts may set another function. */
void tw_side_record(void *sink, const struct tw_cycle *cycle);

/* Counts a cycle that was lost; as above. */
void tw_side_lose(void *sink, const struct tw_cycle *cycle);

/*
 * Called by the server process: runs the loop of a server of one client; notes
 * what the process has used by the end of the warm-up of @sink, a pair.
 */
int tw_side_serve(struct tw_pair *pair, void *request);
void tw_side_server_steady(void *sink);

/*
 * Applies the settings of @role to the calling process, and reads them back to
 * @settings. Returns 0; or -errno, and the failed step in *step.
 */
int tw_side_settle(const struct tw_task *task, enum tw_role role,
		   struct tw_settings *settings, enum tw_step *step);

/*
 * Adds the next step's @side to @sum. A setting that was changed from outside
 * in an earlier step stays in @sum; numbers of stops are added.
 */
void tw_side_merge(struct tw_side *sum, const struct tw_side *side);

/*
 * Starts client or server and waits until it is ready to run its loop. Returns
 * as tw_child_start(); side->failed is the failed step.
 */
int tw_side_start(struct tw_pair *pair, enum tw_role role);

#endif /* TW_SIDE_H */
