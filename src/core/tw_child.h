/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a process of ours is started, and how its end is awaited. */
#ifndef TW_CHILD_H
#define TW_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * As fork(), but -errno instead of -1. The child gets @signal when its parent
 * dies, ends if it has died already, and has no result file open.
 */
pid_t tw_child_start(int signal);

/* In a child: no signal is blocked, and those are as usual that main ignores. */
void tw_child_usual(void);

/*
 * Becomes a shell that runs @command, as usual. Returns only if that fails; see
 * errno.
 */
void tw_child_shell(const char *command);

/*
 * Waits for the end of a child, for at most @ms in which this process runs.
 * Returns whether it has ended, with *@status as from waitpid(). @flag:
 * WNOWAIT, if it is to stay a zombie; else 0.
 */
bool tw_child_ends(pid_t pid, int ms, int flag, int *status);

/*
 * Reaps children that have ended. Called by main where it has time; not while
 * that is held back: a caller below a real-time load might get no CPU until the
 * load has ended.
 *
 * later: has the next call reap it: a child, also one that another process of
 * ours has left to main. group: what ends within @ms of a process group.
 */
void tw_child_reap_later(pid_t pid);
void tw_child_reap(void);
void tw_child_reap_group(pid_t pid, int ms);
void tw_child_hold_back(bool hold);

#endif /* TW_CHILD_H */
