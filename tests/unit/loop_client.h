/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A client and the other end of its socket, which holds all replies before
 * the loop starts, and all requests after.
 */
#ifndef LOOP_CLIENT_H
#define LOOP_CLIENT_H

#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "loop.h"
#include "measure/tw_client.h"
#include "measure/tw_wire.h"

#define SINK_MAX	1000

static struct {
	struct tw_cycle cycles[SINK_MAX];	/* warm-up first */
	size_t warm, recorded;
	size_t steady_calls, warm_at_steady, recorded_at_steady;
	size_t done_calls, recorded_at_done, stops_at_done;
} sink;

static inline void warm(void *to, const struct tw_cycle *cycle)
{
	assert_ptr_equal(to, &sink);
	assert_int_equal(sink.recorded, 0);
	assert_true(sink.warm < SINK_MAX);
	sink.cycles[sink.warm++] = *cycle;
}

static inline void record(void *to, const struct tw_cycle *cycle)
{
	assert_ptr_equal(to, &sink);
	assert_true(sink.warm + sink.recorded < SINK_MAX);
	sink.cycles[sink.warm + sink.recorded++] = *cycle;
}

static inline void steady(void *to)
{
	assert_ptr_equal(to, &sink);
	sink.steady_calls++;
	sink.warm_at_steady = sink.warm;
	sink.recorded_at_steady = sink.recorded;
}

static inline void done(void *to)
{
	assert_ptr_equal(to, &sink);
	sink.done_calls++;
	sink.recorded_at_done = sink.recorded;
	sink.stops_at_done = script_timer.stops;
}

static int ends[2];	/* the client's and its peer's */
static atomic_int stop;
static struct script_clock script;
static char request[TW_REQUEST_MAX];
static _Atomic uint32_t inversions;	/* as the server counts them */

/* For script_timer.during: sets the flag within wait() number stop_at. */
static size_t stop_at;

static inline void set_stop(size_t at)
{
	if (at == stop_at)
		atomic_store(&stop, 1);
}

static inline int set_up(void **state)
{
	(void)state;
	memset(&sink, 0, sizeof(sink));
	memset(request, '.', sizeof(request));
	script_timer_reset();
	atomic_store(&stop, 0);
	atomic_store(&inversions, 0);
	return socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
}

static inline int tear_down(void **state)
{
	(void)state;
	close(ends[1]);
	return close(ends[0]);
}

static inline struct tw_client new_client(uint64_t warmup, uint64_t loops)
{
	return (struct tw_client) {
		.fd = ends[0],
		.size = TW_REQUEST_MIN,
		.request = request,
		.inversions = &inversions,
		.clock = script_clock(&script, 1 + warmup + loops),
		.timer_ops = &script_timer_ops,
		.period_ns = GRID_PERIOD,
		.warmup = warmup,
		.loops = loops,
		.stop = &stop,
		.sink = &sink,
		.warm = warm,
		.record = record,
		.steady = steady,
	};
}

/* t1, t2 and CPU that the peer gives with reply @seq. */
static inline struct tw_reply reply_to(uint64_t seq)
{
	return (struct tw_reply) {
		.seq = seq, .t1_ns = (int64_t)(seq * 1000003),
		.t2_ns = -(int64_t)seq, .cpu = (int32_t)(seq * 3 - 7),
	};
}

static inline void load_reply(const struct tw_reply *reply, size_t len)
{
	char buf[TW_REPLY_SIZE];

	tw_wire_put_reply(buf, reply);
	assert_int_equal(send(ends[1], buf, len, 0), len);
}

static inline void load_replies(uint64_t first, uint64_t last)
{
	for (; first <= last; first++) {
		const struct tw_reply reply = reply_to(first);

		load_reply(&reply, TW_REPLY_SIZE);
	}
}

/* The peer has got these requests, in order, and not a byte more. */
static inline void assert_requests(uint64_t count, size_t size)
{
	static char buf[TW_REQUEST_MAX];
	uint64_t seq;
	int left;

	for (seq = 1; seq <= count; seq++) {
		assert_int_equal(recv(ends[1], buf, size, MSG_WAITALL), size);
		assert_int_equal(tw_wire_get_request(buf, size, size, seq),
				 0);
		assert_memory_equal(buf + TW_REQUEST_MIN,
				    request + TW_REQUEST_MIN,
				    size - TW_REQUEST_MIN);
	}
	assert_int_equal(ioctl(ends[1], FIONREAD, &left), 0);
	assert_int_equal(left, 0);
}

#define WITH_ENDS(test)	cmocka_unit_test_setup_teardown(test, set_up, tear_down)

#endif /* LOOP_CLIENT_H */
