/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Client or server ("side") as a process: it applies its settings, verifies
 * them, reports that it is ready, and runs its loop.
 *
 * "main" is the parent process, which the user started.
 */
#ifndef TW_SIDE_H
#define TW_SIDE_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

#include "tw_break.h"
#include "tw_child.h"
#include "tw_clock.h"
#include "tw_cost.h"
#include "tw_place.h"
#include "tw_ring.h"
#include "tw_system.h"
#include "tw_tally.h"
#include "tw_timer.h"
#include "tw_transport.h"
#include "tw_wait.h"

/* Interrupts any wait of client or server; they then check pair->stop. */
#define TW_STOP_SIGNAL	(SIGRTMIN + 1)

/* The steps that can fail. tw_explain.c has the messages. */
enum tw_step {
	TW_STEP_NONE,
	TW_STEP_CLOCK,
	TW_STEP_PIN,
	TW_STEP_LOCK,
	TW_STEP_SCHEDULE,
	TW_STEP_VERIFY,
	TW_STEP_MEMORY,
	TW_STEP_LISTEN,
	TW_STEP_CONNECT,
	TW_STEP_START,
	TW_STEP_LOAD,
	TW_STEP_THROTTLE,	/* --rt-runtime, or a load without it */
	TW_STEP_TRACE,
	TW_STEP_WORK,		/* the load's results are wrong */
	TW_STEP_RUN,
	TW_STEP_CYCLES,		/* no cycle was measured */
	TW_STEP_WRITE,		/* writing the results */
	TW_STEP_STOP,
	TW_STEP_KILLED
};

/* The first failure. @err: -errno, or the number of a signal. */
struct tw_failure {
	enum tw_step step;
	enum tw_role role;
	unsigned int pair;
	pid_t pid;
	int err;
	const struct tw_child *child;	/* that was lost; or NULL */
};

/* The settings of client and server. main sets them before the fork. */
struct tw_task {
	struct tw_clock clock;
	const struct tw_timer_ops *timer_ops;
	const struct tw_wait_ops *wait_ops;
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
};

/* Shared memory of a pair of client and server. */
struct tw_pair {
	unsigned int number;
	struct tw_task task;
	_Alignas(TW_CACHE_LINE) atomic_int stop;	/* set by main */
	_Alignas(TW_CACHE_LINE) struct tw_side side[TW_ROLES];
	struct tw_break brk;		/* -b */
	struct tw_cost cost;		/* cost of measuring; by the client */
	atomic_int steady;		/* the client's warm-up is over */
	int64_t steady_ns;		/* since then; CLOCK_MONOTONIC */
	struct tw_tally *tally;
	struct tw_ring *ring;		/* NULL: whole cycles are not needed */
	size_t shared_size;		/* bytes, with tally and ring */
};

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
