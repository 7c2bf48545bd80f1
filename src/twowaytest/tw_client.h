/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The measured loop: wait for the timer, send a request, await the reply. */
#ifndef TW_CLIENT_H
#define TW_CLIENT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tw_clock.h"
#include "tw_cycle.h"
#include "tw_timer.h"

/* All that the loop needs, chosen before it starts. */
struct tw_client {
	int fd;			/* connected to the server, blocking */
	size_t size;		/* of a request, in bytes */
	void *request;		/* buffer of that size */
	struct tw_clock *clock;
	const struct tw_timer_ops *timer_ops;
	int64_t period_ns;
	uint64_t warmup;	/* cycles before the measured ones */
	uint64_t loops;		/* measured cycles; 0: until *stop */
	const atomic_int *stop;	/* set by main, with a signal to wake us */
	bool prompt;		/* record a cycle before the next begins */
	void *sink;
	void (*warm)(void *sink, const struct tw_cycle *cycle);
	void (*record)(void *sink, const struct tw_cycle *cycle);
	/* Called between the warm-up and the first measured cycle. */
	void (*steady)(void *sink);
};

/*
 * Client only. Runs the cycles: 0 once they are done or *stop is set;
 * -ECONNRESET the server has gone, -EPROTO, -EBADMSG, -EMSGSIZE its reply is
 * not the one to this request, or -errno of a system call.
 */
int tw_client_run(const struct tw_client *client);

#endif /* TW_CLIENT_H */
