/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ways in which the server waits for a request. */
#ifndef TW_WAIT_H
#define TW_WAIT_H

#include <poll.h>
#include <stdbool.h>
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
	bool spins;		/* never blocks: no other task gets its CPU */
};

/* Used by the server process only. */
struct tw_wait {
	const struct tw_wait_ops *ops;
	int fd;
	int epoll_fd;
	struct pollfd pollfd;
};

/* The first is the default; the last is NULL. */
extern const struct tw_wait_ops *const tw_wait_kinds[];
extern const struct tw_wait_ops tw_wait_poll;
extern const struct tw_wait_ops tw_wait_select;
extern const struct tw_wait_ops tw_wait_epoll;
extern const struct tw_wait_ops tw_wait_read;
extern const struct tw_wait_ops tw_wait_busy;

/* Prepares to wait on @fd. Returns 0 or -errno. */
int tw_wait_open(struct tw_wait *wait, const struct tw_wait_ops *ops, int fd);

/* For kinds that need nothing else. */
int tw_wait_nothing_to_open(struct tw_wait *wait);
void tw_wait_nothing_to_close(struct tw_wait *wait);

#endif /* TW_WAIT_H */
