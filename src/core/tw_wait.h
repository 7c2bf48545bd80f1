/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ways in which the server waits for a request. */
#ifndef TW_WAIT_H
#define TW_WAIT_H

#include <stdatomic.h>

struct tw_wait_ops {
	const char *name;
	/*
	 * Prepares to wait for @fd. Returns the descriptor for wait(), or
	 * -errno. It ends with the process. NULL: wait() takes @fd itself.
	 */
	int (*open)(int fd);
	/*
	 * Returns when there is something to read. May also return when a
	 * signal comes, and does so if *stop is set.
	 */
	void (*wait)(int fd, const atomic_int *stop);
};

extern const struct tw_wait_ops tw_wait_poll;
extern const struct tw_wait_ops tw_wait_select;
extern const struct tw_wait_ops tw_wait_epoll;
extern const struct tw_wait_ops tw_wait_read;
extern const struct tw_wait_ops tw_wait_busy;

/* The name of a row of the table; NULL after the last. */
const char *tw_wait_name(int number);

/* The way of this name; NULL: there is none. */
const struct tw_wait_ops *tw_wait_find(const char *name);

#endif /* TW_WAIT_H */
