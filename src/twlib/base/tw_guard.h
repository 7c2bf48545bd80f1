/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A guardian: a process that continues after main has ended, in any way, and
 * then undoes what main has set in the system.
 */
#ifndef TW_GUARD_H
#define TW_GUARD_H

#include "base/tw_child.h"

struct tw_guard {
	int fd;			/* closing it tells the guardian; -1: none */
	struct tw_child child;
	/* Returns 0 or -errno. Must do no harm if there is nothing to undo. */
	int (*undo)(const void *what);
	const void *what;
};

/*
 * Starts a guardian; call it before the change. The guardian gets a copy of
 * *what as it is now, and keeps the descriptor @held open until it has finished
 * (-1: none). It blocks all signals, because it has to end after the other
 * children of the calling process. Returns 0 or -errno.
 */
int tw_guard_open(struct tw_guard *guard, int (*undo)(const void *what),
		  const void *what, int held);

/*
 * Makes the guardian undo the change and waits until it is done. If the
 * guardian was killed or takes too long, the calling process does it. Does
 * nothing if the guard is not open.
 */
void tw_guard_close(struct tw_guard *guard);

#endif /* TW_GUARD_H */
