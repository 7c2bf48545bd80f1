// SPDX-License-Identifier: GPL-2.0-or-later
/* The front's limits of time, and what else it waits for. */
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>

#include "base/tw_time.h"
#include "front.h"

static int64_t since_ms(int64_t begin_ns)
{
	return (tw_now_ns(CLOCK_MONOTONIC) - begin_ns) / TW_NS_PER_MS;
}

/* Never too early, and no overflow. */
static void test_until(void **state)
{
	(void)state;
	assert_int_equal(tw_until_ms(5, 5), 0);
	assert_int_equal(tw_until_ms(6, 5), 0);
	assert_int_equal(tw_until_ms(5, 6), 1);
	assert_int_equal(tw_until_ms(0, TW_NS_PER_MS - 1), 1);
	assert_int_equal(tw_until_ms(0, TW_NS_PER_MS + 1), 2);
	assert_int_equal(tw_until_ms(0, 3600 * TW_NS_PER_S + 1), 3600000);
	assert_int_equal(tw_until_ms(1, INT64_MAX), 3600000);
}

static void check_wait(int timeout_ms)
{
	int64_t begin_ns = tw_now_ns(CLOCK_MONOTONIC);

	assert_int_equal(tw_front_poll(&front, NULL, 0, timeout_ms,
				       &front_run), 0);
	assert_true(since_ms(begin_ns) >= timeout_ms);
}

static void test_wait(void **state)
{
	int fd;

	(void)state;
	check_wait(0);
	check_wait(30);
	fd = front_client(front_listeners[0]);
	check_wait(30);
	close(fd);
}

/* One that says nothing, and one that says it too slowly. */
static void test_slow(void **state)
{
	int64_t begin_ns = tw_now_ns(CLOCK_MONOTONIC);
	int silent, slow, i;
	char stream[TW_FRAME_MAX];

	(void)state;
	hello_add(stream, 0, TW_FRAME_HELLO, HELLO_2_TO_5);
	front.limit_ms = 100;
	silent = front_client(front_listeners[0]);
	slow = front_client(front_listeners[0]);
	for (i = 0; front.closed[TW_FRONT_TIME_OUT] < 2; i++) {
		send(slow, stream + i % 20, 1, MSG_NOSIGNAL);
		check_wait(10);
		assert_true(i < 20);
	}
	assert_true(since_ms(begin_ns) >= 100);
	assert_int_equal(front_closed(), 2);
	front_check_closed(silent);
	front_check_closed(slow);
}

/* The time goes on after HELLO. */
static void test_slow_run(void **state)
{
	int fd = front_client(front_listeners[0]);

	(void)state;
	front.limit_ms = 100;
	front_say(fd, TW_FRAME_HELLO, HELLO_2_TO_5);
	front_settle();
	front_check_answer(fd, TW_FRAME_HELLO);
	check_wait(150);
	assert_int_equal(front.closed[TW_FRONT_TIME_OUT], 1);
	front_check_closed(fd);
}

/* A time-out wakes it, even if it has no time limit itself. */
static void test_wakes(void **state)
{
	struct pollfd extra[2] = { { .events = POLLIN }, { .fd = -1 } };
	int fd = front_client(front_listeners[0]);
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	extra[0].fd = fds[0];
	front.limit_ms = 20;
	check_wait(0);
	check_wait(100);
	front_check_closed(fd);
	close(fds[1]);
	assert_int_equal(tw_front_poll(&front, extra, 2, -1, &front_run),
			 -EINTR);
	assert_int_equal(extra[0].revents, POLLHUP);
	assert_int_equal(extra[1].revents, 0);
	close(fds[0]);
}

static void test_extra(void **state)
{
	struct pollfd extra[5] = { { .events = POLLIN } };
	char stream[TW_FRAME_MAX];
	size_t size = hello_good(stream);
	int fds[2];
	int fd;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	extra[0].fd = fds[0];
	extra[0].revents = POLLERR;
	assert_int_equal(tw_front_poll(&front, extra, 1, 0, &front_run), 0);
	assert_int_equal(extra[0].revents, 0);
	assert_int_equal(write(fds[1], "x", 1), 1);
	assert_int_equal(tw_front_poll(&front, extra, 1, -1, &front_run),
			 -EINTR);
	assert_int_equal(extra[0].revents, POLLIN);
	/* It does not keep the front from its work. */
	fd = front_client(front_listeners[0]);
	front_send(fd, stream, size);
	assert_int_equal(tw_front_poll(&front, extra, 1, -1, &front_run),
			 -EINTR);
	extra[0].revents = 0;
	assert_int_equal(tw_front_poll(&front, extra, 1, -1, &front_run), 1);
	assert_int_equal(extra[0].revents, POLLIN);
	assert_int_equal(tw_front_poll(&front, extra, 5, 0, &front_run),
			 -E2BIG);
	extra[0].fd = fds[1];
	extra[0].events = POLLOUT;
	assert_int_equal(tw_front_poll(&front, extra, 1, -1, &front_run),
			 -EINTR);
	assert_int_equal(extra[0].revents, POLLOUT);
	close(front_run.fd);
	close(fd);
	close(fds[0]);
	close(fds[1]);
}

static void on_alarm(int number)
{
	(void)number;
}

/* Without a time limit, until a signal comes after @ms. */
static void wait_signal(int ms)
{
	struct sigaction action = { .sa_handler = on_alarm };
	struct itimerval timer = {
		.it_interval.tv_usec = 5000, .it_value.tv_usec = ms * 1000,
	};

	assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &timer, NULL), 0);
	assert_int_equal(tw_front_poll(&front, NULL, 0, -1, &front_run),
			 -EINTR);
	timer = (struct itimerval) { .it_value.tv_sec = 0 };
	assert_int_equal(setitimer(ITIMER_REAL, &timer, NULL), 0);
	signal(SIGALRM, SIG_DFL);
}

static void test_signal(void **state)
{
	(void)state;
	wait_signal(5);
}

/* It wakes by itself when the time of a peer is over. */
static void test_wakes_to_close(void **state)
{
	int early, late;

	(void)state;
	front.limit_ms = 20;
	early = front_client(front_listeners[0]);
	check_wait(0);
	front.limit_ms = 60000;
	late = front_client(front_listeners[0]);
	wait_signal(300);
	assert_int_equal(front.closed[TW_FRONT_TIME_OUT], 1);
	front_check_closed(early);
	close(late);
}

/* And when it may accept again; until then it sleeps. */
static void test_wakes_to_accept(void **state)
{
	static const struct tw_allow nobody;
	int64_t cpu_ns = tw_now_ns(CLOCK_PROCESS_CPUTIME_ID);
	int fds[12], i;

	(void)state;
	front.allow = &nobody;
	for (i = 0; i < 12; i++)
		fds[i] = front_client(front_listeners[0]);
	front_settle();
	wait_signal(600);
	assert_int_equal(front_closed(), 12);
	for (i = 0; i < 12; i++)
		front_check_closed(fds[i]);
	front.filled_ns += 60 * TW_NS_PER_S;
	fds[0] = front_client(front_listeners[0]);
	wait_signal(600);
	cpu_ns = tw_now_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_ns;
	assert_true(cpu_ns < 300 * TW_NS_PER_MS);
	close(fds[0]);
}

/* What is left is for one of them. */
static void test_last_token(void **state)
{
	int one, other;

	(void)state;
	if (front_listeners[1] < 0)
		skip();
	one = front_client(front_listeners[0]);
	other = front_client(front_listeners[1]);
	front.tokens_ns = TW_NS_PER_S / TW_FRONT_RATE;
	front.filled_ns = tw_now_ns(CLOCK_MONOTONIC);
	check_wait(0);
	assert_true(front.tokens_ns >= 0);
	close(one);
	close(other);
}

/* Ten a second; the rest waits in the backlog. */
static void test_rate(void **state)
{
	static const struct tw_allow nobody;
	int64_t begin_ns = tw_now_ns(CLOCK_MONOTONIC);
	int fds[15], i;

	(void)state;
	front.allow = &nobody;
	for (i = 0; i < 15; i++)
		fds[i] = front_client(front_listeners[i % 2 &&
						       front_listeners[1] > 0]);
	begin_ns = tw_now_ns(CLOCK_MONOTONIC);
	front_settle();
	assert_true(front_closed() >= 10);
	assert_true(front_closed() <= 10 + since_ms(begin_ns) / 100 + 1);
	while (front_closed() < 15) {
		check_wait(20);
		assert_true(since_ms(begin_ns) < 10000);
	}
	assert_true(since_ms(begin_ns) >= 499);
	assert_int_equal(front.closed[TW_FRONT_NOT_ALLOWED], 15);
	/* What was not used up to now does not add up. */
	front.filled_ns -= 100 * TW_NS_PER_S;
	front_settle();
	assert_int_equal(front.tokens_ns, TW_NS_PER_S);
	for (i = 0; i < 15; i++)
		front_check_closed(fds[i]);
}

/* Without descriptors, accept() fails again and again: but not more often. */
static void test_no_descriptor(void **state)
{
	int64_t begin_ns = tw_now_ns(CLOCK_MONOTONIC);
	int fd = front_client(front_listeners[0]);
	struct rlimit before, none;
	int fds[32], i;

	(void)state;
	/* poll() itself needs a limit of as many as it is given. */
	for (i = 0; i < 32; i++)
		fds[i] = dup(0);
	assert_true(fds[31] >= 32);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = before;
	none.rlim_cur = (rlim_t)fds[31] + 1;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	check_wait(50);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	for (i = 0; i < 32; i++)
		close(fds[i]);
	assert_true(front.closed[TW_FRONT_SYSTEM] >= 10);
	assert_true(front.closed[TW_FRONT_SYSTEM] <=
		    (uint64_t)(11 + since_ms(begin_ns) / 100));
	front_say(fd, TW_FRAME_HELLO, HELLO_2_TO_5);
	front.tokens_ns = TW_NS_PER_S;
	front_settle();
	front_check_answer(fd, TW_FRAME_HELLO);
	close(fd);
}

static void test_open(void **state)
{
	const int bad[] = { 1023, 1023, 1023 };

	(void)state;
	assert_int_equal(tw_front_open(&front, bad, 3, NULL, &hello_ours),
			 -E2BIG);
	assert_int_equal(tw_front_open(&front, bad, 1, NULL, &hello_ours),
			 -EBADF);
	assert_int_equal(tw_front_open(&front, front_listeners, 1, NULL,
				       &hello_ours), 0);
	assert_true(fcntl(front_listeners[0], F_GETFL) & O_NONBLOCK);
	assert_int_equal(front.listeners[1], -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(test) \
	cmocka_unit_test_setup_teardown(test, front_setup, front_teardown)
		cmocka_unit_test(test_until),
		TEST(test_wait),
		TEST(test_slow),
		TEST(test_slow_run),
		TEST(test_wakes),
		TEST(test_extra),
		TEST(test_signal),
		TEST(test_wakes_to_close),
		TEST(test_wakes_to_accept),
		TEST(test_last_token),
		TEST(test_rate),
		TEST(test_no_descriptor),
		TEST(test_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
