/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loads that are other people's programs, under one supervisor: a child of
 * main that starts them, starts them again when they end, and kills all that
 * they have started, also when main is killed. It is a subreaper, so that no
 * grandchild gets away.
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
void tw_load_exec_stop(struct tw_load *load);

/* Nothing to start beforehand. */
int tw_load_exec_prepare(struct tw_load *load, int most);

#endif /* TW_LOAD_EXEC_H */
