/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the server waits for a request to arrive. */
#ifndef TW_WAIT_H
#define TW_WAIT_H

#include <poll.h>
#include <stddef.h>
#include <sys/select.h>

struct tw_wait;

struct tw_wait_ops {
	const char *name;
	/* 0 or -errno: -EBADF if select cannot hold such a descriptor. */
	int (*open)(struct tw_wait *wait);
	/* Until there is something to read or, but for busy, a signal. */
	void (*wait)(struct tw_wait *wait);
	void (*close)(struct tw_wait *wait);
};

/* Used by one process, the server. */
struct tw_wait {
	const struct tw_wait_ops *ops;
	int fd;
	int epoll_fd;
	struct pollfd pollfd;
};

/* poll, select, epoll, read, busy; NULL from @index 5 on. */
const struct tw_wait_ops *tw_wait_kind(size_t index);

/* The kind that never blocks, and so keeps its CPU for itself. */
extern const struct tw_wait_ops *const tw_wait_busy;

/* Prepares to wait on @fd: 0 or -errno. */
int tw_wait_open(struct tw_wait *wait, const struct tw_wait_ops *ops, int fd);

#endif /* TW_WAIT_H */
