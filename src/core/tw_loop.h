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
#include "tw_link.h"
#include "tw_timer.h"

/*
 * What a client is at, in memory that it shares with main, which reads this when
 * the client has ended. While the client waits for the timer, t0 is prev_t0;
 * while it waits for the reply, t3 is before t0; then, the cycle is complete. If
 * such a wait has failed, cut is when; after that for the timer, t0 is 0.
 */
struct tw_progress {
	struct tw_cycle cycle;	/* seq 0: nothing that is to have an end */
	/* The one before, until the server's stamps have come; seq 0: none. */
	struct tw_cycle held;
	struct tw_timer timer;
};

/* The settings of a loop. They do not change while it runs. */
struct tw_loop {
	int fd;			/* connected to the other side, blocking */
	const struct tw_link_ops *link;
	int pair;		/* its number */
	size_t size;		/* of a request in bytes */
	void *request;		/* buffer of @size bytes */
	int64_t (*now_ns)(void);	/* of tw_config.clock */
	const struct tw_timer_ops *timer;	/* client */
	int64_t period_ns;	/* client; 0: a closed loop */
	const int64_t *first_ns;	/* client: first expiry; 0: see timer */
	int64_t offset_ns;	/* client: added to *first_ns, if not 0 */
	const struct tw_wait_ops *wait;		/* server */
	int64_t sleep_ns;	/* server; 0: does not call sleep */
	struct tw_progress *progress;	/* client */
	uint64_t warmup;	/* cycles before the measured cycles */
	uint64_t loops;		/* measured cycles; 0: no limit */
	int64_t duration_ns;	/* of the measured cycles; 0: no limit */
	int64_t *end_ns;	/* client: of that, see tw_pair */
	atomic_int *stop;	/* not 0: end, see TW_STOP_SIGNAL */
	/*
	 * Called by the client for each measured cycle, after t3: one whose
	 * reply was lost has no t1, t2 and t3; of one in which the clock was
	 * set only seq and missed are known. True: ends the run of all pairs.
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

struct tw_reply;
/*
 * The same for one request, which follows that of the previous @reply. @wait_fd:
 * see tw_link.h. Returns also -ECONNRESET if the client closed the connection,
 * and -ECANCELED.
 */
int tw_server_answer(const struct tw_loop *loop, int wait_fd,
		     struct tw_reply *reply);

#endif /* TW_LOOP_H */
