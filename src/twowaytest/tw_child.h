/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A child of the calling process: started, awaited, stopped and reaped, here
 * and nowhere else. Nothing waits for a child without a limit: one that is
 * pinned to a CPU which something of a higher priority keeps busy can do
 * nothing, not even die.
 */
#ifndef TW_CHILD_H
#define TW_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define TW_CHILD_READY_MS	5000	/* to have only its work left to do */
#define TW_CHILD_KEEP		6	/* descriptors */

/* In memory that is shared with the child, or of the parent's own. */
struct tw_child {
	pid_t pid;		/* 0: none */
	bool ended;		/* and has been reaped */
	bool lost;		/* could not even be killed: nobody waits */
	int status;		/* its wait status, once it has ended */
	int stops;		/* how often it was stopped and went on */
	char why[128];		/* what kept it when its time was up; or "" */
};

/* Whom else a signal to a group, or a terminal, reaches. */
enum tw_child_place {
	TW_CHILD_WITH_PARENT,
	TW_CHILD_OWN_GROUP,
	TW_CHILD_OWN_SESSION
};

struct tw_child_how {
	const char *name;	/* as ps shows it; NULL: as its parent's */
	enum tw_child_place place;
	int death_signal;	/* it gets when its parent dies; 0: none */
	/* Asks it to end where it does not get ready; 0: it is killed. */
	int stop_signal;
	/* Descriptors that it needs, beside the standard ones; or -1, 0. */
	int keep[TW_CHILD_KEEP];
	/*
	 * All its life, which begins with every signal blocked: 0 or -errno,
	 * which is its exit status as well.
	 */
	int (*live)(void *arg);
	void *arg;
};

/* Forks. 0 or -errno. */
int tw_child_fork(struct tw_child *child, const struct tw_child_how *how);

/*
 * Forks, and waits until the child calls tw_child_ready(): 0, or its own
 * -errno, or -ECHILD if it has ended without a word. -ETIMEDOUT: not within
 * @limit_ms; -EINTR: nor within a second of one of the signals that end a
 * test, which stays pending: child->why tells what kept it. After an error
 * the child has ended, or is lost.
 */
int tw_child_start(struct tw_child *child, const struct tw_child_how *how,
		   int limit_ms);

/* In the child. 0 or -errno. */
int tw_child_ready(void);

/* True once it has ended; does not wait for it. */
bool tw_child_reap(struct tw_child *child);

/*
 * What befell one that @did not do what it should, such as "was not ready in
 * time", to @buf, to be read behind its name: that and why, or that it was
 * killed. "" if it has ended by itself.
 */
void tw_child_tell(const struct tw_child *child, const char *did, char *buf,
		   size_t size);

/* What keeps any process @pid from what it is to do; "" if it is gone. */
void tw_child_obstacle(pid_t pid, char *buf, size_t size);

/*
 * Asks it to end by @signal (0: it knows), again and again, and kills it
 * after @limit_ms. 0, also if there is none; -ETIMEDOUT: it had to be killed;
 * -EBUSY: that did not end it either, and the child is lost.
 */
int tw_child_stop(struct tw_child *child, int signal, int limit_ms);

#endif /* TW_CHILD_H */
