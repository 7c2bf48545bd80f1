// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The two loops with stamps, each against replies or requests that are there
 * before it starts. The sockets are not asked for stamps: all are missing.
 */
#include <poll.h>
#include <pthread.h>

#include "base/tw_time.h"
#include "loop_client.h"
#include "datagram.h"
#include "measure/tw_stamped.h"
#include "stamps.h"

#define LOOPS	6

static _Alignas(TW_CACHE_LINE) struct tw_stamps stamps;
static struct tw_stamped slots[2 * LOOPS];
static atomic_int late_stop;

static int reset(size_t request)
{
	struct tw_clock *clock = script_clock(&script, 3);

	memset(&sink, 0, sizeof(sink));
	memset(&stamps, 0, sizeof(stamps));
	memset(&counts, 0, sizeof(counts));
	memset(slots, 0, sizeof(slots));
	tw_stamped_init(&stamps, TW_STAMPS_ALL, request);
	stamps.slot = slots;
	stamps.slots = 8;
	script_timer_reset();
	atomic_store(&stop, 0);
	clock->clockid = CLOCK_REALTIME;	/* nothing to convert */
	return 0;
}

static int set_up_stream(void **state)
{
	struct tw_transport transport;
	struct tw_link link;
	uint64_t strangers = 0;
	int listener;

	(void)state;
	reset(TW_REQUEST_MIN);
	tw_transport_init(&transport);
	if (tw_transport_listen(&transport, 0, &listener) ||
	    tw_transport_link(&transport, listener, &link, &strangers))
		return -1;
	ends[0] = link.client_fd;
	ends[1] = link.server_fd;
	return close(listener);
}

static int set_up_datagrams(void **state)
{
	(void)state;
	reset(0);
	counts.timeout_ns = INT64_MAX;
	return open_udp(ends);
}

static struct tw_client stamped_client(uint64_t warmup, uint64_t loops)
{
	struct tw_client client = new_client(warmup, loops);

	client.stamps = &stamps;
	return client;
}

/* Reply @seq has the server's stamps of the cycle before. */
static void load_stamped(uint64_t seq)
{
	const int64_t ns = (int64_t)seq * 1000;
	const struct tw_reply reply = reply_to(seq);
	const struct tw_reply_stamps server = {
		(uint32_t)(seq - 1), ns + 1, ns + 2, ns + 3,
	};
	char buf[TW_STAMPED_SIZE];

	tw_wire_put_stamped(buf, &reply, &server);
	assert_int_equal(send(ends[1], buf, sizeof(buf), 0), sizeof(buf));
}

/* The cycles are what they are without stamps. */
static void check_cycles(uint64_t first, uint64_t last)
{
	uint64_t seq;

	for (seq = first; seq <= last; seq++) {
		const struct tw_cycle *cycle = &sink.cycles[seq - 1];
		const struct tw_reply sent = reply_to(seq);

		assert_int_equal(cycle->seq, seq);
		assert_int_equal(cycle->t1_ns, sent.t1_ns);
		assert_int_equal(cycle->t2_ns, sent.t2_ns);
		assert_int_equal(cycle->server_cpu, sent.cpu);
		assert_int_equal(cycle->inversions, 0);
	}
}

/* And what the server has sent is with the cycle that it is of. */
static void check_slots(uint64_t first, uint64_t last)
{
	struct tw_stamped found;
	uint64_t seq;

	for (seq = first; seq <= last; seq++) {
		const struct tw_cycle *cycle = &sink.cycles[seq - 1];
		const int64_t ns = (int64_t)(seq + 1) * 1000;

		tw_stamped_find(&stamps, seq, &found);
		assert_int_equal(found.seq, seq);
		assert_int_equal(found.t0_ns, cycle->t0_ns);
		assert_int_equal(found.t3_ns, cycle->t3_ns);
		assert_int_equal(found.t1_ns, cycle->t1_ns);
		assert_int_equal(found.t2_ns, cycle->t2_ns);
		assert_int_equal(found.at_ns[TW_SERVER_RX], ns + 1);
		assert_int_equal(found.at_ns[TW_SERVER_SCHED], ns + 2);
		assert_int_equal(found.at_ns[TW_SERVER_SND], ns + 3);
	}
}

static void test_client_stream(void **state)
{
	const struct tw_client client = stamped_client(2, LOOPS - 2);
	uint64_t seq;

	(void)state;
	for (seq = 1; seq <= LOOPS; seq++)
		load_stamped(seq);
	assert_int_equal(tw_stamped_client_run(&client), 0);
	assert_int_equal(sink.recorded, LOOPS - 2);
	check_cycles(1, LOOPS);
	check_slots(1, LOOPS - 1);
	assert_int_equal(stamps.client.out.id,
			 LOOPS * TW_REQUEST_MIN - 1);
	assert_int_equal(stamps.client.sum.left_out, LOOPS - 3);
	assert_int_equal(stamps.client.sum.missing[TW_CLIENT_RX], LOOPS - 3);
	assert_int_equal(stamps.client.sum.missing[TW_SERVER_RX], 0);
	assert_requests(LOOPS, TW_REQUEST_MIN);
}

/* A reply without stamps is no reply then. */
static void test_client_plain_reply(void **state)
{
	const struct tw_client client = stamped_client(0, 1);

	(void)state;
	load_replies(1, 1);
	shutdown(ends[1], SHUT_WR);
	assert_int_equal(tw_stamped_client_run(&client), -EMSGSIZE);
	assert_int_equal(sink.recorded, 0);
}

static void test_client_server_gone(void **state)
{
	const struct tw_client client = stamped_client(0, 1);

	(void)state;
	shutdown(ends[1], SHUT_WR);
	assert_int_equal(tw_stamped_client_run(&client), -ECONNRESET);
}

static void lose(void *to, const struct tw_cycle *cycle)
{
	assert_ptr_equal(to, &sink);
	assert_true(tw_cycle_is_lost(cycle));
	sink.done_calls++;
}

/* Number 4 is lost: what the server says of 3 is not known either. */
static void test_client_datagrams(void **state)
{
	struct tw_client client = stamped_client(0, LOOPS);
	uint64_t seq;

	(void)state;
	memset(script.times_ns, 0, sizeof(script.times_ns));
	limit_receive(ends[0], 1);
	client.receive = tw_datagram_receive_stamped;
	client.lose = lose;
	client.datagrams = &counts;
	client.loops = 3;
	for (seq = 1; seq <= 3; seq++)
		load_stamped(seq);
	assert_int_equal(tw_stamped_client_run(&client), 0);
	check_cycles(1, 3);
	check_slots(1, 2);
	assert_int_equal(stamps.client.out.id, 2);
	assert_int_equal(stamps.client.sum.left_out, 2);
	/* On with the same state, and a reply that is of no cycle. */
	client.loops = 1;
	load_replies(1, 1);
	assert_int_equal(tw_stamped_client_run(&client), 0);
	assert_int_equal(sink.done_calls, 1);
	assert_int_equal(counts.client.strangers, 1);
	assert_int_equal(stamps.client.out.id, 0);
	assert_int_equal(stamps.client.sum.left_out, 3);
	assert_int_equal(stamps.client.sum.missing[TW_SERVER_RX], 1);
	assert_int_equal(stamps.client.pending.seq, 0);
}

static struct tw_server stamped_server(void)
{
	return (struct tw_server) {
		.fd = ends[0], .size = TW_REQUEST_MIN, .request = request,
		.clock = &script.clock, .wait_ops = tw_wait_kinds[0],
		.warmup = UINT64_MAX, .stop = &late_stop,
		.stamps = &stamps, .sink = &sink, .steady = steady,
	};
}

static void load_request(uint64_t seq)
{
	char buf[TW_REQUEST_MIN];

	tw_wire_put_request(buf, seq);
	assert_int_equal(send(ends[1], buf, sizeof(buf), 0), sizeof(buf));
}

/* Each has the number of the one before; the first has none. */
static void check_replies(uint64_t count, bool no_stamps)
{
	struct tw_reply_stamps got;
	struct tw_reply reply;
	char buf[TW_STAMPED_SIZE];
	uint64_t seq;

	for (seq = 1; seq <= count; seq++) {
		assert_int_equal(recv(ends[1], buf, sizeof(buf), 0),
				 TW_STAMPED_SIZE);
		assert_int_equal(tw_wire_get_stamped(buf, sizeof(buf), seq,
						     &reply, &got), 0);
		assert_int_equal(reply.t1_ns, script.times_ns[2 * seq - 2]);
		assert_int_equal(reply.t2_ns, script.times_ns[2 * seq - 1]);
		assert_int_equal(got.of, seq - 1);
		if (seq == 1 || !no_stamps)
			continue;
		assert_int_equal(got.rx_ns, TW_STAMP_NONE);
		assert_int_equal(got.sched_ns, TW_STAMP_NONE);
		assert_int_equal(got.snd_ns, TW_STAMP_NONE);
	}
	assert_int_equal(recv(ends[1], buf, sizeof(buf), MSG_DONTWAIT) <= 0,
			 1);
}

static void test_server_stream(void **state)
{
	const struct tw_server server = stamped_server();
	uint64_t seq;

	(void)state;
	for (seq = 1; seq <= LOOPS; seq++)
		load_request(seq);
	shutdown(ends[1], SHUT_WR);
	assert_int_equal(tw_stamped_server_run(&server), 0);
	check_replies(LOOPS, true);
	assert_int_equal(stamps.server.out.id,
			 LOOPS * TW_STAMPED_SIZE - 1);
}

static void test_server_wrong_request(void **state)
{
	const struct tw_server server = stamped_server();

	(void)state;
	load_request(1);
	load_request(3);
	assert_int_equal(tw_stamped_server_run(&server), -EPROTO);
	check_replies(1, true);
}

static void test_server_datagrams(void **state)
{
	struct tw_server server = stamped_server();
	uint64_t seq;

	(void)state;
	server.take = tw_datagram_take_stamped;
	server.datagrams = &counts;
	for (seq = 1; seq <= LOOPS; seq++)
		load_request(seq);
	assert_int_equal(send(ends[1], NULL, 0, 0), 0);
	assert_int_equal(tw_stamped_server_run(&server), 0);
	check_replies(LOOPS, true);
	assert_int_equal(stamps.server.out.id, LOOPS - 1);
}

static int waits, waits_with_errors;

static void look_and_wait(struct tw_wait *wait)
{
	struct pollfd ready = { .fd = wait->fd };

	waits++;
	waits_with_errors += poll(&ready, 1, 0) != 0;
}

/* Whatever is in the error queue, a wait for requests would not wait. */
static void check_drained(struct tw_server *server)
{
	struct tw_wait_ops looking = *tw_wait_kinds[0];
	uint64_t seq;

	looking.wait = look_and_wait;
	server->wait_ops = &looking;
	waits = 0;
	waits_with_errors = 0;
	need_stamps();
	assert_int_equal(tw_stamps_enable(ends[0], TW_STAMPS_ALL), 0);
	for (seq = 1; seq <= LOOPS; seq++)
		load_request(seq);
	assert_int_equal(send(ends[1], NULL, 0, 0), 0);
	if (!server->datagrams)
		shutdown(ends[1], SHUT_WR);
	assert_int_equal(tw_stamped_server_run(server), 0);
	assert_int_equal(waits, LOOPS + 1);
	assert_int_equal(waits_with_errors, 0);
}

static void test_drained_stream(void **state)
{
	struct tw_server server = stamped_server();

	(void)state;
	check_drained(&server);
}

static void test_drained_datagrams(void **state)
{
	struct tw_server server = stamped_server();

	(void)state;
	server.take = tw_datagram_take_stamped;
	server.datagrams = &counts;
	check_drained(&server);
}

static void *serve(void *arg)
{
	struct tw_server *server = arg;

	assert_int_equal(tw_stamped_server_run(server), 0);
	return NULL;
}

static int64_t read_real(const struct tw_clock *clock)
{
	return tw_now_ns(clock->clockid);
}

/* The kernel switches them on a moment later. */
static bool have_stamps(uint32_t *id)
{
	int i, said, heard = 0;

	if (tw_stamps_enable(ends[0], TW_STAMPS_ALL) ||
	    tw_stamps_enable(ends[1], TW_STAMPS_ALL))
		return false;
	for (i = 0; i < 50 && heard != TW_STAMPS_HAS_RX; i++) {
		usleep(i * 1000);
		said = tw_stamps_say(ends[0], TW_STAMPS_ALL, id);
		if (said <= 0)
			return false;
		heard = tw_stamps_hear(ends[1], TW_STAMPS_ALL);
	}
	return heard == TW_STAMPS_HAS_RX;
}

/*
 * Client and server, each with its own half, over the loopback; the order of
 * all times of a cycle is that of the request's way, as there is one clock.
 */
static void test_both(void **state)
{
	static _Alignas(TW_CACHE_LINE) struct tw_stamps servers;
	struct tw_clock real = {
		.read_ns = read_real, .clockid = CLOCK_REALTIME,
	};
	struct tw_client client = stamped_client(2, LOOPS - 2);
	struct tw_server server = stamped_server();
	struct tw_stamped found;
	uint32_t id;
	pthread_t thread;
	uint64_t seq;
	int i;

	(void)state;
	memset(&servers, 0, sizeof(servers));
	tw_stamped_init(&servers, TW_STAMPS_ALL, 0);
	need_stamps();
	assert_true(have_stamps(&id));
	client.clock = &real;
	client.receive = tw_datagram_receive_stamped;
	client.lose = lose;
	client.datagrams = &counts;
	limit_receive(ends[0], 20000);
	server.fd = ends[1];
	server.clock = &real;
	server.stamps = &servers;
	server.take = tw_datagram_take_stamped;
	server.datagrams = &counts;
	assert_int_equal(pthread_create(&thread, NULL, serve, &server), 0);
	assert_int_equal(tw_stamped_client_run(&client), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(stamps.client.sum.cycles, LOOPS - 3);
	assert_int_equal(stamps.client.sum.left_out, 0);
	for (seq = 1; seq < LOOPS; seq++) {
		tw_stamped_find(&stamps, seq, &found);
		const int64_t order[] = {
			found.t0_ns, found.at_ns[TW_CLIENT_SCHED],
			found.at_ns[TW_CLIENT_SND], found.at_ns[TW_SERVER_RX],
			found.t1_ns, found.t2_ns,
			found.at_ns[TW_SERVER_SCHED],
			found.at_ns[TW_SERVER_SND], found.at_ns[TW_CLIENT_RX],
			found.t3_ns,
		};
		for (i = 1; i < 10; i++)
			assert_true(order[i] >= order[i - 1]);
	}
}

#define STREAM(test) \
	cmocka_unit_test_setup_teardown(test, set_up_stream, tear_down)
#define DATAGRAMS(test) \
	cmocka_unit_test_setup_teardown(test, set_up_datagrams, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		STREAM(test_client_stream),
		STREAM(test_client_plain_reply),
		STREAM(test_client_server_gone),
		DATAGRAMS(test_client_datagrams),
		STREAM(test_server_stream),
		STREAM(test_server_wrong_request),
		DATAGRAMS(test_server_datagrams),
		STREAM(test_drained_stream),
		DATAGRAMS(test_drained_datagrams),
		DATAGRAMS(test_both),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
