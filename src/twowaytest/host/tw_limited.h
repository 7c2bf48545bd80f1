/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The limits of a server whose client is on another host. They are looked at
 * without a system call, between a request's arrival and the server's sleep.
 */
#ifndef TW_LIMITED_H
#define TW_LIMITED_H

#include <stdatomic.h>
#include <stdint.h>

#include "host/tw_terms.h"
#include "measure/tw_server.h"

struct tw_traced;

#define TW_BURST	256	/* requests that are timed together */

/* In memory shared by main and server. */
struct tw_far_limit {
	/* Set by main: the shortest time that a burst may take; 0: any. */
	int64_t burst_ns;
	struct tw_traced *traced;	/* NULL: not traced; see tw_traced.h */
	/* For datagrams; NULL: a stream. */
	int (*take)(const struct tw_server *server, struct tw_wait *wait,
		    struct tw_reply *reply);
	/* Written by the server. */
	_Atomic uint64_t requests;	/* how many it has taken */
	int64_t begin_ns;		/* t1 of the first of this burst */
	uint8_t cookie[TW_COOKIE];	/* set by main: a greeting's */
	/* The same for datagrams that are no requests. */
	int64_t junk_ns;		/* set by main */
	uint64_t junk;
	int64_t junk_begin_ns;
};

/*
 * The member take() of a server; its sink is a pair. Returns as that; -EDQUOT:
 * the client sends more requests than it may. A request ends the server, too,
 * once *stop is set. A greeting that comes again is no stranger's.
 */
int tw_limited_take(const struct tw_server *server, struct tw_wait *wait,
		    struct tw_reply *reply);

#endif /* TW_LIMITED_H */
