/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The supervisor of other people's programs: it starts copies of one, starts
 * them again when they end, and hears what they complain of.
 */
#ifndef TW_LOAD_SUPER_H
#define TW_LOAD_SUPER_H

#include "tw_load_exec.h"

/* What it is to do. */
struct tw_load_super {
	struct tw_load *load;
	int step;
	int count;		/* of the step: groups, or copies */
	int copies;		/* processes to start */
	tw_load_exec_fn exec;
};

/* All its life, as a child of the keeper; *arg is a struct tw_load_super. */
int tw_load_supervise(void *arg);

#endif /* TW_LOAD_SUPER_H */
