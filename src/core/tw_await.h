/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waits of main. */
#ifndef TW_AWAIT_H
#define TW_AWAIT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Waits until @end_ns of CLOCK_MONOTONIC for @events (poll(2)) of @fd, or until
 * @other_fd can be read (-1: there is none). 0, -ETIMEDOUT, -EINTR: @other_fd
 * can be read; or another -errno.
 */
int tw_await(int fd, short events, int other_fd, int64_t end_ns);

/* A time of CLOCK_MONOTONIC. */
int64_t tw_await_in_ms(int64_t ms);

/*
 * Can be read once SIGINT or another signal has come that is to end the run;
 * nobody reads it.
 */
int tw_await_stop_fd(void);
bool tw_await_stopped(void);

#endif /* TW_AWAIT_H */
