// SPDX-License-Identifier: GPL-2.0-or-later
/* The measured loop when something goes wrong, or interrupts it. */
#include <errno.h>
#include <signal.h>
#include <sys/time.h>

#include "loop_client.h"

#define BEFORE	3	/* cycles that went well */

/* Runs it; what it returns, having recorded the BEFORE good cycles. */
static int fails(void)
{
	const struct tw_client client = new_client(1, 100);
	int err = tw_client_run(&client);

	assert_int_equal(sink.warm, 1);
	assert_int_equal(sink.recorded, BEFORE - 1);
	assert_int_equal(sink.cycles[BEFORE - 1].seq, BEFORE);
	assert_int_equal(script_timer.starts, 1);
	assert_int_equal(script_timer.stops, 1);
	/* Whatever is in a reply is looked at after t3. */
	assert_int_equal(script.reads, 1 + 2 * (BEFORE + 1));
	/* The request whose answer was not good was the last. */
	assert_requests(BEFORE + 1, TW_REQUEST_MIN);
	return err;
}

static void check_bad_seq(uint64_t seq)
{
	const struct tw_reply bad = reply_to(seq);

	load_replies(1, BEFORE);
	load_reply(&bad, TW_REPLY_SIZE);
	assert_int_equal(fails(), -EPROTO);
}

static void test_reply_to_another_request(void **state)
{
	(void)state;
	check_bad_seq(BEFORE + 2);
}

static void test_reply_again(void **state)
{
	(void)state;
	check_bad_seq(BEFORE);
}

static void test_damaged_reply(void **state)
{
	const struct tw_reply reply = reply_to(BEFORE + 1);
	char buf[TW_REPLY_SIZE];

	(void)state;
	load_replies(1, BEFORE);
	tw_wire_put_reply(buf, &reply);
	buf[12] ^= 1;
	assert_int_equal(send(ends[1], buf, sizeof(buf), 0), sizeof(buf));
	assert_int_equal(fails(), -EBADMSG);
}

static void test_short_reply(void **state)
{
	const struct tw_reply reply = reply_to(BEFORE + 1);

	(void)state;
	load_replies(1, BEFORE);
	load_reply(&reply, TW_REPLY_SIZE - 1);
	assert_int_equal(shutdown(ends[1], SHUT_WR), 0);
	assert_int_equal(fails(), -EMSGSIZE);
}

static void test_peer_gone_for_good(void **state)
{
	(void)state;
	load_replies(1, BEFORE);
	assert_int_equal(shutdown(ends[1], SHUT_WR), 0);
	assert_int_equal(fails(), -ECONNRESET);
}

/* Not killed by SIGPIPE either. */
static void test_peer_gone_before(void **state)
{
	const struct tw_client client = new_client(0, 5);

	(void)state;
	assert_int_equal(shutdown(ends[1], SHUT_RDWR), 0);
	assert_int_equal(tw_client_run(&client), -EPIPE);
	assert_int_equal(sink.recorded, 0);
	assert_int_equal(script_timer.stops, 1);
}

/* What is no error any more once main has set the flag. */
static void test_peer_gone_after_stop(void **state)
{
	struct tw_client client = new_client(0, 5);

	(void)state;
	assert_int_equal(shutdown(ends[1], SHUT_RDWR), 0);
	stop_at = 1;
	script_timer.during = set_stop;
	assert_int_equal(tw_client_run(&client), 0);
	assert_int_equal(sink.recorded, 0);
}

/* The server of many has ended, told by the same flag: no reply comes. */
static void test_peer_ended_after_stop(void **state)
{
	struct tw_client client = new_client(0, 5);

	(void)state;
	assert_int_equal(shutdown(ends[1], SHUT_WR), 0);
	stop_at = 1;
	script_timer.during = set_stop;
	assert_int_equal(tw_client_run(&client), 0);
	assert_int_equal(sink.recorded, 0);
}

static void test_timer_cannot_start(void **state)
{
	const struct tw_client client = new_client(0, 5);

	(void)state;
	script_timer.start_error = -ENOTSUP;
	assert_int_equal(tw_client_run(&client), -ENOTSUP);
	assert_int_equal(script_timer.waits + script_timer.stops, 0);
	assert_int_equal(sink.steady_calls, 0);
	assert_requests(0, TW_REQUEST_MIN);
}

static void check_wait_error(size_t at, uint64_t cycles)
{
	const struct tw_client client = new_client(0, 5);

	script_timer.errors[at] = -EIO;
	load_replies(1, cycles);
	assert_int_equal(tw_client_run(&client), -EIO);
	assert_int_equal(sink.recorded, cycles);
	assert_int_equal(script_timer.waits, at + 1);
	assert_int_equal(script_timer.stops, 1);
	assert_requests(cycles, TW_REQUEST_MIN);
}

static void test_timer_fails(void **state)
{
	(void)state;
	check_wait_error(3, 2);
}

static void test_timer_fails_at_once(void **state)
{
	(void)state;
	check_wait_error(0, 0);
}

/* A signal that is not main's is no expiry, and costs no cycle. */
static void test_interrupted_timer(void **state)
{
	const struct tw_client client = new_client(0, 5);

	(void)state;
	script_timer.errors[0] = -EINTR;
	script_timer.errors[3] = -EINTR;
	script_timer.errors[4] = -EINTR;
	load_replies(1, 5);
	assert_int_equal(tw_client_run(&client), 0);
	assert_int_equal(sink.recorded, 5);
	assert_int_equal(script_timer.waits, 1 + 5 + 3);
	assert_int_equal(script_timer.settles, 1 + 5);
	assert_requests(5, TW_REQUEST_MIN);
}

static volatile sig_atomic_t ticks;
static int ticks_to_stop;

/* The peer at work within the handler: half a reply every tick. */
static void on_tick(int signal)
{
	const uint64_t seq = (uint64_t)ticks / 2 + 1;
	const struct tw_reply reply = reply_to(seq);
	const size_t half = TW_REPLY_SIZE / 2;
	char buf[TW_REPLY_SIZE];
	int left;

	(void)signal;
	/* Only when asked: however slow the client is, it has got that far. */
	if (ioctl(ends[1], FIONREAD, &left) ||
	    left / TW_REQUEST_MIN < (int)seq)
		return;
	tw_wire_put_reply(buf, &reply);
	if (ticks >= ticks_to_stop)
		atomic_store(&stop, 1);
	else if (send(ends[1], buf + ticks % 2 * half, half, 0) < 0)
		abort();
	ticks++;
}

static void run_with_ticks(const struct tw_client *client)
{
	const struct sigaction action = { .sa_handler = on_tick };
	const struct itimerval every = {
		.it_value = { .tv_usec = 3000 },
		.it_interval = { .tv_usec = 3000 },
	};
	const struct itimerval never = { .it_value = { .tv_usec = 0 } };

	ticks = 0;
	assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &every, NULL), 0);
	assert_int_equal(tw_client_run(client), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
}

/* Replies in halves, and a signal with each. */
static void test_interrupted_receive(void **state)
{
	const struct tw_client client = new_client(0, 4);

	(void)state;
	ticks_to_stop = 1000;
	run_with_ticks(&client);
	assert_int_equal(sink.recorded, 4);
	assert_int_equal(sink.cycles[3].t1_ns, reply_to(4).t1_ns);
	assert_requests(4, TW_REQUEST_MIN);
}

/* Main wants an end while a reply is awaited: no result, and no error. */
static void test_stop_amid_receive(void **state)
{
	const struct tw_client client = new_client(0, 0);

	(void)state;
	ticks_to_stop = 5;
	run_with_ticks(&client);
	assert_int_equal(sink.recorded, 2);
	assert_requests(3, TW_REQUEST_MIN);
}

/* In a closed loop the last cycle was recorded before, and only then. */
static void test_closed_loop_stop_amid_receive(void **state)
{
	struct tw_client client = new_client(0, 0);
	size_t i;

	(void)state;
	client.period_ns = 0;
	ticks_to_stop = 7;
	run_with_ticks(&client);
	assert_int_equal(sink.recorded, 3);
	for (i = 0; i < 3; i++)
		assert_int_equal(sink.cycles[i].seq, i + 1);
	assert_requests(4, TW_REQUEST_MIN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_ENDS(test_reply_to_another_request),
		WITH_ENDS(test_reply_again),
		WITH_ENDS(test_damaged_reply),
		WITH_ENDS(test_short_reply),
		WITH_ENDS(test_peer_gone_for_good),
		WITH_ENDS(test_peer_gone_before),
		WITH_ENDS(test_peer_gone_after_stop),
		WITH_ENDS(test_peer_ended_after_stop),
		WITH_ENDS(test_timer_cannot_start),
		WITH_ENDS(test_timer_fails),
		WITH_ENDS(test_timer_fails_at_once),
		WITH_ENDS(test_interrupted_timer),
		WITH_ENDS(test_interrupted_receive),
		WITH_ENDS(test_stop_amid_receive),
		WITH_ENDS(test_closed_loop_stop_amid_receive),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
