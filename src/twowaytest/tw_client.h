/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The client's loop: wait for the timer, send a request, wait for the reply. */
#ifndef TW_CLIENT_H
#define TW_CLIENT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tw_clock.h"
#include "tw_cycle.h"
#include "tw_timer.h"

/* The settings of the loop. They do not change while it runs. */
struct tw_client {
	int fd;			/* connected to the server, blocking */
	size_t size;		/* size of a request in bytes */
	void *request;		/* buffer of @size bytes */
	struct tw_clock *clock;
	const struct tw_timer_ops *timer_ops;
	int64_t period_ns;
	uint64_t warmup;	/* cycles before the measured cycles */
	uint64_t loops;		/* measured cycles; 0: no limit */
	const atomic_int *stop;	/* main sets it, then sends a signal */
	bool prompt;		/* record a cycle before the next starts */
	void *sink;
	void (*warm)(void *sink, const struct tw_cycle *cycle);
	void (*record)(void *sink, const struct tw_cycle *cycle);
	/* Called once, between the warm-up and the first measured cycle. */
	void (*steady)(void *sink);
};

/*
 * Called by the client process. Runs the cycles until all are done or *stop is
 * set. Returns 0; -ECONNRESET if the server closed the connection; -EPROTO,
 * -EBADMSG or -EMSGSIZE if the reply does not match the request; or -errno of a
 * system call.
 */
int tw_client_run(const struct tw_client *client);

#endif /* TW_CLIENT_H */
