/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The answering loop, with a clock by script. The other end of its socket
 * holds all requests before it starts, and all replies after.
 */
#ifndef SERVER_H
#define SERVER_H

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "loop.h"
#include "measure/tw_server.h"
#include "base/tw_time.h"
#include "measure/tw_wire.h"

#define KINDS	5

static int ends[2];	/* the server's and its peer's */
static atomic_int stop;
static struct script_clock script;
static char request[TW_REQUEST_MAX];

static struct {
	size_t calls, replies;
} at_steady;

static struct {
	int calls, interrupt;	/* so many of them */
	int64_t asked_ns[8];
} naps;

/* In place of the C library's, which it calls otherwise. */
int nanosleep(const struct timespec *span, struct timespec *left)
{
	const int64_t span_ns = tw_ts_to_ns(span);

	naps.asked_ns[naps.calls++ % 8] = span_ns;
	if (naps.interrupt) {
		naps.interrupt--;
		*left = tw_ns_to_ts(span_ns / 2);
		errno = EINTR;
		return -1;
	}
	errno = clock_nanosleep(CLOCK_MONOTONIC, 0, span, left);
	return errno ? -1 : 0;
}

static inline size_t replies_waiting(void)
{
	int left;

	assert_int_equal(ioctl(ends[1], FIONREAD, &left), 0);
	assert_int_equal(left % TW_REPLY_SIZE, 0);
	return left / TW_REPLY_SIZE;
}

static inline void steady(void *sink)
{
	assert_ptr_equal(sink, &script);
	at_steady.calls++;
	at_steady.replies = replies_waiting();
}

static inline int set_up(void **state)
{
	(void)state;
	memset(&at_steady, 0, sizeof(at_steady));
	memset(&naps, 0, sizeof(naps));
	atomic_store(&stop, 0);
	return socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
}

static inline int tear_down(void **state)
{
	(void)state;
	close(ends[1]);
	return close(ends[0]);
}

static inline struct tw_server new_server(uint64_t warmup)
{
	return (struct tw_server) {
		.fd = ends[0],
		.size = TW_REQUEST_MIN,
		.request = request,
		.clock = script_clock(&script, 77 + warmup),
		.wait_ops = tw_wait_kinds[0],
		.warmup = warmup,
		.stop = &stop,
		.sink = &script,
		.steady = steady,
	};
}

static inline void load_request(uint64_t seq, size_t len)
{
	static char buf[TW_REQUEST_MAX];

	tw_wire_put_request(buf, seq);
	assert_int_equal(send(ends[1], buf, len, 0), len);
}

static inline void load_requests(uint64_t first, uint64_t last)
{
	for (; first <= last; first++)
		load_request(first, TW_REQUEST_MIN);
}

static inline void hang_up(void)
{
	assert_int_equal(shutdown(ends[1], SHUT_WR), 0);
}

/* The replies to 1 .. @count, with every time that the clock gave. */
static inline void assert_replies(uint64_t count)
{
	char buf[TW_REPLY_SIZE];
	struct tw_reply reply;
	uint64_t seq;

	assert_int_equal(replies_waiting(), count);
	for (seq = 1; seq <= count; seq++) {
		assert_int_equal(recv(ends[1], buf, sizeof(buf), 0),
				 sizeof(buf));
		assert_int_equal(tw_wire_get_reply(buf, sizeof(buf), seq,
						   &reply), 0);
		assert_int_equal(reply.t1_ns, script.times_ns[2 * seq - 2]);
		assert_int_equal(reply.t2_ns, script.times_ns[2 * seq - 1]);
	}
}

#define WITH_ENDS(test)	cmocka_unit_test_setup_teardown(test, set_up, tear_down)

#endif /* SERVER_H */
