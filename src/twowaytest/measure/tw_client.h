/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The client's loop: wait for the timer, send a request, wait for the reply. */
#ifndef TW_CLIENT_H
#define TW_CLIENT_H

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/tw_clock.h"
#include "base/tw_timer.h"
#include "measure/tw_cycle.h"
#include "measure/tw_wire.h"

struct tw_datagrams;
struct tw_stamps;

/* The settings of the loop. They do not change while it runs. */
struct tw_client {
	int fd;			/* connected to the server, blocking */
	size_t size;		/* size of a request in bytes */
	void *request;		/* buffer of @size bytes */
	/* Of the server, for all clients after this one; it counts on. */
	const _Atomic uint32_t *inversions;
	struct tw_clock *clock;
	const struct tw_timer_ops *timer_ops;
	int64_t period_ns;
	int64_t first_ns;	/* the first expiry; 0: a period from now */
	uint64_t warmup;	/* cycles before the measured cycles */
	uint64_t loops;		/* measured cycles; 0: no limit */
	const atomic_int *stop;	/* main sets it, then sends a signal */
	/* One of many: a cycle amid which *stop is set counts only if first. */
	bool several;
	bool prompt;		/* record a cycle before the next starts */
	void *sink;
	void (*warm)(void *sink, const struct tw_cycle *cycle);
	void (*record)(void *sink, const struct tw_cycle *cycle);
	/*
	 * NULL: a stream, of plain replies. Waits for the reply to cycle->seq,
	 * and stores t1, t2, t3 and the server's CPU. Returns 0; -ETIMEDOUT if
	 * the cycle is marked as lost, which lose() records then; or as
	 * tw_client_run().
	 */
	int (*receive)(const struct tw_client *client, struct tw_cycle *cycle);
	void (*lose)(void *sink, const struct tw_cycle *cycle);
	struct tw_datagrams *datagrams;	/* NULL: a stream */
	struct tw_stamps *stamps;	/* of --stamps; NULL: none */
	/* Called once, between the warm-up and the first measured cycle. */
	void (*steady)(void *sink);
	/* Called after the last cycle, before the server is told; or NULL. */
	void (*done)(void *sink);
};

/*
 * Called by the client process. Runs the cycles until all are done or *stop is
 * set. Returns 0; -ECONNRESET if the server closed the connection; -EPROTO,
 * -EBADMSG or -EMSGSIZE if the reply does not match the request; or -errno of a
 * system call.
 */
int tw_client_run(const struct tw_client *client);

static inline bool tw_client_stopped(const struct tw_client *client)
{
	return atomic_load_explicit(client->stop, memory_order_relaxed);
}

/* For receive() of a stream: what came in place of a reply, 0 if nothing. */
static inline int tw_client_check(const struct tw_client *client, ssize_t len)
{
	/* A server of many may end before the signal comes here. */
	if (!len && tw_client_stopped(client))
		return -ECANCELED;
	return len > 0 ? 0 : len ? (int)len : -ECONNRESET;
}

/* For receive(): stores what a reply tells. */
static inline void tw_client_take(struct tw_cycle *cycle,
				  const struct tw_reply *reply)
{
	cycle->t1_ns = reply->t1_ns;
	cycle->t2_ns = reply->t2_ns;
	cycle->server_cpu = reply->cpu;
}

#endif /* TW_CLIENT_H */
