/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The body of the server's loop. Who answers with other replies than
 * tw_server_run() has a loop of its own, without a call or branch more.
 */
#ifndef TW_SERVER_LOOP_H
#define TW_SERVER_LOOP_H

#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <time.h>

#include "base/tw_time.h"
#include "measure/tw_io.h"
#include "measure/tw_server.h"
#include "measure/tw_wire.h"

static inline void tw_server_sleep_for(struct timespec left,
				       const atomic_int *stop)
{
	while (nanosleep(&left, &left) && !tw_io_failed(stop))
		;
}

/* --sleep=0: no system call. */
static inline void tw_server_sleep_not(struct timespec left,
				       const atomic_int *stop)
{
	(void)left;
	(void)stop;
}

/* For take() of a stream, @len bytes were received. Returns as take(). */
static inline int tw_server_check(const struct tw_server *server, ssize_t len,
				  struct tw_reply *reply)
{
	int err;

	if (len <= 0)
		return len == -ECANCELED ? 0 : (int)len;
	err = tw_wire_get_request(server->request, len, server->size,
				  ++reply->seq);
	return err ? err : 1;
}

/* What a loop is made for; constant. */
struct tw_server_kind {
	/* Unless the server has one. */
	int (*take)(const struct tw_server *server, struct tw_wait *wait,
		    struct tw_reply *reply);
	/* Writes a reply of @size bytes to @buf. */
	void (*put)(const struct tw_server *server, void *buf,
		    const struct tw_reply *reply);
	size_t size;
};

static inline __attribute__((always_inline)) int
tw_server_loop(const struct tw_server *server,
	       const struct tw_server_kind *kind)
{
	int (*take)(const struct tw_server *server, struct tw_wait *wait,
		    struct tw_reply *reply) =
		server->take ? server->take : kind->take;
	void (*pause)(struct timespec left, const atomic_int *stop) =
		server->sleep_ns ? tw_server_sleep_for : tw_server_sleep_not;
	const struct timespec sleep = tw_ns_to_ts(server->sleep_ns);
	const struct tw_clock *clock = server->clock;
	struct tw_reply reply = { .seq = 0 };
	uint64_t steady_at = server->warmup;
	char buf[TW_STAMPED_SIZE];
	struct tw_wait wait;
	int err;

	err = tw_wait_open(&wait, server->wait_ops, server->fd);
	if (err)
		return err;
	for (;;) {
		/* Not at that number alone: its request may be lost. */
		if (reply.seq >= steady_at) {
			server->steady(server->sink);
			steady_at = UINT64_MAX;
		}
		err = take(server, &wait, &reply);
		if (err <= 0)
			break;

		/* No system call: glibc uses the vDSO or rseq. */
		reply.cpu = sched_getcpu();
		pause(sleep, server->stop);
		reply.t2_ns = clock->read_ns(clock);
		kind->put(server, buf, &reply);
		err = tw_io_send(server->fd, buf, kind->size, server->stop);
		if (err == -ECANCELED || err == -ECONNREFUSED)
			err = 0;
		else if (!err)
			continue;
		break;
	}
	wait.ops->close(&wait);
	return err;
}

#endif /* TW_SERVER_LOOP_H */
