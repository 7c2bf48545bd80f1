/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A load on the system during the measurement. A kind is a file with an ops
 * struct and a row in tw_load.c. Its processes end with main.
 */
#ifndef TW_LOAD_H
#define TW_LOAD_H

#include <stdatomic.h>
#include <stdint.h>

#include "tw_process.h"

#define TW_LOAD_MAX	1024	/* workers or groups */

struct tw_load;

struct tw_load_ops {
	const char *name;
	const char *unit;	/* "workers", "groups" */
	const char *work;	/* what is counted: "transforms" */
	int usual;		/* default number of units */
	bool realtime;		/* with -p, at the lowest priority */
	bool single;		/* one process runs all units */
	/* Runs in each process until it is killed. Returns -errno. */
	int (*live)(struct tw_load *load);
	/* The work that was done since the start. Called by main. */
	uint64_t (*done)(const struct tw_load *load);
};

/* One --load. Shared memory. */
struct tw_load {
	const struct tw_load_ops *ops;
	int wanted;		/* units, as the user wants them */
	int units;		/* the same, or those of a ramp's step */
	int processes;
	_Atomic uint64_t count;	/* of work, by the processes */
	_Atomic uint64_t errors;	/* wrong results */
	uint64_t first;		/* work when the measurement began */
	int64_t begin_ns;
	double rate;		/* work a second, once it has ended */
	struct tw_process process[TW_LOAD_MAX];	/* used by main only */
};

extern const struct tw_load_ops tw_load_fft;
extern const struct tw_load_ops tw_load_hackbench;

/* The first --load, which a ramp varies; NULL: there is none. */
struct tw_load *tw_load_first(void);

#endif /* TW_LOAD_H */
