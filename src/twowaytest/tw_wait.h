/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ways in which the server waits for a request. */
#ifndef TW_WAIT_H
#define TW_WAIT_H

#include <poll.h>
#include <stddef.h>
#include <sys/select.h>

struct tw_wait;

struct tw_wait_ops {
	const char *name;
	/*
	 * Returns 0 or -errno; -EBADF if the descriptor is too large for
	 * select.
	 */
	int (*open)(struct tw_wait *wait);
	/*
	 * Waits until there is something to read or, except for busy, a signal
	 * arrives.
	 */
	void (*wait)(struct tw_wait *wait);
	void (*close)(struct tw_wait *wait);
};

/* Used by the server process only. */
struct tw_wait {
	const struct tw_wait_ops *ops;
	int fd;
	int epoll_fd;
	struct pollfd pollfd;
};

/* poll, select, epoll, read, busy; NULL if @index is above 4. */
const struct tw_wait_ops *tw_wait_kind(size_t index);

/* The way that never blocks, so no other task gets its CPU. */
extern const struct tw_wait_ops *const tw_wait_busy;

/* Prepares to wait on @fd. Returns 0 or -errno. */
int tw_wait_open(struct tw_wait *wait, const struct tw_wait_ops *ops, int fd);

#endif /* TW_WAIT_H */
