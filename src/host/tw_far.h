/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TW_FAR_H
#define TW_FAR_H

#include <stdbool.h>

/* This is the server's side, of a client at standard input and output. */
extern bool tw_far;

/* The highest that a server may have. */
extern int tw_far_priority;

/* A client measures only if it gets this lock; -1: there is none. */
extern int tw_far_lock_fd;

/* Its parent holds /dev/cpu_dma_latency, so it need not, and may not. */
extern bool tw_far_is_awake;

#endif /* TW_FAR_H */
