/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The two measuring loops. Per cycle the client makes three system calls (wait,
 * send, receive), the server four (wait, receive, sleep, send). Nothing in them
 * allocates, prints, locks or faults.
 */
#ifndef TW_LOOP_H
#define TW_LOOP_H

#include <stdatomic.h>
#include <stdbool.h>

#include "tw_cycle.h"
#include "tw_timer.h"

/* The settings of a loop. They do not change while it runs. */
struct tw_loop {
	int fd;			/* connected to the other side, blocking */
	size_t size;		/* of a request in bytes */
	void *request;		/* buffer of @size bytes */
	clockid_t clockid;
	const struct tw_timer_ops *timer;	/* client */
	int64_t period_ns;	/* client; 0: a closed loop */
	const int64_t *first_ns;	/* client: first expiry; 0: see timer */
	int64_t offset_ns;	/* client: added to *first_ns, if not 0 */
	bool polls;		/* server: calls poll() before it receives */
	int64_t sleep_ns;	/* server; 0: does not call sleep */
	uint64_t warmup;	/* cycles before the measured cycles */
	uint64_t loops;		/* measured cycles; 0: no limit */
	int64_t duration_ns;	/* of the measured cycles; 0: no limit */
	int64_t *end_ns;	/* client: when that will be over; 0 before */
	atomic_int *stop;	/* not 0: end, see TW_STOP_SIGNAL */
	/*
	 * Called by the client for each measured cycle, after t3. True: ends
	 * the run of all pairs.
	 */
	bool (*record)(void *sink, const struct tw_cycle *cycle);
	void *sink;
};

/*
 * Called by the client process. Runs the cycles until all are done or *stop is
 * set. Returns 0; -ECONNRESET if the server closed the connection; -EPROTO if
 * the reply does not match the request; or -errno of a system call.
 */
int tw_client_run(const struct tw_loop *loop);

/*
 * Called by the server process. Answers requests until the client closes the
 * connection or *stop is set. Returns 0, -EPROTO or -errno.
 */
int tw_server_run(const struct tw_loop *loop);

#endif /* TW_LOOP_H */
