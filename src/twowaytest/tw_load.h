/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What keeps the system busy while the sides are measured. A kind of load is
 * a file with one ops struct; it starts processes of its own, which die with
 * main whatever ends it.
 */
#ifndef TW_LOAD_H
#define TW_LOAD_H

#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tw_child.h"

#define TW_LOAD_MAX	1024	/* workers, groups or copies */

/* Written by the load's own processes, read by main; shared memory. */
struct tw_load_slot {
	struct tw_child child;	/* its parent's own */
	uint64_t done;		/* pieces of work */
	uint64_t errors;	/* of them, how many gave a wrong result */
	int64_t busy_ns;	/* time that the work took; CLOCK_MONOTONIC */
};

struct tw_load_shared {
	uint64_t restarts;	/* of commands that had ended */
	pid_t supervisor;	/* of commands, in this step; 0: none yet */
	int err;		/* why it could not begin: -errno; or 0 */
	char why[256];		/* and in words, if there are any */
	struct tw_load_slot slots[];
};

/* How it is to run; the config's part of it. */
struct tw_load_params {
	const char *command;	/* kind command: what the shell is to run */
	const char *arguments;	/* kind hackbench: others than -g; or NULL */
	int policy;
	int priority;
	bool lock_memory;
	bool pinned;		/* worker k to the k-th CPU, round and round */
	cpu_set_t cpus;
};

struct tw_load {
	const struct tw_load_ops *ops;
	struct tw_load_params params;
	struct tw_load_shared *shared;
	size_t shared_size;
	int prepared;		/* slots there are */
	int count;		/* workers at work now */
	struct tw_child keeper;	/* of commands */
	/* The process that ended of itself; NULL: none did. */
	const struct tw_child *dead;
};

struct tw_load_ops {
	const char *name;
	const char *one, *many;	/* "worker", "workers" */
	const char *work;	/* what is counted as done: "transforms" */
	int usual;		/* how many of them if the user does not say */
	bool realtime;		/* by default, beside real-time sides */
	bool own;		/* as many processes as workers, all ours */
	bool takes_command;	/* after the colon, instead of a number */
	bool takes_arguments;	/* --load-args */
	/*
	 * Before anything is measured, whether it can run: 0, or -errno and
	 * shared->why.
	 */
	int (*probe)(struct tw_load *load);
	/* Starts @most processes that sleep for now: 0 or -errno. */
	int (*prepare)(struct tw_load *load, int most);
	/*
	 * Sets the first @count, no fewer than before, to work, in step
	 * @step. Returns when they are at it: 0, or -errno and shared->why.
	 */
	int (*run)(struct tw_load *load, int step, int count);
	/*
	 * The pieces of work done so far, where the slots do not tell them;
	 * else NULL. From step to step it may begin anew.
	 */
	uint64_t (*done)(const struct tw_load *load);
	/* True, and load->dead, if a process has ended that should not. */
	bool (*died)(struct tw_load *load);
	/*
	 * Ends and reaps all of its processes, within a second unless they
	 * resist: 0, or -errno and shared->why if one is left.
	 */
	int (*stop)(struct tw_load *load);
};

/* fft, hackbench, command; NULL after the last. */
const struct tw_load_ops *tw_load_kind(size_t index);

/*
 * Main only. Prepares up to @most workers of @ops: 0, or -errno and a
 * message in @why, of TW_LOAD_WHY bytes.
 */
#define TW_LOAD_WHY	sizeof(((struct tw_load_shared *)0)->why)
int tw_load_open(struct tw_load *load, const struct tw_load_ops *ops,
		 const struct tw_load_params *params, int most, char *why);

/*
 * Ends everything: 0, or -errno and a message in @why, as above, if that could
 * not be. Nothing if the load is not open.
 */
int tw_load_close(struct tw_load *load, char *why);

/* Sums over all slots. */
struct tw_load_slot tw_load_progress(const struct tw_load *load);

/* In a child of main: the settings of worker @index. 0 or -errno. */
int tw_load_settle(const struct tw_load *load, int index);

extern const struct tw_load_ops tw_load_fft;
extern const struct tw_load_ops tw_load_hackbench;
extern const struct tw_load_ops tw_load_command;

#endif /* TW_LOAD_H */
