/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The server's loop: wait for a request, sleep, reply with t1 and t2. */
#ifndef TW_SERVER_H
#define TW_SERVER_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/tw_clock.h"
#include "measure/tw_wait.h"

struct tw_datagrams;
struct tw_stamps;
struct tw_reply;

/* The settings of the loop. They do not change while it runs. */
struct tw_server {
	int fd;			/* connected to the client, blocking */
	size_t size;		/* size of a request in bytes */
	void *request;		/* buffer of @size bytes */
	const struct tw_clock *clock;
	const struct tw_wait_ops *wait_ops;
	int64_t sleep_ns;	/* 0: does not call sleep */
	uint64_t warmup;
	const atomic_int *stop;	/* main sets it, then sends a signal */
	/*
	 * NULL: of a stream. Waits for the next request, and stores its number
	 * and t1. Returns 1; 0 at the end; or as tw_server_run().
	 */
	int (*take)(const struct tw_server *server, struct tw_wait *wait,
		    struct tw_reply *reply);
	struct tw_datagrams *datagrams;
	struct tw_stamps *stamps;	/* of --stamps; NULL: none */
	/* take() returns -EAGAIN for each datagram that is no new request. */
	bool tells_junk;
	void *sink;
	/* Called once, after the last reply of the warm-up. */
	void (*steady)(void *sink);
};

/*
 * Called by the server process. Answers requests until the client closes the
 * connection or *stop is set. Returns 0; -EPROTO if a request has an unexpected
 * number; -EMSGSIZE if a request is incomplete; or -errno of a system call.
 */
int tw_server_run(const struct tw_server *server);

/* Waits for the next request of a stream, as the member take() does. */
int tw_server_take(const struct tw_server *server, struct tw_wait *wait,
		   struct tw_reply *reply);

/* Sleeps for @sleep_ns, but no longer than until *stop is set. 0: no call. */
void tw_server_sleep(int64_t sleep_ns, const atomic_int *stop);

#endif /* TW_SERVER_H */
