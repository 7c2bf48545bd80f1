/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What becomes of the datagrams of --transport=udp. */
#ifndef TW_DATAGRAM_H
#define TW_DATAGRAM_H

#include <stdalign.h>
#include <stdint.h>

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
	/* Written by the server. */
	alignas(64) uint64_t repeated_requests;
	uint64_t reordered;	/* came after a newer one, and got no reply */
};

struct tw_run;

/* Of a pair, so far. Called by main. 0 without --transport=udp. */
uint64_t tw_datagrams_lost(const struct tw_run *run, int pair);

/*
 * For tw_link_udp, before the start: the counts of a pair, and how many ns
 * after t0 a cycle is lost.
 */
void tw_datagram_count(int pair, struct tw_datagrams *counts,
		       int64_t timeout_ns);

/* Limits the wait for a reply at a client's socket to that. 0 or -errno. */
int tw_datagram_prepare(int fd);

#endif /* TW_DATAGRAM_H */
