/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loads that are other programs (hackbench, commands). A supervisor process
 * starts the programs; its parent, the keeper, is a child of main. If one of
 * the two is killed, the other ends all programs; if main is killed, both do.
 * Both are subreapers, so they also get orphaned grandchildren. main is not,
 * because it would get the orphans of other children too.
 */
#ifndef TW_LOAD_EXEC_H
#define TW_LOAD_EXEC_H

#include "load/tw_load.h"

/*
 * Executes copy @index (from 0) in the calling process. Returns only on error:
 * -errno.
 */
typedef int (*tw_load_exec_fn)(const struct tw_load *load, int index,
			       int count);

/*
 * The functions of struct tw_load_ops. Running stops the copies of the last
 * step and starts @copies new ones; -ECHILD if one fails at once, with its
 * error output in shared->why.
 */
int tw_load_exec_run(struct tw_load *load, int step, int count, int copies,
		     tw_load_exec_fn exec);
bool tw_load_exec_died(struct tw_load *load);
int tw_load_exec_stop(struct tw_load *load);

/* Only stores the maximum; starts no process. */
int tw_load_exec_prepare(struct tw_load *load, int most);

#endif /* TW_LOAD_EXEC_H */
