/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A load on the system during the measurement. A kind is a file with an ops
 * struct and a row in tw_load.c. Its processes end with main.
 */
#ifndef TW_LOAD_H
#define TW_LOAD_H

#include <stdatomic.h>
#include <stdint.h>

#include "tw_member.h"
#include "tw_process.h"
#include "tw_tally.h"

#define TW_LOAD_MAX	1024	/* workers or groups */

struct tw_load;
struct tw_option;

struct tw_load_ops {
	const char *name;
	const char *unit;	/* "workers", "groups" */
	const char *one;	/* "worker", "group" */
	const char *work;	/* what is counted: "transforms" */
	int usual;		/* default number of units */
	bool single;		/* one process runs all units */
	const char *words;	/* usual arguments of a program */
	/* Reads what follows "KIND:"; NULL: nothing does. */
	void (*parse)(struct tw_load *load, const struct tw_option *option,
		      char *value);
	/* Runs in each process until it is killed. Returns -errno. */
	int (*live)(struct tw_load *load);
	/*
	 * Called by main when one of these processes was killed: ends what has
	 * come to main, its subreaper, for that. NULL: nothing does.
	 */
	void (*sweep)(void);
	/* The work that was done since the start. Called by main. */
	uint64_t (*done)(const struct tw_load *load);
};

/* One --load. Shared memory. */
struct tw_load {
	const struct tw_load_ops *ops;
	const char *words;	/* see tw_load_ops */
	int policy;		/* 0: SCHED_OTHER */
	int priority;		/* 0: not real-time */
	int wanted;		/* units, as the user wants them */
	bool fixed;		/* the user has named that number */
	bool ramped;		/* by --steps */
	bool elsewhere;		/* another program runs it, and sets its rate */
	int units;		/* the same, or those of a ramp's step */
	int processes;
	atomic_ulong count;	/* of work, by the processes */
	atomic_ulong errors;	/* wrong results */
	uint64_t first;		/* work when the measurement began */
	int64_t begin_ns;
	double rate;		/* work a second, once it has ended */
	struct tw_process process[TW_LOAD_MAX];	/* used by main only */
};

extern const struct tw_load_ops tw_load_fft;
extern const struct tw_load_ops tw_load_hackbench;
extern const struct tw_load_ops tw_load_command;

/* The --load @number; NULL: there is none. A ramp varies the first, 0. */
struct tw_load *tw_load_number(int number);

/* A kind's parse function: the number of units. */
void tw_load_units(struct tw_load *load, const struct tw_option *option,
		   char *value);

/* Its unit, of so many. */
static inline const char *tw_load_unit(const struct tw_load *load, int number)
{
	return number == 1 ? load->ops->one : load->ops->unit;
}

#endif /* TW_LOAD_H */
