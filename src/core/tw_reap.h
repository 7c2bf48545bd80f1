/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reaps children that have ended, of main: not at once, but where it may take
 * time. Not while that is held back: a caller below a real-time load might get no
 * CPU until the load has ended.
 */
#ifndef TW_REAP_H
#define TW_REAP_H

#include <stdbool.h>
#include <sys/types.h>

/* A child, or what another process of ours has left to main: by the next. */
void tw_reap_later(pid_t pid);
void tw_reap_all(void);

/* What has ended within @ms of a process group. */
void tw_reap_group(pid_t pid, int ms);

void tw_reap_hold_back(bool hold);

#endif /* TW_REAP_H */
