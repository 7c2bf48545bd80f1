/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Child processes: start, wait, stop and reap. No other file does this. Every
 * wait has a time limit, because a child may be unable to run, or even to exit,
 * while a task of higher priority uses its CPU.
 */
#ifndef TW_CHILD_H
#define TW_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define TW_CHILD_READY_MS	5000	/* time limit to get ready */
#define TW_CHILD_KEEP		6	/* maximum number of descriptors */

/* In memory shared with the child, or private to the parent. */
struct tw_child {
	pid_t pid;		/* 0: no child */
	bool ended;		/* it has ended and was reaped */
	bool lost;		/* not even SIGKILL ended it; do not wait */
	int status;		/* wait status, valid if ended */
	int stops;		/* number of times that a signal stopped it */
	char why[128];		/* reason for a timeout; or "" */
};

/* Decides whether it also gets signals to the parent's group or terminal. */
enum tw_child_place {
	TW_CHILD_WITH_PARENT,
	TW_CHILD_OWN_GROUP,
	TW_CHILD_OWN_SESSION
};

struct tw_child_how {
	const char *name;	/* process name; NULL: as the parent */
	enum tw_child_place place;
	int death_signal;	/* sent when the parent ends; 0: none */
	/* Sent if it does not get ready in time; 0: SIGKILL. */
	int stop_signal;
	/* Descriptors to keep open, besides 0, 1 and 2. Unused: -1 or 0. */
	int keep[TW_CHILD_KEEP];
	const int *keep_more;	/* further ones, @more_count; or NULL */
	int more_count;
	/*
	 * Runs in the child. All signals are blocked at its start. Returns 0 or
	 * -errno, which is also the exit status.
	 */
	int (*live)(void *arg);
	void *arg;
};

/* Forks. Returns 0 or -errno. */
int tw_child_fork(struct tw_child *child, const struct tw_child_how *how);

/*
 * Forks and waits until the child calls tw_child_ready(). Returns 0; the error
 * of the child (-errno); -ECHILD if the child ended without reporting an error;
 * -ETIMEDOUT if it was not ready within @limit_ms; or -EINTR if a signal that
 * ends a test arrived and the child was not ready one second later (the signal
 * stays pending). After -ETIMEDOUT or -EINTR, child->why is the reason. After
 * an error, the child has ended or is lost.
 */
int tw_child_start(struct tw_child *child, const struct tw_child_how *how,
		   int limit_ms);

/* Called by the child. Returns 0 or -errno. */
int tw_child_ready(void);

/* Returns true if the child has ended. Does not wait. */
bool tw_child_reap(struct tw_child *child);

/*
 * Writes to @buf what happened to a child, for a message that starts with its
 * name: @did, such as "was not ready in time", and the reason; or that it was
 * killed. Writes "" if it ended by itself.
 */
void tw_child_tell(const struct tw_child *child, const char *did, char *buf,
		   size_t size);

/* Writes why process @pid cannot run; "" if it does not exist. */
void tw_child_obstacle(pid_t pid, char *buf, size_t size);

/*
 * Sends @signal (0: none, the child knows that it has to end) repeatedly, and
 * SIGKILL after @limit_ms. Returns 0, also if there is no child; -ETIMEDOUT if
 * SIGKILL was needed; -EBUSY if not even that ended it: then it is lost.
 */
int tw_child_stop(struct tw_child *child, int signal, int limit_ms);

#endif /* TW_CHILD_H */
