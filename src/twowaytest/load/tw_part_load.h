/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of the load, and what others need to know of it. */
#ifndef TW_PART_LOAD_H
#define TW_PART_LOAD_H

#include "frame/tw_part.h"
#include "load/tw_load.h"

/* What the load did in a step. */
struct tw_work {
	uint64_t done;		/* units of work */
	uint64_t errors;	/* of these, with a wrong result */
	uint64_t restarts;
	int64_t elapsed_ns;	/* duration of the measurement */
};

extern const struct tw_part tw_part_load;
extern const struct tw_part tw_part_throttle;

/* What --load names; NULL: no load. And its settings. */
const struct tw_load_ops *tw_load_kind(void);
struct tw_load_params tw_load_settings(const struct tw_run *run);

/* The number of workers in a step, from 0; and in the last, the most. */
int tw_load_workers(const struct tw_run *run, int step);
int tw_load_most(const struct tw_run *run);

const struct tw_work *tw_load_work(int step);

/*
 * Whether our real-time tasks may use all the time of a CPU of client or
 * server, and the run does not lift the limit on that.
 */
bool tw_throttle_expected(const struct tw_run *run);

#endif /* TW_PART_LOAD_H */
