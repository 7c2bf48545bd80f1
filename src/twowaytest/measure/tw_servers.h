/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The loop of one server for many clients: choose a connection that has a
 * request, read it, sleep, reply with t1 and t2. What --order says is how it
 * chooses.
 */
#ifndef TW_SERVERS_H
#define TW_SERVERS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/tw_clock.h"

/* A client, as its server sees it. The first has the highest priority. */
struct tw_served {
	int fd;			/* connected to the client; -1: it has gone */
	uint64_t seq;		/* number of the last request */
	/*
	 * Requests of clients after this one that were answered so far. The
	 * server counts, the client reads.
	 */
	_Atomic uint32_t *inversions;
	void *sink;		/* for steady() */
};

struct pollfd;
struct tw_order_ops;

/* The settings of the loop, and its state. */
struct tw_servers {
	struct tw_served *served;
	int count;
	size_t size;		/* size of a request in bytes */
	void *request;		/* buffer of @size bytes */
	const struct tw_clock *clock;
	const struct tw_order_ops *order;
	int64_t sleep_ns;	/* 0: does not call sleep */
	uint64_t warmup;
	const atomic_int *stop;	/* main sets it, then sends a signal */
	/* Called once for each client, after the last reply of its warm-up. */
	void (*steady)(void *sink);
};

/* The state of an order; all zero before open(). */
struct tw_order {
	const struct tw_order_ops *ops;
	const struct tw_servers *servers;
	struct pollfd *pollfds;	/* as many as there are clients */
	int epoll_fd;
	int next;		/* index after the client served last */
};

struct tw_order_ops {
	const char *name;
	/* Returns 0 or -errno. */
	int (*open)(struct tw_order *order);
	/*
	 * Waits until there is a request, or a client has gone. Returns the
	 * index of that client; -EINTR if a signal arrived; or -errno.
	 */
	int (*next)(struct tw_order *order);
	/* Client @index has gone. */
	void (*forget)(struct tw_order *order, int index);
	void (*close)(struct tw_order *order);
};

/* The first is the default; the last is NULL. */
extern const struct tw_order_ops *const tw_order_kinds[];

/*
 * Called by the server process. Answers requests until all clients have closed
 * their connections or *stop is set. Returns as tw_server_run().
 */
int tw_servers_run(struct tw_servers *servers);

#endif /* TW_SERVERS_H */
