// SPDX-License-Identifier: GPL-2.0-or-later
/* The kernel's timestamps: what it says, and how sockets are asked for them. */
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "ends.h"
#include "measure/tw_stamps_cost.h"
#include "measure/tw_transport_kinds.h"
#include "stamps.h"

#define SOME_NS	INT64_C(1767225600123456789)

static void test_rx(void **state)
{
	struct made made;

	(void)state;
	made_rx(&made, SOME_NS);
	assert_int_equal(tw_stamps_get(&made.msg), SOME_NS);
	made_rx(&made, 1);
	assert_int_equal(tw_stamps_get(&made.msg), 1);
	made_rx(&made, TW_NS_PER_S);
	assert_int_equal(tw_stamps_get(&made.msg), TW_NS_PER_S);
}

/* Zero is how the kernel says that it has none. */
static void test_no_rx(void **state)
{
	struct made made;

	(void)state;
	made_clear(&made);
	assert_int_equal(tw_stamps_get(&made.msg), TW_STAMP_NONE);
	made_rx(&made, 0);
	assert_int_equal(tw_stamps_get(&made.msg), TW_STAMP_NONE);
}

/* Behind others, of the same type but another level, or too short. */
static void test_rx_among_others(void **state)
{
	const char other[sizeof(struct scm_timestamping)] = "other";
	struct made made;

	(void)state;
	made_clear(&made);
	made_add(&made, SOL_IP, SCM_TIMESTAMPING, other, sizeof(other));
	made_add(&made, SOL_SOCKET, SCM_TIMESTAMPNS, other, sizeof(other));
	made_add(&made, SOL_SOCKET, SCM_TIMESTAMPING, other,
		 sizeof(other) - 8);
	assert_int_equal(tw_stamps_get(&made.msg), TW_STAMP_NONE);
	made_add_stamp(&made, SOME_NS);
	assert_int_equal(tw_stamps_get(&made.msg), SOME_NS);
}

static void test_tx(void **state)
{
	struct tw_stamps_out out = { 7, TW_STAMP_NONE, TW_STAMP_NONE };
	struct made made;

	(void)state;
	made_tx(&made, SCM_TSTAMP_SCHED, 7, SOME_NS);
	assert_true(tw_stamps_put(&out, &made.msg));
	assert_int_equal(out.sched_ns, SOME_NS);
	assert_int_equal(out.snd_ns, TW_STAMP_NONE);
	made_tx(&made, SCM_TSTAMP_SND, 7, SOME_NS + 5);
	assert_true(tw_stamps_put(&out, &made.msg));
	assert_int_equal(out.sched_ns, SOME_NS);
	assert_int_equal(out.snd_ns, SOME_NS + 5);
}

/* Either may come first, and the stamp before or behind what it is about. */
static void test_tx_order(void **state)
{
	struct tw_stamps_out out = { UINT32_MAX, 0, 0 };
	struct made made;

	(void)state;
	made_clear(&made);
	made_add_about(&made, true, SO_EE_ORIGIN_TIMESTAMPING, SCM_TSTAMP_SND,
		       UINT32_MAX);
	made_add_stamp(&made, 3);
	assert_true(tw_stamps_put(&out, &made.msg));
	made_tx(&made, SCM_TSTAMP_SCHED, UINT32_MAX, 2);
	assert_true(tw_stamps_put(&out, &made.msg));
	assert_int_equal(out.snd_ns, 3);
	assert_int_equal(out.sched_ns, 2);
}

static void ignored(const struct made *made)
{
	struct tw_stamps_out out = { 7, 1, 2 };

	assert_false(tw_stamps_put(&out, &made->msg));
	assert_int_equal(out.sched_ns, 1);
	assert_int_equal(out.snd_ns, 2);
}

/* Of another message, another kind, another origin, or about nothing. */
static void test_tx_of_others(void **state)
{
	struct made made;

	(void)state;
	made_tx(&made, SCM_TSTAMP_SND, 6, SOME_NS);
	ignored(&made);
	made_tx(&made, SCM_TSTAMP_SCHED, 8, SOME_NS);
	ignored(&made);
	made_tx(&made, SCM_TSTAMP_ACK, 7, SOME_NS);
	ignored(&made);
	made_rx(&made, SOME_NS);
	ignored(&made);
	made_add_about(&made, false, SO_EE_ORIGIN_ICMP, SCM_TSTAMP_SND, 7);
	ignored(&made);
	made_clear(&made);
	ignored(&made);
}

static struct tw_link stamped_link(const struct tw_transport_ops *ops,
				   enum tw_stamps_mode mode)
{
	struct tw_link link = link_as(ops);

	assert_int_equal(tw_stamps_enable(link.client_fd, mode), 0);
	assert_int_equal(tw_stamps_enable(link.server_fd, mode), 0);
	return link;
}

/* After a while all have been switched on. */
static void settle(const struct tw_link *link, uint32_t *id)
{
	int i, said, heard;

	for (i = 0; i < 50; i++) {
		said = tw_stamps_say(link->client_fd, TW_STAMPS_ALL, id);
		heard = tw_stamps_hear(link->server_fd, TW_STAMPS_ALL);
		if (said == BOTH_TX && heard == TW_STAMPS_HAS_RX)
			return;
		assert_true(said >= 0 && heard >= 0);
		usleep(10000);
	}
	fail_msg("not all stamps: %d, %d", said, heard);
}

static void check_say_and_hear(const struct tw_transport_ops *ops,
			       uint32_t step)
{
	struct tw_link link;
	uint32_t id, next, i;

	need_stamps();
	link = stamped_link(ops, TW_STAMPS_ALL);
	settle(&link, &id);
	for (i = 1; i <= 3; i++) {
		assert_int_equal(tw_stamps_say(link.client_fd, TW_STAMPS_ALL,
					       &next), BOTH_TX);
		assert_int_equal(next, id + i * step);
		assert_int_equal(tw_stamps_hear(link.server_fd, TW_STAMPS_ALL),
				 TW_STAMPS_HAS_RX);
	}
	/* The other end counts for itself. */
	assert_int_equal(tw_stamps_say(link.server_fd, TW_STAMPS_ALL, &next),
			 BOTH_TX);
	assert_int_equal(next, step - 1);
	close_ends(&link);
}

/* TCP counts bytes: 8 are said. */
static void test_tcp(void **state)
{
	(void)state;
	check_say_and_hear(&tw_transport_tcp, 8);
}

static void test_udp(void **state)
{
	(void)state;
	check_say_and_hear(&tw_transport_udp, 1);
}

static void test_rx_alone(void **state)
{
	struct pollfd ready = { .events = 0 };
	struct tw_link link;
	uint32_t id = 5;
	int i, heard = 0;

	(void)state;
	need_stamps();
	link = stamped_link(&tw_transport_udp, TW_STAMPS_RX);
	ready.fd = link.client_fd;
	for (i = 0; i < 50 && heard != TW_STAMPS_HAS_RX; i++) {
		usleep(i * 1000);
		assert_int_equal(tw_stamps_say(link.client_fd, TW_STAMPS_RX,
					       &id), 0);
		heard = tw_stamps_hear(link.server_fd, TW_STAMPS_RX);
	}
	assert_int_equal(heard, TW_STAMPS_HAS_RX);
	assert_int_equal(id, 5);
	/* Nothing has come into the error queue. */
	assert_int_equal(poll(&ready, 1, 0), 0);
	close_ends(&link);
}

/* They take the option, and give none. */
static void test_unix(void **state)
{
	struct tw_link link;
	uint32_t id;

	(void)state;
	need_stamps();
	link = stamped_link(&tw_transport_unix, TW_STAMPS_ALL);
	assert_int_equal(tw_stamps_say(link.client_fd, TW_STAMPS_ALL, &id), 0);
	assert_int_equal(tw_stamps_hear(link.server_fd, TW_STAMPS_ALL), 0);
	close_ends(&link);
}

static void test_off(void **state)
{
	struct tw_link link = link_as(&tw_transport_tcp);
	uint32_t id;

	(void)state;
	assert_int_equal(tw_stamps_enable(-1, TW_STAMPS_OFF), 0);
	assert_int_equal(tw_stamps_say(link.client_fd, TW_STAMPS_OFF, &id), 0);
	assert_int_equal(tw_stamps_hear(link.server_fd, TW_STAMPS_OFF), 0);
	close_ends(&link);
}

/* Late ones of others are thrown away, and the queue is empty afterwards. */
static void test_collect(void **state)
{
	struct pollfd ready = { .events = 0 };
	struct tw_stamps_out out;
	struct tw_link link;
	uint32_t id;
	int i;

	(void)state;
	need_stamps();
	link = stamped_link(&tw_transport_udp, TW_STAMPS_ALL);
	ready.fd = link.client_fd;
	settle(&link, &id);
	for (i = 0; i < 5; i++)
		assert_int_equal(send(link.client_fd, "x", 1, 0), 1);
	out.id = id + 4;
	assert_int_equal(poll(&ready, 1, 1000), 1);
	assert_true(ready.revents & POLLERR);
	tw_stamps_collect(link.client_fd, &out);
	assert_true(out.sched_ns > INT64_C(1000000000000000000));
	assert_true(out.snd_ns >= out.sched_ns);
	assert_true(out.snd_ns < out.sched_ns + 10 * TW_NS_PER_S);
	assert_int_equal(poll(&ready, 1, 0), 0);
	/* There is nothing of the next message. */
	out.id++;
	tw_stamps_collect(link.client_fd, &out);
	assert_int_equal(out.sched_ns, TW_STAMP_NONE);
	assert_int_equal(out.snd_ns, TW_STAMP_NONE);
	close_ends(&link);
}

/* The next message has the first number again, and nothing is left. */
static void check_begin(const struct tw_transport_ops *ops, uint32_t step)
{
	struct pollfd ready = { .events = 0 };
	struct tw_stamps_out out;
	struct tw_link link;
	uint32_t id;
	int i;

	need_stamps();
	link = stamped_link(ops, TW_STAMPS_ALL);
	settle(&link, &id);
	for (i = 0; i < 2; i++) {
		assert_int_equal(send(link.client_fd, "12345678", 8, 0), 8);
		assert_int_equal(tw_stamps_begin(link.client_fd, &out.id), 0);
		ready.fd = link.client_fd;
		assert_int_equal(poll(&ready, 1, 0), 0);
		assert_int_equal(out.id, UINT32_MAX);
		assert_int_equal(send(link.client_fd, "12345678", 8, 0), 8);
		out.id += step;
		tw_stamps_collect(link.client_fd, &out);
		assert_true(out.sched_ns != TW_STAMP_NONE);
		assert_true(out.snd_ns != TW_STAMP_NONE);
	}
	close_ends(&link);
}

static void test_begin(void **state)
{
	(void)state;
	check_begin(&tw_transport_tcp, 8);
	check_begin(&tw_transport_udp, 1);
}

/* Without numbers there is nothing to begin, nor an error. */
static void test_begin_without(void **state)
{
	uint32_t id = 5;

	(void)state;
	assert_int_equal(tw_stamps_begin(-1, &id), 0);
	assert_int_equal(id, UINT32_MAX);
}

static void test_receive(void **state)
{
	struct tw_link link = link_as(&tw_transport_tcp);
	struct tw_stamps_in in;
	atomic_int stop = 0;
	char buf[8];

	(void)state;
	assert_int_equal(send(link.client_fd, "abcdefghij", 10, 0), 10);
	assert_int_equal(tw_stamps_receive(link.server_fd, buf, 8, &stop, &in),
			 8);
	assert_memory_equal(buf, "abcdefgh", 8);
	/* The end comes before all are there. */
	shutdown(link.client_fd, SHUT_WR);
	assert_int_equal(tw_stamps_receive(link.server_fd, buf, 8, &stop, &in),
			 2);
	assert_memory_equal(buf, "ij", 2);
	assert_int_equal(tw_stamps_receive(link.server_fd, buf, 8, &stop, &in),
			 0);
	assert_int_equal(tw_stamps_receive(-1, buf, 8, &stop, &in), -EBADF);
	atomic_store(&stop, 1);
	assert_int_equal(tw_stamps_receive(-1, buf, 8, &stop, &in),
			 -ECANCELED);
	close_ends(&link);
}

/* Any clock will do, also one that is set back in between. */
static int64_t read_odd(const struct tw_clock *clock)
{
	static int64_t times_ns[] = { 1000, 1007, 1000, 400 };
	static int reads;

	(void)clock;
	return times_ns[reads++ % 4];
}

static void check_cost(const struct tw_transport_ops *ops)
{
	const struct tw_clock clock = { .read_ns = read_odd };
	struct tw_link link = link_as(ops);
	struct tw_stamped_row row = { .count = 0 };
	struct pollfd ready[] = {
		{ .fd = link.client_fd, .events = POLLIN },
		{ .fd = link.server_fd, .events = POLLIN },
	};

	if (!lacks_stamps())
		assert_int_equal(tw_stamps_enable(link.client_fd,
						  TW_STAMPS_ALL), 0);
	assert_int_equal(tw_stamps_cost(&link, &clock, &row), 0);
	assert_int_equal(row.count, 200);
	assert_int_equal(row.min_ns, 0);
	assert_int_equal(row.max_ns, 7);
	assert_int_equal(row.sum_ns, 100 * 7);
	/* Nothing is left of it, nor in the error queues. */
	assert_int_equal(poll(ready, 2, 0), 0);
	close_ends(&link);
}

static void test_cost(void **state)
{
	(void)state;
	check_cost(&tw_transport_tcp);
	check_cost(&tw_transport_udp);
}

static void test_cost_fails(void **state)
{
	const struct tw_clock clock = { .read_ns = read_odd };
	struct tw_link link = link_as(&tw_transport_tcp);
	struct tw_stamped_row row = { .count = 0 };

	(void)state;
	shutdown(link.server_fd, SHUT_WR);
	assert_int_equal(tw_stamps_cost(&link, &clock, &row), -EPIPE);
	/* What comes is not what was sent, or nothing comes. */
	assert_int_equal(send(link.client_fd, "odd", 3, 0), 3);
	close(link.server_fd);
	assert_true(tw_stamps_cost(&link, &clock, &row) < 0);
	assert_int_equal(row.count, 0);
	close(link.client_fd);
}

static void test_errors(void **state)
{
	struct tw_link link = link_as(&tw_transport_udp);
	uint32_t id;
	int err;

	(void)state;
	err = tw_stamps_enable(-1, TW_STAMPS_RX);
	/* An emulator may not know the option, whatever the descriptor. */
	assert_true(err == -EBADF || err == -ENOPROTOOPT);
	assert_int_equal(tw_stamps_say(-1, TW_STAMPS_ALL, &id), -EBADF);
	/* Nobody says anything; then not the whole of it. */
	assert_int_equal(tw_stamps_hear(link.server_fd, TW_STAMPS_RX),
			 -ETIMEDOUT);
	assert_int_equal(send(link.client_fd, "abc", 3, 0), 3);
	assert_int_equal(tw_stamps_hear(link.server_fd, TW_STAMPS_RX),
			 -EPROTO);
	close_ends(&link);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rx),
		cmocka_unit_test(test_no_rx),
		cmocka_unit_test(test_rx_among_others),
		cmocka_unit_test(test_tx),
		cmocka_unit_test(test_tx_order),
		cmocka_unit_test(test_tx_of_others),
		cmocka_unit_test(test_tcp),
		cmocka_unit_test(test_udp),
		cmocka_unit_test(test_rx_alone),
		cmocka_unit_test(test_unix),
		cmocka_unit_test(test_off),
		cmocka_unit_test(test_collect),
		cmocka_unit_test(test_begin),
		cmocka_unit_test(test_begin_without),
		cmocka_unit_test(test_receive),
		cmocka_unit_test(test_cost),
		cmocka_unit_test(test_cost_fails),
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
