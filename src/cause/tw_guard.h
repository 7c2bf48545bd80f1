/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A guard: a process that outlives main, whatever ends main, and then undoes
 * what main has set in the system. Called by main.
 */
#ifndef TW_GUARD_H
#define TW_GUARD_H

#include <sys/types.h>

struct tw_guard {
	pid_t pid;
	int fd;			/* closing it asks for undo() */
	/* Returns 0 or -errno; does no harm if there is nothing to undo. */
	int (*undo)(void);
};

/*
 * Starts it, before the change. It knows what main knows now. If that fails,
 * the program ends after a message.
 */
void tw_guard_start(struct tw_guard *guard, int (*undo)(void));

/*
 * Makes it undo the change and waits for that, for some seconds at most; if it
 * was killed, main does it. Returns 0 or -errno.
 */
int tw_guard_end(struct tw_guard *guard);

#endif /* TW_GUARD_H */
