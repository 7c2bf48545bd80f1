// SPDX-License-Identifier: GPL-2.0-or-later
/* Measuring connections of streams: who is let in, and who is not. */
#include "meet.h"

#include <netinet/tcp.h>
#include <sys/wait.h>

#include "base/tw_time.h"

#define PLACES	16	/* for those that have not greeted */

static int dial(void)
{
	const union tw_address address = place(0);
	int fd = tw_meet_dial(SOCK_STREAM, &address, 2000);

	assert_true(fd >= 0);
	assert_int_equal(tw_transport_make_blocking(fd), 0);
	return fd;
}

/* A greeting with the cookie @change is added to, and this number. */
static int stranger(uint8_t change, int at, unsigned int number)
{
	uint8_t cookie[TW_COOKIE];
	char buf[TW_GREETING_MAX];
	int fd = dial();

	memcpy(cookie, granted.cookie, TW_COOKIE);
	cookie[at] += change;
	assert_int_equal(tw_meet_greeting(buf, cookie, number, SIZE),
			 TW_GREETING);
	assert_int_equal(send(fd, buf, TW_GREETING, 0), TW_GREETING);
	return fd;
}

static void closed(int fd)
{
	const int got = next_byte(fd);

	assert_true(got == 0 || got == -ECONNRESET);
	close(fd);
}

static void test_one(void **state)
{
	int fd;

	(void)state;
	open_meet(&tw_transport_tcp, 1, SIZE);
	assert_int_equal(granted.ports, 1);
	assert_true(granted.at[0].port > 0);
	fd = join(0);
	assert_int_equal(tw_meet_await(&meet, none, 2000), 0);
	assert_int_equal(meet.strangers, 0);
	/* Nobody else can come. */
	assert_int_equal(meet.listener, -1);
	talk(0, fd);
}

/* In any order, and a request may be behind the greeting already. */
static void test_many(void **state)
{
	int fds[TW_FAR_PAIRS], k;

	(void)state;
	open_meet(&tw_transport_tcp, TW_FAR_PAIRS, SIZE);
	for (k = TW_FAR_PAIRS - 1; k >= 0; k--) {
		fds[k] = join((unsigned int)k);
		send_text(fds[k], "!");
	}
	assert_int_equal(tw_meet_await(&meet, none, 5000), 0);
	for (k = 0; k < TW_FAR_PAIRS; k++) {
		assert_int_equal(next_byte(meet.fds[k]), '!');
		talk((unsigned int)k, fds[k]);
	}
	assert_int_equal(meet.strangers, 0);
}

static void test_cookies_differ(void **state)
{
	uint8_t before[TW_COOKIE];

	(void)state;
	open_meet(&tw_transport_tcp, 1, SIZE);
	memcpy(before, granted.cookie, TW_COOKIE);
	tw_meet_close(&meet);
	open_meet(&tw_transport_tcp, 1, SIZE);
	assert_memory_not_equal(before, granted.cookie, TW_COOKIE);
}

/* Any byte of it; a number that is too large; a pair that is there. */
static void test_strangers(void **state)
{
	int fd, twice, other[TW_COOKIE + 2], i;

	(void)state;
	open_meet(&tw_transport_tcp, 1, SIZE);
	for (i = 0; i < TW_COOKIE; i++)
		other[i] = stranger(1, i, 0);
	assert_int_equal(tw_meet_await(&meet, none, 50), -ETIMEDOUT);
	for (i = 0; i < TW_COOKIE; i++)
		closed(other[i]);
	assert_int_equal(meet.strangers, TW_COOKIE);
	tw_meet_close(&meet);

	tw_meet_init(&meet);
	open_meet(&tw_transport_tcp, 2, SIZE);
	other[0] = stranger(0, 0, 2);
	other[1] = stranger(0, 0, 0xffffffff);
	fd = join(0);
	twice = join(0);
	other[2] = join(1);
	assert_int_equal(tw_meet_await(&meet, none, 2000), 0);
	closed(other[0]);
	closed(other[1]);
	closed(twice);
	assert_int_equal(meet.strangers, 3);
	talk(0, fd);
	talk(1, other[2]);
}

/* It has the cookie, but is not who controls the run. */
static void test_from_elsewhere(void **state)
{
	int other;

	(void)state;
	meet.from = loopback(0);
	meet.from.in.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1);
	open_meet(&tw_transport_tcp, 1, SIZE);
	other = join(0);
	assert_int_equal(tw_meet_await(&meet, none, 50), -ETIMEDOUT);
	closed(other);
	assert_int_equal(meet.strangers, 1);
}

static void test_ends_early(void **state)
{
	int fd = -1, other;

	(void)state;
	open_meet(&tw_transport_tcp, 1, SIZE);
	other = dial();
	send_text(other, "abc");
	close(other);
	close(dial());
	fd = join(0);
	assert_int_equal(tw_meet_await(&meet, none, 2000), 0);
	assert_int_equal(meet.strangers, 2);
	talk(0, fd);
}

static void test_single_bytes(void **state)
{
	char buf[TW_GREETING_MAX];
	int fd, i, on = 1;

	(void)state;
	open_meet(&tw_transport_tcp, 1, SIZE);
	fd = dial();
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	tw_meet_greeting(buf, granted.cookie, 0, SIZE);
	for (i = 0; i < TW_GREETING; i++) {
		assert_int_equal(meet.fds[0], -1);
		assert_int_equal(send(fd, buf + i, 1, 0), 1);
		/* The listener goes with a wait that has ended. */
		if (i == TW_GREETING - 1)
			assert_int_equal(tw_meet_await(&meet, none, 2000), 0);
	}
	talk(0, fd);
}

/* Silent ones wait until others need their place: the oldest goes first. */
static void test_silent(void **state)
{
	int silent[PLACES + 3], fd, i, count;

	(void)state;
	for (count = PLACES - 1; count <= PLACES + 3; count++) {
		set_up(state);
		open_meet(&tw_transport_tcp, 1, SIZE);
		for (i = 0; i < count; i++)
			silent[i] = dial();
		fd = join(0);
		assert_int_equal(tw_meet_await(&meet, none, 2000), 0);
		/* All are closed once the pair is there. */
		for (i = 0; i < count; i++)
			closed(silent[i]);
		assert_int_equal(meet.strangers, count);
		talk(0, fd);
	}
}

/* One leaves, one comes in its place, and two more than there are places. */
static void come_and_go(void)
{
	char buf[TW_GREETING_MAX];
	int first = dial(), late, i;

	for (i = 0; i < PLACES - 1; i++)
		dial();
	usleep(50000);
	close(first);
	usleep(50000);
	late = dial();
	tw_meet_greeting(buf, granted.cookie, 0, SIZE);
	send(late, buf, 5, 0);
	usleep(50000);
	dial();
	dial();
	usleep(50000);
	send(late, buf + 5, TW_GREETING - 5, MSG_NOSIGNAL);
	send(late, "!", 1, MSG_NOSIGNAL);
	next_byte(late);
	_exit(0);
}

/* A place that became free does not make its next user the oldest. */
static void test_oldest(void **state)
{
	pid_t child;
	int server;

	(void)state;
	open_meet(&tw_transport_tcp, 1, SIZE);
	child = fork();
	assert_true(child >= 0);
	if (!child)
		come_and_go();
	assert_int_equal(tw_meet_await(&meet, none, 3000), 0);
	server = tw_meet_take(&meet, 0);
	assert_int_equal(next_byte(server), '!');
	close(server);
	assert_int_equal(waitpid(child, NULL, 0), child);
}

static int64_t now_ms(void)
{
	return tw_now_ns(CLOCK_MONOTONIC) / TW_NS_PER_MS;
}

static void test_time_out(void **state)
{
	int64_t begin_ms = now_ms();
	int fd, other;

	(void)state;
	open_meet(&tw_transport_tcp, 2, SIZE);
	fd = join(1);
	other = dial();
	assert_int_equal(tw_meet_await(&meet, none, 60), -ETIMEDOUT);
	assert_true(now_ms() - begin_ms >= 60);
	assert_int_equal(meet.listener, -1);
	closed(other);
	close(fd);
}

static void test_woken(void **state)
{
	int wake[2][2] = { { -1, -1 }, { -1, -1 } };
	int i;

	(void)state;
	for (i = 0; i < 2; i++) {
		tw_meet_init(&meet);
		open_meet(&tw_transport_tcp, 1, SIZE);
		wake[i][i] = eventfd(1, 0);
		assert_int_equal(tw_meet_await(&meet, wake[i], 60000), -EINTR);
		close(wake[i][i]);
		tw_meet_close(&meet);
	}
}

/* One port, chosen by the operator; taken, it is refused. */
static void test_port(void **state)
{
	union tw_address local;
	struct tw_meet again;
	struct tw_granted more;

	(void)state;
	open_meet(&tw_transport_tcp, 3, SIZE);
	local = place(0);
	tw_meet_init(&again);
	assert_int_equal(tw_meet_open(&again, &tw_transport_tcp, &local, 1,
				      SIZE, &more), -EADDRINUSE);
	tw_meet_close(&meet);
	assert_int_equal(tw_meet_open(&meet, &tw_transport_tcp, &local, 3,
				      SIZE, &more), 0);
	assert_int_equal(more.at[0].port, tw_meet_port(&local));
}

static void test_connect_fails(void **state)
{
	union tw_address address;

	(void)state;
	open_meet(&tw_transport_tcp, 1, SIZE);
	address = place(0);
	tw_meet_close(&meet);
	assert_int_equal(tw_meet_connect(&tw_transport_tcp, &address,
					 granted.cookie, 0, SIZE, 2000),
			 -ECONNREFUSED);
}

static int option(int fd, int level, int name)
{
	socklen_t len = sizeof(int);
	int value = -1;

	assert_int_equal(getsockopt(fd, level, name, &value, &len), 0);
	return value;
}

/* Both ends notice within TW_ALIVE_S that the other host is gone. */
static void test_watched(void **state)
{
	int fds[2], i;

	(void)state;
	open_meet(&tw_transport_tcp, 1, SIZE);
	fds[0] = join(0);
	assert_int_equal(tw_meet_await(&meet, none, 2000), 0);
	fds[1] = tw_meet_take(&meet, 0);
	for (i = 0; i < 2; i++) {
		int idle = option(fds[i], IPPROTO_TCP, TCP_KEEPIDLE);
		int each = option(fds[i], IPPROTO_TCP, TCP_KEEPINTVL);
		int count = option(fds[i], IPPROTO_TCP, TCP_KEEPCNT);

		assert_int_equal(option(fds[i], SOL_SOCKET, SO_KEEPALIVE), 1);
		assert_true(idle > 0 && each > 0);
		assert_int_equal(idle + each * count, TW_ALIVE_S);
		assert_int_equal(option(fds[i], IPPROTO_TCP,
					TCP_USER_TIMEOUT), TW_ALIVE_S * 1000);
		assert_int_equal(option(fds[i], IPPROTO_TCP, TCP_NODELAY), 1);
		close(fds[i]);
	}
}

static void test_ports(void **state)
{
	union tw_address address = { .in6 = { .sin6_family = AF_INET6 } };

	(void)state;
	tw_meet_set_port(&address, 0x1234);
	assert_int_equal(address.in6.sin6_port, htons(0x1234));
	assert_int_equal(tw_meet_port(&address), 0x1234);
	address = loopback(0xfedc);
	assert_int_equal(tw_meet_port(&address), 0xfedc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_one),
		TEST(test_many),
		TEST(test_cookies_differ),
		TEST(test_strangers),
		TEST(test_from_elsewhere),
		TEST(test_ends_early),
		TEST(test_single_bytes),
		TEST(test_silent),
		TEST(test_oldest),
		TEST(test_time_out),
		TEST(test_woken),
		TEST(test_port),
		TEST(test_connect_fails),
		TEST(test_watched),
		TEST(test_ports),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
