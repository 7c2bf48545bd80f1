// SPDX-License-Identifier: GPL-2.0-or-later
/* A server that signals interrupt, in its waits and in its sleep. */
#include "server.h"

static volatile sig_atomic_t ticks;
static int ticks_to_stop;
static bool peer_asks;

/* The peer at work within the handler: half a request every tick. */
static void on_tick(int signal)
{
	char buf[TW_REQUEST_MIN];
	const size_t half = sizeof(buf) / 2;
	int left;

	(void)signal;
	/* Only when all is answered: however slow the server is. */
	if (peer_asks && (ioctl(ends[1], FIONREAD, &left) ||
			  left / TW_REPLY_SIZE < ticks / 2))
		return;
	tw_wire_put_request(buf, (uint64_t)ticks / 2 + 1);
	if (ticks >= ticks_to_stop)
		atomic_store(&stop, 1);
	else if (peer_asks &&
		 send(ends[1], buf + ticks % 2 * half, half, 0) < 0)
		abort();
	ticks++;
}

static void run_with_ticks(const struct tw_server *server)
{
	const struct sigaction action = { .sa_handler = on_tick };
	const struct itimerval every = {
		.it_value = { .tv_usec = 3000 },
		.it_interval = { .tv_usec = 3000 },
	};
	const struct itimerval never = { .it_value = { .tv_usec = 0 } };

	ticks = 0;
	atomic_store(&stop, 0);
	assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &every, NULL), 0);
	assert_int_equal(tw_server_run(server), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
}

/* Signals that are not main's wake it for nothing; the last is main's. */
static void test_interrupted(void **state)
{
	size_t kind;

	(void)state;
	for (kind = 0; kind < KINDS; kind++) {
		struct tw_server server = new_server(0);

		/* Busy, it is woken by nothing but the client's end. */
		if (tw_wait_kinds[kind] == &tw_wait_busy)
			continue;
		server.wait_ops = tw_wait_kinds[kind];
		ticks_to_stop = 9;
		peer_asks = true;
		run_with_ticks(&server);
		assert_replies(4);
		tear_down(state);
		set_up(state);
	}
}

static int64_t read_monotonic(const struct tw_clock *clock)
{
	(void)clock;
	return tw_now_ns(CLOCK_MONOTONIC);
}

static void check_sleep(int64_t sleep_ns, int stop_at)
{
	struct tw_server server = new_server(0);

	script.clock.read_ns = read_monotonic;
	server.sleep_ns = sleep_ns;
	load_requests(1, 1);
	hang_up();
	peer_asks = false;
	ticks_to_stop = stop_at;
	run_with_ticks(&server);
	assert_true(ticks > 0);
}

/* Signals do not cut the sleep short. */
static void test_sleep(void **state)
{
	struct tw_reply reply;
	char buf[TW_REPLY_SIZE];

	(void)state;
	check_sleep(30 * TW_NS_PER_MS, INT32_MAX);
	assert_int_equal(recv(ends[1], buf, sizeof(buf), 0), sizeof(buf));
	assert_int_equal(tw_wire_get_reply(buf, sizeof(buf), 1, &reply), 0);
	assert_true(reply.t2_ns - reply.t1_ns >= 30 * TW_NS_PER_MS);
}

/* What is left of it is slept, not all of it again. */
static void test_sleep_goes_on(void **state)
{
	struct tw_server server = new_server(0);

	(void)state;
	naps.interrupt = 3;
	server.sleep_ns = 80000;
	load_requests(1, 2);
	hang_up();
	assert_int_equal(tw_server_run(&server), 0);
	assert_replies(2);
	assert_int_equal(naps.calls, 5);
	assert_int_equal(naps.asked_ns[0], 80000);
	assert_int_equal(naps.asked_ns[1], 40000);
	assert_int_equal(naps.asked_ns[2], 20000);
	assert_int_equal(naps.asked_ns[3], 10000);
	/* The next sleep is a whole one. */
	assert_int_equal(naps.asked_ns[4], 80000);
}

/* But for main's: the longest sleep does not delay the end. */
static void test_stop_amid_sleep(void **state)
{
	(void)state;
	check_sleep(3600 * TW_NS_PER_S, 3);
	assert_true(ticks > 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_ENDS(test_interrupted),
		WITH_ENDS(test_sleep),
		WITH_ENDS(test_sleep_goes_on),
		WITH_ENDS(test_stop_amid_sleep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
