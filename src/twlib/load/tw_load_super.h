/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The supervisor of other programs: starts copies of a program, restarts copies
 * that end, and reads their error output.
 */
#ifndef TW_LOAD_SUPER_H
#define TW_LOAD_SUPER_H

#include "load/tw_load_exec.h"

/* Its settings. */
struct tw_load_super {
	struct tw_load *load;
	int step;
	int count;		/* groups or copies in this step */
	int copies;		/* number of processes to start */
	tw_load_exec_fn exec;
};

/*
 * Runs in a child of the keeper. @arg: struct tw_load_super. Returns 0 or
 * -errno.
 */
int tw_load_supervise(void *arg);

#endif /* TW_LOAD_SUPER_H */
