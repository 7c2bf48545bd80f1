// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "host/tw_limited.h"
#include "measure/tw_datagram.h"
#include "measure/tw_wire.h"
#include "run/tw_side.h"

/*
 * Whether @count, of what the last one came at @now_ns, is too many. A clock
 * that is set back must not look like a fast client.
 */
static bool is_flood(uint64_t count, int64_t now_ns, int64_t burst_ns,
		     int64_t *begin_ns)
{
	int64_t began_ns = *begin_ns;

	if (count % TW_BURST)
		return false;
	*begin_ns = now_ns;
	return count && now_ns >= began_ns && now_ns - began_ns < burst_ns;
}

/* The client sends it again until it is told that all servers are there. */
static void forget_greeting(const struct tw_server *server,
			    const struct tw_far_limit *limit, uint64_t before)
{
	size_t len = server->size < TW_COOKIE ? server->size : TW_COOKIE;

	if (memcmp(server->request, limit->cookie, len))
		return;
	server->datagrams->server.strangers = before;
	/* A short datagram leaves what it does not cover. */
	memset(server->request, 0, len);
}

/* Datagrams that are no requests take the server's time, too. */
static int take(const struct tw_server *server, struct tw_wait *wait,
		struct tw_reply *reply, struct tw_far_limit *limit)
{
	uint64_t strangers;
	int err;

	/* In a stream nobody else can send; what is stamped has its own. */
	if (!server->datagrams)
		return limit->take ? limit->take(server, wait, reply) :
				     tw_server_take(server, wait, reply);
	for (;;) {
		strangers = server->datagrams->server.strangers;
		err = limit->take(server, wait, reply);
		if (err != -EAGAIN)
			return err;
		forget_greeting(server, limit, strangers);
		if (is_flood(limit->junk++, reply->t1_ns, limit->junk_ns,
			     &limit->junk_begin_ns))
			return -EDQUOT;
	}
}

int tw_limited_take(const struct tw_server *server, struct tw_wait *wait,
		    struct tw_reply *reply)
{
	const struct tw_pair *pair = server->sink;
	struct tw_far_limit *limit = pair->limit;
	uint64_t count;
	int err;

	err = take(server, wait, reply, limit);
	if (err <= 0)
		return err;
	/* While the client goes on, maybe no call of ours is interrupted. */
	if (atomic_load_explicit(server->stop, memory_order_relaxed))
		return 0;
	count = atomic_load_explicit(&limit->requests, memory_order_relaxed);
	atomic_store_explicit(&limit->requests, count + 1,
			      memory_order_relaxed);
	return is_flood(count, reply->t1_ns, limit->burst_ns,
			&limit->begin_ns) ? -EDQUOT : err;
}
