// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The client over UDP: what it makes of replies that get lost, come late, twice
 * or from strangers. The test is its peer: it sends before each request what
 * the client is to find there.
 */
#include <signal.h>

#include "loop_client.h"
#include "datagram.h"

#define SHORT_MS	1
#define LONG_MS		20000

static uint64_t lost[SINK_MAX];
static size_t losses;
static void (*deliver)(uint64_t seq);	/* before request @seq */

static void lose(void *to, const struct tw_cycle *cycle)
{
	assert_ptr_equal(to, &sink);
	assert_true(tw_cycle_is_lost(cycle));
	assert_true(losses < SINK_MAX);
	lost[losses++] = cycle->seq;
}

static void before_request(size_t at)
{
	if (at)
		deliver(at);
}

static int set_up_udp(void **state)
{
	(void)state;
	memset(&sink, 0, sizeof(sink));
	memset(&counts, 0, sizeof(counts));
	script_timer_reset();
	script_timer.during = before_request;
	losses = 0;
	atomic_store(&stop, 0);
	return open_udp(ends);
}

/* A clock that stands still, so that no wait is over by it. */
static struct tw_client udp_client(uint64_t warmup, uint64_t loops, int ms)
{
	struct tw_client client = new_client(warmup, loops);

	memset(script.times_ns, 0, sizeof(script.times_ns));
	limit_receive(ends[0], ms);
	counts.timeout_ns = INT64_C(1000000000);
	client.receive = tw_datagram_receive;
	client.lose = lose;
	client.datagrams = &counts;
	return client;
}

/* The server's count, as if it had taken all up to @seq. */
static void taken(uint64_t seq, uint64_t warmup)
{
	counts.server.taken = seq - warmup;
	counts.server.seen.newest = seq;
}

static void run_client(uint64_t warmup, uint64_t loops, int ms)
{
	const struct tw_client client = udp_client(warmup, loops, ms);

	assert_int_equal(tw_client_run(&client), 0);
	assert_int_equal(sink.warm, warmup);
	assert_int_equal(sink.recorded + losses, loops);
}

static void reply_once(uint64_t seq)
{
	load_replies(seq, seq);
}

static void test_all_answered(void **state)
{
	uint64_t seq;

	(void)state;
	deliver = reply_once;
	run_client(2, 5, LONG_MS);
	for (seq = 1; seq <= 7; seq++) {
		const struct tw_cycle *cycle = &sink.cycles[seq - 1];
		const struct tw_reply sent = reply_to(seq);

		assert_int_equal(cycle->seq, seq);
		assert_int_equal(cycle->t1_ns, sent.t1_ns);
		assert_int_equal(cycle->t2_ns, sent.t2_ns);
		assert_int_equal(cycle->server_cpu, sent.cpu);
		assert_false(tw_cycle_is_lost(cycle));
	}
	taken(7, 2);
	ASSERT_COUNTS(.sent = 5, .answered = 5);
}

/* The end of the client, which is an empty datagram. */
static void test_farewell(void **state)
{
	char buf[64];
	uint64_t seq;

	(void)state;
	deliver = reply_once;
	run_client(0, 3, LONG_MS);
	for (seq = 1; seq <= 3; seq++) {
		assert_int_equal(recv(ends[1], buf, sizeof(buf), 0),
				 TW_REQUEST_MIN);
		assert_int_equal(tw_wire_seq(buf), seq);
	}
	assert_int_equal(recv(ends[1], buf, sizeof(buf), MSG_DONTWAIT), 0);
	assert_int_equal(recv(ends[1], buf, sizeof(buf), MSG_DONTWAIT), -1);
}

static void reply_to_odd(uint64_t seq)
{
	if (seq % 2)
		reply_once(seq);
}

/* Of the warm-up, none is in the counts. */
static void test_lost(void **state)
{
	(void)state;
	deliver = reply_to_odd;
	run_client(2, 5, SHORT_MS);
	assert_int_equal(losses, 2);
	assert_int_equal(lost[0], 4);
	assert_int_equal(lost[1], 6);
	assert_int_equal(sink.recorded, 3);
	assert_int_equal(sink.steady_calls, 1);
	taken(7, 2);
	ASSERT_COUNTS(.sent = 5, .answered = 3, .lost = 2, .lost_reply = 2);
	/* The same, if the server has not got them. */
	counts.server.taken -= 2;
	ASSERT_COUNTS(.sent = 5, .answered = 3, .lost = 2, .lost_request = 2);
	counts.server.taken++;
	ASSERT_COUNTS(.sent = 5, .answered = 3, .lost = 2, .lost_request = 1,
		      .lost_reply = 1);
}

/* A closed loop records a cycle only when the next is under way. */
static void test_lost_in_a_closed_loop(void **state)
{
	struct tw_client client;

	(void)state;
	deliver = reply_to_odd;
	client = udp_client(0, 6, SHORT_MS);
	client.period_ns = 0;
	assert_int_equal(tw_client_run(&client), 0);
	assert_int_equal(sink.recorded, 3);
	assert_int_equal(losses, 3);
	assert_int_equal(lost[2], 6);
	assert_int_equal(sink.cycles[2].seq, 5);
	assert_false(tw_cycle_is_lost(&sink.cycles[2]));
}

/* None to 1 and 3; 3's comes before 4's, and once more before 5's. */
static void reply_late(uint64_t seq)
{
	if (seq == 1 || seq == 3)
		return;
	if (seq == 4 || seq == 5)
		reply_once(3);
	reply_once(seq);
	if (seq == 2)
		reply_once(2);
}

static void test_late_and_duplicate(void **state)
{
	(void)state;
	deliver = reply_late;
	run_client(1, 5, SHORT_MS);
	taken(6, 1);
	/* 2's second is found by 3; 1's is of the warm-up. */
	ASSERT_COUNTS(.sent = 5, .answered = 4, .lost = 1, .lost_reply = 1,
		      .late = 1, .duplicate = 2);
	assert_int_equal(losses, 1);
	assert_int_equal(lost[0], 3);
}

/* 2's comes when 3's has been received, and then again. */
static void reply_behind(uint64_t seq)
{
	if (seq == 2)
		return;
	if (seq > 3)
		reply_once(2);
	reply_once(seq);
}

static void test_late_behind_a_newer(void **state)
{
	(void)state;
	deliver = reply_behind;
	run_client(1, 5, SHORT_MS);
	taken(6, 1);
	ASSERT_COUNTS(.sent = 5, .answered = 4, .lost = 1, .lost_reply = 1,
		      .late = 1, .duplicate = 2);
}

static void disturb(uint64_t seq)
{
	const struct tw_reply future = reply_to(seq + 1);
	char buf[TW_REPLY_SIZE + 1] = "";

	load_reply(&future, TW_REPLY_SIZE);
	tw_wire_put_reply(buf, &future);
	buf[3] ^= 1;
	assert_int_equal(send(ends[1], buf, TW_REPLY_SIZE, 0), TW_REPLY_SIZE);
	tw_wire_put_reply(buf, &(struct tw_reply) { .seq = seq });
	assert_int_equal(send(ends[1], buf, TW_REPLY_SIZE + 1, 0),
			 TW_REPLY_SIZE + 1);
	assert_int_equal(send(ends[1], buf, TW_REPLY_SIZE - 1, 0),
			 TW_REPLY_SIZE - 1);
	assert_int_equal(send(ends[1], buf, 0, 0), 0);
	reply_once(seq);
}

static void test_strangers(void **state)
{
	(void)state;
	deliver = disturb;
	run_client(0, 4, LONG_MS);
	taken(4, 0);
	ASSERT_COUNTS(.sent = 4, .answered = 4, .strangers = 20);
}

static void flood(uint64_t seq)
{
	int i;

	for (i = 0; seq == 2 && i < 50; i++)
		reply_once(1);
	reply_once(seq);
}

/* Each ends a wait; the time since t0 ends them all. */
static void test_flood(void **state)
{
	struct tw_client client;
	size_t i;

	(void)state;
	deliver = flood;
	client = udp_client(0, 2, LONG_MS);
	/* t0 of the expiry, t0 and t3 of 1, t0 of 2; from there it runs. */
	for (i = 4; i < SCRIPT_MAX; i++)
		script.times_ns[i] = counts.timeout_ns / 10 * (int64_t)(i - 3);
	assert_int_equal(tw_client_run(&client), 0);
	taken(2, 0);
	ASSERT_COUNTS(.sent = 2, .answered = 1, .lost = 1, .lost_reply = 1,
		      .duplicate = 10);
}

static void hang_up(uint64_t seq)
{
	reply_once(seq);
	if (seq == 3)
		close(ends[1]);
}

/* The kernel tells the client of a closed port. */
static void test_server_gone(void **state)
{
	struct tw_client client;

	(void)state;
	deliver = hang_up;
	client = udp_client(0, 9, LONG_MS);
	assert_int_equal(tw_client_run(&client), -ECONNRESET);
	assert_int_equal(sink.recorded + losses, counts.client.sent);
	ends[1] = dup(ends[0]);
}

static void on_alarm(int number)
{
	(void)number;
	atomic_store(&stop, 1);
}

static void reply_to_two(uint64_t seq)
{
	if (seq <= 2)
		reply_once(seq);
}

/* The third is under way when the run ends: it is in no count. */
static void test_stop(void **state)
{
	const struct itimerval soon = {
		.it_value.tv_usec = 20000, .it_interval.tv_usec = 20000,
	};
	const struct itimerval never = { .it_value.tv_usec = 0 };
	struct sigaction action = { .sa_handler = on_alarm };
	struct tw_client client;

	(void)state;
	deliver = reply_to_two;
	client = udp_client(0, 9, LONG_MS);
	assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &soon, NULL), 0);
	assert_int_equal(tw_client_run(&client), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
	assert_int_equal(losses, 0);
	taken(2, 0);
	ASSERT_COUNTS(.sent = 2, .answered = 2);
	/* Also if the server has taken it. */
	taken(3, 0);
	ASSERT_COUNTS(.sent = 2, .answered = 2);
	/* It is not what came of a request that was lost. */
	counts.client.sent++;
	counts.client.lost++;
	ASSERT_COUNTS(.sent = 3, .answered = 2, .lost = 1, .lost_request = 1);
}

#define WITH_UDP(test) \
	cmocka_unit_test_setup_teardown(test, set_up_udp, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_UDP(test_all_answered),
		WITH_UDP(test_farewell),
		WITH_UDP(test_lost),
		WITH_UDP(test_lost_in_a_closed_loop),
		WITH_UDP(test_late_and_duplicate),
		WITH_UDP(test_late_behind_a_newer),
		WITH_UDP(test_strangers),
		WITH_UDP(test_flood),
		WITH_UDP(test_server_gone),
		WITH_UDP(test_stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
