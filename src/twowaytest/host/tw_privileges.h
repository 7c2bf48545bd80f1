/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Gives up what a server for other hosts does not need. Called by main. */
#ifndef TW_PRIVILEGES_H
#define TW_PRIVILEGES_H

#include <stddef.h>

#define TW_PRIVILEGES	128

/*
 * For this process and all that it starts: no new privileges; as root, becomes
 * user and group 65534 with no other groups. What is left is the right to
 * real-time priorities up to @ceiling (0: none) and to lock memory: by
 * RLIMIT_RTPRIO and RLIMIT_MEMLOCK, so that the kernel enforces the ceiling; or,
 * if these cannot be raised, by CAP_SYS_NICE and CAP_IPC_LOCK.
 *
 * Returns 0, and in @text what it has kept; or -errno: go no further.
 */
int tw_privileges_drop(int ceiling, char text[TW_PRIVILEGES]);

/*
 * Returns the highest priority up to @ceiling that this process may have or
 * give: with CAP_SYS_NICE, @ceiling; else that of RLIMIT_RTPRIO.
 */
int tw_privileges_highest(int ceiling);

/*
 * A real-time task that uses its CPU for 0.2 s without a wait is killed
 * (RLIMIT_RTTIME). Returns 0 or -errno.
 */
int tw_privileges_limit_runaway(void);

#endif /* TW_PRIVILEGES_H */
