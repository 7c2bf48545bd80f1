// SPDX-License-Identifier: GPL-2.0-or-later
/* The server over UDP: requests that come late, twice, or from strangers. */
#include "server.h"
#include "datagram.h"

static int set_up_udp(void **state)
{
	int its[2];

	(void)state;
	memset(&at_steady, 0, sizeof(at_steady));
	memset(&naps, 0, sizeof(naps));
	memset(&counts, 0, sizeof(counts));
	atomic_store(&stop, 0);
	if (open_udp(its))
		return -1;
	/* The server's comes first here. */
	ends[0] = its[1];
	ends[1] = its[0];
	limit_receive(ends[1], 20000);
	return 0;
}

static void count_steady(void *sink)
{
	assert_ptr_equal(sink, &script);
	at_steady.calls++;
	at_steady.replies = counts.server.taken;
}

static struct tw_server udp_server(uint64_t warmup)
{
	struct tw_server server = new_server(warmup);

	server.take = tw_datagram_take;
	server.datagrams = &counts;
	server.steady = count_steady;
	return server;
}

static void farewell(void)
{
	assert_int_equal(send(ends[1], NULL, 0, 0), 0);
}

/* The next reply is to @seq, or there is none (0). */
static void assert_next_reply(uint64_t seq)
{
	char buf[TW_REPLY_SIZE + 1];
	struct tw_reply reply;
	ssize_t len = recv(ends[1], buf, sizeof(buf), MSG_DONTWAIT);

	if (!seq) {
		assert_int_equal(len, -1);
		return;
	}
	assert_int_equal(len, TW_REPLY_SIZE);
	assert_int_equal(tw_wire_get_reply(buf, len, seq, &reply), 0);
	assert_true(reply.t1_ns >= 0 && reply.t2_ns >= 0);
}

static void run_server(uint64_t warmup)
{
	const struct tw_server server = udp_server(warmup);

	farewell();
	assert_int_equal(tw_server_run(&server), 0);
}

static void test_in_order(void **state)
{
	uint64_t seq;

	(void)state;
	load_requests(1, 9);
	run_server(3);
	for (seq = 1; seq <= 9; seq++)
		assert_next_reply(seq);
	assert_next_reply(0);
	assert_int_equal(counts.server.taken, 6);
	assert_int_equal(at_steady.calls, 1);
	assert_int_equal(at_steady.replies, 0);
}

/* By any way to wait, also the one that never blocks. */
static void test_waits(void **state)
{
	struct tw_server server = udp_server(0);
	int kind;

	(void)state;
	for (kind = 0; kind < KINDS; kind++) {
		memset(&counts, 0, sizeof(counts));
		server.wait_ops = tw_wait_kinds[kind];
		load_requests(1, 2);
		farewell();
		assert_int_equal(tw_server_run(&server), 0);
		assert_int_equal(counts.server.taken, 2);
		assert_next_reply(1);
		assert_next_reply(2);
	}
}

static void test_out_of_order(void **state)
{
	static const uint64_t requests[] = { 1, 2, 5, 4, 4, 5, 3, 7, 7, 2, 8 };
	static const uint64_t answered[] = { 1, 2, 5, 7, 8, 0 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(requests) / sizeof(requests[0]); i++)
		load_request(requests[i], TW_REQUEST_MIN);
	run_server(0);
	for (i = 0; i < sizeof(answered) / sizeof(answered[0]); i++)
		assert_next_reply(answered[i]);
	assert_int_equal(counts.server.taken, 5);
	/* 4 and 3; then 4, 5, 7 and 2 once more. */
	assert_int_equal(counts.server.reordered, 2);
	assert_int_equal(counts.server.duplicate, 4);
}

/* Its last request is lost: the next tells that it is over. */
static void test_end_of_warmup_is_lost(void **state)
{
	(void)state;
	load_requests(1, 3);
	load_requests(6, 8);
	run_server(5);
	assert_int_equal(at_steady.calls, 1);
	assert_int_equal(at_steady.replies, 1);
	assert_int_equal(counts.server.taken, 3);
}

static void test_warmup_is_not_counted(void **state)
{
	(void)state;
	load_requests(1, 4);
	load_request(4, TW_REQUEST_MIN);
	load_request(6, TW_REQUEST_MIN);
	load_request(5, TW_REQUEST_MIN);
	load_request(6, TW_REQUEST_MIN);
	load_request(7, TW_REQUEST_MIN);
	run_server(5);
	assert_int_equal(counts.server.taken, 2);
	assert_int_equal(counts.server.duplicate, 1);
	assert_int_equal(counts.server.reordered, 0);
}

static void test_strangers(void **state)
{
	(void)state;
	load_request(1, TW_REQUEST_MIN);
	load_request(2, TW_REQUEST_MIN + 1);
	load_request(2, TW_REQUEST_MIN - 1);
	load_request(2, 60000);
	load_request(2, TW_REQUEST_MIN);
	run_server(0);
	assert_next_reply(1);
	assert_next_reply(2);
	assert_next_reply(0);
	assert_int_equal(counts.server.strangers, 3);
	assert_int_equal(counts.server.taken, 2);
}

/* A datagram of the full size is one message. */
static void test_largest(void **state)
{
	struct tw_server server = udp_server(0);

	(void)state;
	server.size = TW_DATAGRAM_MAX;
	load_request(1, TW_DATAGRAM_MAX);
	farewell();
	assert_int_equal(tw_server_run(&server), 0);
	assert_next_reply(1);
	assert_int_equal(tw_transport_udp.size_max, TW_DATAGRAM_MAX);
	assert_int_equal(send(ends[1], request, TW_DATAGRAM_MAX + 1, 0), -1);
	assert_int_equal(errno, EMSGSIZE);
}

/* Without a farewell: its port tells. */
static void test_client_gone(void **state)
{
	const struct tw_server server = udp_server(0);

	(void)state;
	load_requests(1, 3);
	close(ends[1]);
	assert_int_equal(tw_server_run(&server), 0);
	assert_in_range(counts.server.taken, 1, 3);
	ends[1] = dup(ends[0]);
}

static void on_alarm(int number)
{
	(void)number;
	atomic_store(&stop, 1);
}

static void test_stop(void **state)
{
	const struct itimerval soon = {
		.it_value.tv_usec = 20000, .it_interval.tv_usec = 20000,
	};
	const struct itimerval never = { .it_value.tv_usec = 0 };
	struct sigaction action = { .sa_handler = on_alarm };
	const struct tw_server server = udp_server(0);

	(void)state;
	load_requests(1, 3);
	assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &soon, NULL), 0);
	assert_int_equal(tw_server_run(&server), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
	assert_int_equal(counts.server.taken, 3);
}

#define WITH_UDP(test) \
	cmocka_unit_test_setup_teardown(test, set_up_udp, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_UDP(test_in_order),
		WITH_UDP(test_waits),
		WITH_UDP(test_out_of_order),
		WITH_UDP(test_end_of_warmup_is_lost),
		WITH_UDP(test_warmup_is_not_counted),
		WITH_UDP(test_strangers),
		WITH_UDP(test_largest),
		WITH_UDP(test_client_gone),
		WITH_UDP(test_stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
