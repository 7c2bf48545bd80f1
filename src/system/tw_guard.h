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
	/*
	 * Prints what fails, and returns -errno then; does no harm if there is
	 * nothing to undo.
	 */
	int (*undo)(void);
	int fds[2];		/* that it keeps open; 0: none */
};

/*
 * Starts it, before the change. It knows what main knows now, but has no file of
 * main's open but guard->fds, so that it keeps nothing alive that ends with main.
 * If that fails, the program ends after a message.
 */
void tw_guard_start(struct tw_guard *guard, int (*undo)(void));

/*
 * Makes it undo the change and waits for that, for some seconds at most; if it
 * was killed, or cannot tell what failed, main does it. In a child of main, this does nothing.
 */
void tw_guard_end(const struct tw_guard *guard);

#endif /* TW_GUARD_H */
