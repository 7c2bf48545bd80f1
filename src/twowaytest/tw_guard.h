/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A guardian: a process that outlives main, whatever ends that, and then
 * undoes what main has set in the system.
 */
#ifndef TW_GUARD_H
#define TW_GUARD_H

#include "tw_child.h"

struct tw_guard {
	int fd;			/* its end tells the guardian; -1: none */
	struct tw_child child;
	/* 0 or -errno; has to do no harm where there is nothing to undo. */
	int (*undo)(const void *what);
	const void *what;
};

/*
 * Starts a guardian, before there is anything to undo: it has @what as that
 * is now, and keeps @held open until it is done (-1: nothing). 0 or -errno. It
 * must outlive the calling process's other children, so it answers no signal.
 */
int tw_guard_open(struct tw_guard *guard, int (*undo)(const void *what),
		  const void *what, int held);

/*
 * Undoes, and waits until it is done; by itself if the guardian was killed,
 * or takes too long. Nothing if the guard is not open.
 */
void tw_guard_close(struct tw_guard *guard);

#endif /* TW_GUARD_H */
