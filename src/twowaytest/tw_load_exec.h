/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loads that are other people's programs. Two processes watch over them: a
 * supervisor, which starts them, and its parent, the keeper, a child of main.
 * Each ends all that they have started when the other is killed, and both do
 * when main is. They are subreapers, so that no grandchild gets away; main is
 * none, as orphans of others would come to it as well.
 */
#ifndef TW_LOAD_EXEC_H
#define TW_LOAD_EXEC_H

#include "tw_load.h"

/* Replaces the calling process by copy @index, or returns -errno. */
typedef int (*tw_load_exec_fn)(const struct tw_load *load, int index,
			       int count);

/*
 * As the ops: starts @copies, in the place of those of the last step.
 * -ECHILD, and their complaint in shared->why, if one fails at once.
 */
int tw_load_exec_run(struct tw_load *load, int step, int count, int copies,
		     tw_load_exec_fn exec);
bool tw_load_exec_died(struct tw_load *load);
int tw_load_exec_stop(struct tw_load *load);

/* Nothing to start beforehand. */
int tw_load_exec_prepare(struct tw_load *load, int most);

#endif /* TW_LOAD_EXEC_H */
