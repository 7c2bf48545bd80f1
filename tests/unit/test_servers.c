// SPDX-License-Identifier: GPL-2.0-or-later
/* One server for many clients: its replies, its ends, and what it refuses. */
#include "servers.h"

#define ORDERS	3

/* One request of each in every round, so many rounds; then all go. */
static size_t rounds;

static void send_round(size_t at)
{
	int i;

	(void)at;
	if (!all_answered())
		return;
	for (i = 0; i < CLIENTS; i++)
		if (rounds)
			send_request(i);
		else
			go(i);
	rounds -= rounds > 0;
}

static void check_rounds(const struct tw_order_ops *order, uint64_t warmup,
			 size_t count)
{
	void *none = NULL;
	uint64_t seq;
	int i;

	rounds = count;
	world.before_wait = send_round;
	assert_int_equal(serve_by(order, warmup), 0);
	assert_int_equal(world.naps, CLIENTS * count);
	for (i = 0; i < CLIENTS; i++) {
		/* Not for what is not over, once for what is. */
		assert_int_equal(client[i].steady, count >= warmup);
		assert_int_equal(client[i].replies_at_steady,
				 count >= warmup ? warmup : 0);
		assert_int_equal(replies_of(i), count);
		for (seq = 1; seq <= count; seq++)
			read_reply(i, seq);
		assert_int_equal(served[i].fd, -1);
	}
	tear_down(&none);
	set_up(&none);
}

static void test_warmup(void **state)
{
	int order;

	(void)state;
	for (order = 0; order < ORDERS; order++) {
		check_rounds(tw_order_kinds[order], 0, 5);
		check_rounds(tw_order_kinds[order], 1, 5);
		check_rounds(tw_order_kinds[order], 3, 5);
		check_rounds(tw_order_kinds[order], 5, 5);
		check_rounds(tw_order_kinds[order], 6, 5);
		check_rounds(tw_order_kinds[order], 0, 0);
		check_rounds(tw_order_kinds[order], 2, 0);
	}
}

static size_t steady_before_wait;

static void count_steady(size_t at)
{
	int i;

	for (i = 0; !at && i < CLIENTS; i++)
		steady_before_wait += client[i].steady;
	send_round(at);
}

/* Without a warm-up, before the first request of all. */
static void test_no_warmup(void **state)
{
	(void)state;
	rounds = 1;
	steady_before_wait = 0;
	world.before_wait = count_steady;
	assert_int_equal(serve_by(tw_order_kinds[0], 0), 0);
	assert_int_equal(steady_before_wait, CLIENTS);
}

/* A request whose rest comes when its beginning has been read. */
static void test_partial(void **state)
{
	int order;

	(void)state;
	for (order = 0; order < ORDERS; order++) {
		world.trickle = true;
		check_rounds(tw_order_kinds[order], 1, 3);
	}
}

/* Client 2 does it, when all have had a reply. */
static const char *wrong;
static size_t wrong_size;

static void do_wrong(size_t at)
{
	int i;

	for (i = 0; !at && i < CLIENTS; i++)
		send_request(i);
	if (!all_answered() || !wrong)
		return;
	send_bytes(2, wrong, wrong_size);
	go(2);
	wrong = NULL;
}

static void check_wrong(const char *what, size_t size, int want)
{
	void *none = NULL;
	int order, i;

	for (order = 0; order < ORDERS; order++) {
		wrong = what;
		wrong_size = size;
		world.before_wait = do_wrong;
		assert_int_equal(serve_by(tw_order_kinds[order], 0), want);
		for (i = 0; i < CLIENTS; i++)
			assert_int_equal(replies_of(i), 1);
		/* What was not answered passed nobody by. */
		assert_int_equal(counts[2], 1);
		tear_down(&none);
		set_up(&none);
	}
}

static void test_wrong(void **state)
{
	char buf[TW_REQUEST_MIN];
	uint64_t seq;

	(void)state;
	for (seq = 0; seq < 5; seq++) {
		tw_wire_put_request(buf, seq);
		if (seq != 2)
			check_wrong(buf, sizeof(buf), -EPROTO);
	}
	tw_wire_put_request(buf, 2);
	check_wrong(buf, sizeof(buf) - 1, -EMSGSIZE);
	check_wrong(buf, 1, -EMSGSIZE);
}

static void interrupt_then_send(size_t at)
{
	if (at % 2)
		send_round(at);
	else
		world.wait_err = EINTR;
}

/* A signal that is no stop: clients still have a reply to come. */
static void test_interrupted(void **state)
{
	int order, i;

	for (order = 0; order < ORDERS; order++) {
		rounds = 3;
		world.before_wait = interrupt_then_send;
		assert_int_equal(serve_by(tw_order_kinds[order], 0), 0);
		for (i = 0; i < CLIENTS; i++)
			assert_int_equal(replies_of(i), 3);
		tear_down(state);
		set_up(state);
	}
}

static void stop_at_third(size_t at)
{
	send_round(at);
	if (world.naps < 2 * CLIENTS || !all_answered())
		return;
	atomic_store(&stop, 1);
	world.wait_err = EINTR;
}

static void test_stopped_waiting(void **state)
{
	int order, i;

	for (order = 0; order < ORDERS; order++) {
		rounds = 2;
		world.before_wait = stop_at_third;
		assert_int_equal(serve_by(tw_order_kinds[order], 0), 0);
		for (i = 0; i < CLIENTS; i++) {
			assert_int_equal(replies_of(i), 2);
			assert_int_not_equal(served[i].fd, -1);
		}
		tear_down(state);
		set_up(state);
	}
}

static void interrupt_receiving(size_t at)
{
	if (at == 2)
		world.receive_err = EINTR;
}

/* A signal in a receive: the request is read after it, or not with a stop. */
static void test_interrupted_receiving(void **state)
{
	int i, stopped;

	for (stopped = 0; stopped < 2; stopped++) {
		rounds = 2;
		world.before_wait = send_round;
		world.during_nap = interrupt_receiving;
		atomic_store(&stop, stopped);
		assert_int_equal(serve_by(tw_order_kinds[0], 0), 0);
		assert_int_equal(world.naps, stopped ? 3 : 2 * CLIENTS);
		for (i = 0; i < CLIENTS; i++)
			assert_int_equal(replies_of(i), stopped ? i < 3 : 2);
		tear_down(state);
		set_up(state);
	}
}

static void reset(size_t at)
{
	if (at == 1)
		world.receive_err = ECONNRESET;
}

/* Killed, with bytes on the way: the same as gone, for TCP. */
static void test_connection_reset(void **state)
{
	int i;

	(void)state;
	rounds = 2;
	world.before_wait = send_round;
	world.during_nap = reset;
	assert_int_equal(serve_by(tw_order_kinds[0], 0), 0);
	assert_int_equal(served[2].fd, -1);
	for (i = 0; i < CLIENTS; i++)
		assert_int_equal(replies_of(i), i == 2 ? 0 : 2);
}

static void fail_waiting(size_t at)
{
	send_round(at);
	if (at == 2)
		world.wait_err = EBADF;
}

static void test_wait_fails(void **state)
{
	int order;

	for (order = 0; order < ORDERS; order++) {
		rounds = 100;
		world.before_wait = fail_waiting;
		assert_int_equal(serve_by(tw_order_kinds[order], 0), -EBADF);
		assert_int_equal(world.waits, 3);
		tear_down(state);
		set_up(state);
	}
}

/* Client 1 does not read its reply, but closes: no SIGPIPE. */
static void vanish(size_t at)
{
	if (at == 1)
		assert_int_equal(shutdown(client[1].fd, SHUT_RDWR), 0);
}

static void test_reply_unread(void **state)
{
	(void)state;
	rounds = 2;
	world.before_wait = send_round;
	world.during_nap = vanish;
	assert_int_equal(serve_by(tw_order_kinds[0], 0), -EPIPE);
	assert_int_equal(world.naps, 2);
	/* Client 0 was passed by nobody: that reply was none. */
	assert_int_equal(counts[0], 0);

	tear_down(state);
	set_up(state);
	rounds = 2;
	world.before_wait = send_round;
	world.during_nap = vanish;
	atomic_store(&stop, 1);
	assert_int_equal(serve_by(tw_order_kinds[0], 0), 0);
	assert_int_equal(world.naps, 2);
}

/* What cannot be watched: nothing is left open. */
static void test_cannot_open(void **state)
{
	int fd = served[3].fd;

	(void)state;
	served[3].fd = -1;
	assert_int_equal(serve_by(tw_order_kinds[1], 1), -EBADF);
	assert_int_equal(world.waits, 0);
	served[3].fd = server_fds[3] = fd;
}

/* The count goes on from where it is, and around. */
static void test_count_wraps(void **state)
{
	static const uint32_t want[] = { UINT32_MAX, 2, 5 };
	uint64_t seq;

	(void)state;
	atomic_store(&counts[0], UINT32_MAX);
	rounds = 3;
	world.before_wait = send_round;
	assert_int_equal(serve_by(tw_order_kinds[0], 0), 0);
	for (seq = 1; seq <= 3; seq++)
		assert_int_equal(read_reply(0, seq).inversions,
				 want[seq - 1]);
	assert_int_equal(counts[0], 8);
	assert_int_equal(counts[2], 3);
	assert_int_equal(counts[3], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_CLIENTS(test_warmup),
		WITH_CLIENTS(test_no_warmup),
		WITH_CLIENTS(test_partial),
		WITH_CLIENTS(test_wrong),
		WITH_CLIENTS(test_interrupted),
		WITH_CLIENTS(test_stopped_waiting),
		WITH_CLIENTS(test_interrupted_receiving),
		WITH_CLIENTS(test_connection_reset),
		WITH_CLIENTS(test_wait_fails),
		WITH_CLIENTS(test_reply_unread),
		WITH_CLIENTS(test_cannot_open),
		WITH_CLIENTS(test_count_wraps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
