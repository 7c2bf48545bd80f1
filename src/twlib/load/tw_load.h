/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The load on the system during the measurement. A type of load is a file with
 * an ops struct. A load has its own processes, which end when main ends, in any
 * way.
 */
#ifndef TW_LOAD_H
#define TW_LOAD_H

#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/tw_child.h"

#define TW_LOAD_MAX	1024	/* maximum of workers, groups or copies */

/* Shared memory. Written by the processes of the load, read by main. */
struct tw_load_slot {
	struct tw_child child;	/* used by its parent only */
	uint64_t done;		/* units of work done */
	uint64_t errors;	/* units of work with a wrong result */
	int64_t busy_ns;	/* time of this work; CLOCK_MONOTONIC */
};

struct tw_load_shared {
	uint64_t restarts;	/* commands started again after they ended */
	pid_t supervisor;	/* parent of commands in this step; 0: none */
	int err;		/* start error: -errno; or 0 */
	char why[256];		/* message for err; or "" */
	struct tw_load_slot slots[];
};

/* The settings of the load, from the options. */
struct tw_load_params {
	const char *command;	/* load "command": the shell command */
	const char *arguments;	/* hackbench: options except -g; or NULL */
	int policy;
	int priority;
	bool lock_memory;
	bool pinned;		/* worker k uses CPU k, modulo their number */
	cpu_set_t cpus;
};

struct tw_load {
	const struct tw_load_ops *ops;
	struct tw_load_params params;
	struct tw_load_shared *shared;
	size_t shared_size;
	int prepared;		/* number of slots */
	int count;		/* number of active workers */
	struct tw_child keeper;	/* starts and watches the commands */
	/* The process that ended unexpectedly; NULL: none. */
	const struct tw_child *dead;
};

struct tw_load_ops {
	const char *name;
	const char *one, *many;	/* for messages: "worker", "workers" */
	const char *work;	/* name of the work: "transforms" */
	int usual;		/* default number of workers */
	const char *usage;	/* as --help has it */
	bool realtime;		/* default: real-time, as client and server */
	bool own;		/* one process of ours per worker */
	bool takes_command;	/* --load=NAME:COMMAND, not a number */
	bool takes_arguments;	/* --load-args */
	/*
	 * Checks, before the measurement, whether the load can run. Returns 0,
	 * or -errno and shared->why.
	 */
	int (*probe)(struct tw_load *load);
	/* Starts up to @most processes, which sleep. Returns 0 or -errno. */
	int (*prepare)(struct tw_load *load, int most);
	/*
	 * Sets the first @count workers to work in step @step, from 0; @count
	 * never gets smaller. Returns when they work: 0, or -errno and
	 * shared->why.
	 */
	int (*run)(struct tw_load *load, int step, int count);
	/*
	 * Returns the units of work done. NULL: use the sum over the slots. The
	 * count may start from 0 in each step.
	 */
	uint64_t (*done)(const struct tw_load *load);
	/* Returns true and sets load->dead if a process ended unexpectedly. */
	bool (*died)(struct tw_load *load);
	/*
	 * Ends and reaps all processes; takes less than a second unless they
	 * ignore signals. Returns 0, or -errno and shared->why if one is left.
	 */
	int (*stop)(struct tw_load *load);
};

/* All kinds, and their usage. The last is NULL. */
extern const struct tw_load_ops *const tw_load_kinds[];
extern const void *const tw_load_usages[];

/*
 * Called by main. Prepares up to @most workers of @ops. Returns 0, or -errno
 * and a message in @why (TW_LOAD_WHY bytes). End with tw_load_close().
 */
#define TW_LOAD_WHY	sizeof(((struct tw_load_shared *)0)->why)
int tw_load_open(struct tw_load *load, const struct tw_load_ops *ops,
		 const struct tw_load_params *params, int most, char *why);

/*
 * Called by main. Ends all processes and frees the memory. Returns 0, or -errno
 * and a message in @why if a process is left. Does nothing if the load is not
 * open.
 */
int tw_load_close(struct tw_load *load, char *why);

/* Returns the sums over all slots. */
struct tw_load_slot tw_load_progress(const struct tw_load *load);

/*
 * Called by worker @index (from 0). Applies its settings. Returns 0 or -errno.
 */
int tw_load_settle(const struct tw_load *load, int index);

extern const struct tw_load_ops tw_load_fft;
extern const struct tw_load_ops tw_load_hackbench;
extern const struct tw_load_ops tw_load_command;

#endif /* TW_LOAD_H */
