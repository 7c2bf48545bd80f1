/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A server that is traced for a client on another host: it notes when it served
 * the last requests, so that one of them can be found in the trace. No system
 * call is made for that while requests are served.
 */
#ifndef TW_TRACED_H
#define TW_TRACED_H

#include "host/tw_limited.h"
#include "run/tw_side.h"

#define TW_TRACED	64	/* requests that are remembered */

struct tw_traced_request {
	uint64_t seq;		/* its number, from 1; 0: none */
	/* On the measuring clock; 0: not yet. */
	int64_t t1_ns, t2_ns;
	int64_t sent_ns;	/* when send() of the reply has returned */
};

/* In memory shared by main and server. */
struct tw_traced {
	int mark_fd;		/* set by main: the trace's marker */
	pid_t pid;		/* main: the server's, as the trace has it */
	/* Written by the server. */
	bool marked;
	struct tw_traced_request requests[TW_TRACED];
};

/* What a server writes into the trace, with the number of its pair. */
#define TW_TRACED_MARK	"twowaytest: server of pair %u"

/* Main, before the fork: lets the server of @pair be traced. */
void tw_traced_attach(struct tw_pair *pair, struct tw_traced *traced,
		      int mark_fd);

/* The member take() of a server that is traced; its sink is a pair. */
int tw_traced_take(const struct tw_server *server, struct tw_wait *wait,
		   struct tw_reply *reply);

/*
 * The member serve() of a task that is traced. Before it serves, marks the
 * trace: a trace has no process numbers of the server's own name space.
 */
int tw_traced_serve(struct tw_pair *pair, void *request);

/* The request with that number; NULL: it was not served, or long ago. */
const struct tw_traced_request *
tw_traced_find(const struct tw_traced *traced, uint64_t seq);

#endif /* TW_TRACED_H */
