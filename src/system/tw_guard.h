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
	pid_t owner;		/* main */
	/* Prints what fails; does no harm if there is nothing to undo. */
	void (*undo)(void);
};

/*
 * Starts it, before the change. It knows what main knows now. If that fails,
 * the program ends after a message.
 */
void tw_guard_start(struct tw_guard *guard, void (*undo)(void));

/*
 * Makes it undo the change and waits for that, for some seconds at most; if it
 * was killed, main does it. In a child of main, this does nothing.
 */
void tw_guard_end(const struct tw_guard *guard);

#endif /* TW_GUARD_H */
