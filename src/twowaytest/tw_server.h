/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The answering loop: wait for a request, sleep, reply with both times. */
#ifndef TW_SERVER_H
#define TW_SERVER_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "tw_clock.h"
#include "tw_wait.h"

/* All that the loop needs, chosen before it starts. */
struct tw_server {
	int fd;			/* connected to the client, blocking */
	size_t size;		/* of a request, in bytes */
	void *request;		/* buffer of that size */
	const struct tw_clock *clock;
	const struct tw_wait_ops *wait_ops;
	int64_t sleep_ns;	/* 0: no call */
	uint64_t warmup;
	const atomic_int *stop;	/* set by main, with a signal to wake us */
	void *sink;
	/* Called once the warm-up is answered. */
	void (*steady)(void *sink);
};

/*
 * Server only. Answers until the client closes the connection or *stop is
 * set: 0; -EPROTO a request is not the one to come, -EMSGSIZE it is cut
 * short, or -errno of a system call.
 */
int tw_server_run(const struct tw_server *server);

#endif /* TW_SERVER_H */
