/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests and replies as datagrams: what the loops do if some get lost, come
 * late, twice or in another order, and the counts of that.
 *
 * The counts are of measured cycles, not of the warm-up. Each request sent is
 * either answered or lost.
 */
#ifndef TW_DATAGRAM_H
#define TW_DATAGRAM_H

#include "base/tw_system.h"
#include "measure/tw_client.h"
#include "measure/tw_server.h"
#include "measure/tw_wire.h"

#define TW_DATAGRAM_MAX	65507	/* bytes that fit into one over IPv4 */

/* The numbers seen so far: the newest, and which of those before it. */
struct tw_seen {
	uint64_t newest;
	uint64_t mask;		/* bit n: newest - n */
};

struct tw_datagram_counts {
	uint64_t sent;
	uint64_t answered;
	uint64_t lost;		/* lost_request + lost_reply */
	uint64_t lost_request;	/* the server had nothing to answer */
	uint64_t lost_reply;	/* it answered; nothing came in time */
	uint64_t late;		/* replies to cycles that were lost */
	uint64_t duplicate;	/* requests and replies */
	uint64_t reordered;	/* requests behind newer ones: not answered */
	uint64_t strangers;	/* not of this run */
};

/* In memory shared by main, client and server. */
struct tw_datagrams {
	int64_t timeout_ns;	/* no wait for a reply begins after that */
	struct tw_datagram_counts before;	/* of earlier steps; by main */
	/* Written by the client. */
	_Alignas(TW_CACHE_LINE) struct {
		uint64_t sent, answered, lost, late, duplicate, strangers;
		uint64_t last;	/* number of the last request of @sent */
		struct tw_seen seen;	/* replies */
	} client;
	/* Written by the server. */
	_Alignas(TW_CACHE_LINE) struct {
		uint64_t taken, duplicate, reordered, strangers;
		struct tw_seen seen;	/* requests */
	} server;
};

/*
 * Adds @seq to @seen. Returns 1 if it is the newest; 0 if it is an older one;
 * -1 if it was seen before. What is 64 numbers older counts as not seen.
 */
int tw_seen_add(struct tw_seen *seen, uint64_t seq);

/* Called by the client and by the server: see tw_client.h, tw_server.h. */
int tw_datagram_receive(const struct tw_client *client,
			struct tw_cycle *cycle);
int tw_datagram_take(const struct tw_server *server, struct tw_wait *wait,
		     struct tw_reply *reply);

/* The same with the kernel's timestamps, see tw_stamped.h. */
int tw_datagram_receive_stamped(const struct tw_client *client,
				struct tw_cycle *cycle);
int tw_datagram_take_stamped(const struct tw_server *server,
			     struct tw_wait *wait, struct tw_reply *reply);

/* Called by main. While the client runs, a cycle may be under way. */
struct tw_datagram_counts
tw_datagram_count(const struct tw_datagrams *datagrams);
void tw_datagram_add(struct tw_datagram_counts *sum,
		     const struct tw_datagram_counts *more);
void tw_datagram_merge(struct tw_datagrams *sum,
		       const struct tw_datagrams *datagrams);

#endif /* TW_DATAGRAM_H */
