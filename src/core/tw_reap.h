/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reaps children that have ended. Called by main where it has time; not while
 * that is held back: a caller below a real-time load might get no CPU until the
 * load has ended.
 */
#ifndef TW_REAP_H
#define TW_REAP_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Has the next call reap it: a child, also one that another process of ours has
 * left to main.
 */
void tw_reap_later(pid_t pid);
void tw_reap_all(void);

/* What ends within @ms of a process group; if that is held back, later. */
void tw_reap_group(pid_t pid, int ms);

void tw_reap_hold_back(bool hold);

#endif /* TW_REAP_H */
