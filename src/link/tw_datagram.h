/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What becomes of the datagrams of --transport=udp and --reflect. */
#ifndef TW_DATAGRAM_H
#define TW_DATAGRAM_H

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#define TW_DATAGRAM_MAX	65507	/* bytes that fit into one, over IPv4 */

/*
 * Counts of a pair, of measured cycles, in memory that all share. sent =
 * answered + lost; a request that is under way when the run ends is not sent.
 */
struct tw_datagrams {
	/* Written by the client. */
	uint64_t sent;
	uint64_t answered;
	uint64_t lost;		/* no reply came within --timeout */
	uint64_t late;		/* replies to lost cycles that came after all */
	uint64_t repeated_replies;
	uint64_t errors;	/* that the network sent instead of replies */
	int error;		/* errno of the last one */
	/* Written by the server; with --reflect, by the client. */
	alignas(64) uint64_t requests;	/* that were answered */
	uint64_t repeated_requests;
	/*
	 * Requests that came after a newer one, and got no reply; with
	 * --reflect, replies that came after a newer one: they are late, too.
	 */
	uint64_t reordered;
};

struct tw_cycle;
struct tw_loop;

/*
 * Before the start: the counts of a pair, and how many ns after t0 a cycle is
 * lost.
 */
void tw_datagram_count(int pair, struct tw_datagrams *counts,
		       int64_t timeout_ns);

/*
 * connect(); what others have sent before is thrown away, and from then on, the
 * kernel keeps it away. 0, or -1 and errno.
 */
int tw_datagram_connect(int fd, const struct sockaddr *to, socklen_t len);

/* So that a client's recv() ends when a cycle is lost. 0, or -1 and errno. */
int tw_datagram_set_timeout(int fd);

/* Called by a client at t3: whether the cycle is not lost yet. */
bool tw_datagram_in_time(const struct tw_cycle *cycle);

/*
 * Called by a client at t3: whether the reply to the request @seq is that of
 * this cycle, and in time; else it is counted.
 */
bool tw_datagram_is_reply(const struct tw_loop *loop,
			  const struct tw_cycle *cycle, uint64_t seq);

/* Called by a client: the network has sent the error @number (errno). */
void tw_datagram_error(const struct tw_loop *loop, int number);

/* Called by a client at the end of exchange(): counts it. Returns @err. */
int tw_datagram_sent(const struct tw_loop *loop, const struct tw_cycle *cycle,
		     int err);

#endif /* TW_DATAGRAM_H */
