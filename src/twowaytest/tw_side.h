/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A side of the measurement, client or server, as a process of its own:
 * takes its settings, verifies them, says that it is ready, runs its loop.
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

/* Wakes a side out of whatever it waits in, to look at its pair's stop. */
#define TW_STOP_SIGNAL	(SIGRTMIN + 1)

/* Where something can fail; names in tw_explain.c. */
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
	TW_STEP_CYCLES,		/* there was not one */
	TW_STEP_WRITE,		/* the results */
	TW_STEP_STOP,
	TW_STEP_KILLED
};

/* The first thing that failed: @err is -errno, or a signal's number. */
struct tw_failure {
	enum tw_step step;
	enum tw_role role;
	unsigned int pair;
	pid_t pid;
	int err;
	const struct tw_child *child;	/* that would not; or NULL */
};

/* What a side is to do; the same for both, filled in before the fork. */
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
	bool pinned[TW_ROLES];		/* on purpose, that is */
	cpu_set_t cpus[TW_ROLES];
	bool lock_memory;
};

/* Written by the side, read by main; but for the first, main's own. */
struct tw_side {
	struct tw_child child;
	enum tw_step failed;		/* what it ended for, and -errno */
	int err;
	struct tw_settings settings;
	struct tw_settings left;	/* as it found them at its end */
	struct tw_usage steady;		/* at the end of the warm-up */
	struct tw_usage end;
};

/* One pair's shared memory. */
struct tw_pair {
	unsigned int number;
	struct tw_task task;
	_Alignas(TW_CACHE_LINE) atomic_int stop;	/* set by main */
	_Alignas(TW_CACHE_LINE) struct tw_side side[TW_ROLES];
	struct tw_break brk;		/* -b */
	struct tw_cost cost;		/* of measuring; the client's */
	atomic_int steady;		/* the client's warm-up is over ... */
	int64_t steady_ns;		/* ... since then; CLOCK_MONOTONIC */
	struct tw_tally *tally;
	struct tw_ring *ring;		/* NULL: nobody wants whole cycles */
	size_t shared_size;		/* of all this, tally and ring */
};

/*
 * Takes the settings of @role, for the calling process, and reads them back
 * to @settings. 0, or -errno and what failed to *step.
 */
int tw_side_settle(const struct tw_task *task, enum tw_role role,
		   struct tw_settings *settings, enum tw_step *step);

/*
 * Makes of @sum the next step's @side. What was changed from the outside in
 * an earlier step stays, and how often it was stopped adds up.
 */
void tw_side_merge(struct tw_side *sum, const struct tw_side *side);

/*
 * Starts a side and waits until only its loop is left to do: as
 * tw_child_start(), and what failed in side->failed.
 */
int tw_side_start(struct tw_pair *pair, enum tw_role role);

#endif /* TW_SIDE_H */
