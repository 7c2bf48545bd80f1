// SPDX-License-Identifier: GPL-2.0-or-later
/* The front: who is handed over, and who is closed for what. */
#include <fcntl.h>

#include "front.h"

/* All right from HELLO to RUN, on the connection @fd. */
static void check_run(int fd)
{
	front_say(fd, TW_FRAME_HELLO, HELLO_2_TO_5);
	front_settle();
	front_check_answer(fd, TW_FRAME_HELLO);
	front_say(fd, TW_FRAME_RUN, "pairs=1\n");
	assert_int_equal(tw_front_poll(&front, NULL, 0, 10000, &front_run),
			 1);
	assert_int_equal(front_run.version, 3);
	assert_int_equal(front_run.length, 8);
	assert_memory_equal(front_run.body, "pairs=1\n", 8);
	assert_true(fcntl(front_run.fd, F_GETFL) & O_NONBLOCK);
	assert_true(fcntl(front_run.fd, F_GETFD) & FD_CLOEXEC);
}

static void check_hand_over(int listener, const char *format)
{
	char peer[TW_FRONT_PEER_TEXT];
	union tw_address address;
	socklen_t size = sizeof(address);
	int fd = front_client(listener);

	check_run(fd);
	assert_int_equal(getsockname(fd, &address.any, &size), 0);
	assert_memory_equal(&front_run.address, &address, size);
	snprintf(peer, sizeof(peer), format, ntohs(address.in.sin_port));
	assert_string_equal(front_run.peer, peer);
	/* It is nobody's but ours now. */
	front_settle();
	tw_front_close(&front);
	front_say(front_run.fd, TW_FRAME_GRANT, "");
	front_check_answer(fd, TW_FRAME_GRANT);
	close(front_run.fd);
	front_check_closed(fd);
	assert_int_equal(front_closed(), 0);
}

static void test_hand_over(void **state)
{
	(void)state;
	check_hand_over(front_listeners[0], "127.0.0.1:%d");
}

static void test_hand_over_ipv6(void **state)
{
	(void)state;
	if (front_listeners[1] < 0)
		skip();
	check_hand_over(front_listeners[1], "[::1]:%d");
}

static void test_turn_away(void **state)
{
	int fd = front_client(front_listeners[0]);

	(void)state;
	check_run(fd);
	assert_int_equal(tw_front_turn_away(&front_run, TW_FRAME_BUSY,
					    "another run"), 0);
	assert_int_equal(front_run.fd, -1);
	front_check_answer(fd, TW_FRAME_BUSY);
	front_check_closed(fd);
}

/* What the client sent meanwhile does not take the answer from it. */
static void test_turn_away_unread(void **state)
{
	int fd = front_client(front_listeners[0]);

	(void)state;
	check_run(fd);
	front_send(fd, "more", 4);
	assert_int_equal(tw_front_turn_away(&front_run, TW_FRAME_REFUSE,
					    "no"), 0);
	front_check_answer(fd, TW_FRAME_REFUSE);
	front_check_closed(fd);
}

/* Two ask at the same time: one after the other. */
static void test_two(void **state)
{
	char stream[TW_FRAME_MAX + 100];
	size_t size = hello_good(stream);
	int one = front_client(front_listeners[0]);
	int two = front_client(front_listeners[0]);
	int first;

	(void)state;
	front_send(one, stream, size);
	front_send(two, stream, size);
	assert_int_equal(tw_front_poll(&front, NULL, 0, 1000, &front_run), 1);
	first = front_run.fd;
	assert_int_equal(tw_front_poll(&front, NULL, 0, 1000, &front_run), 1);
	assert_int_not_equal(front_run.fd, first);
	front_settle();
	close(first);
	close(front_run.fd);
	close(one);
	close(two);
}

static void check_counted(enum tw_front_reason reason, unsigned int count)
{
	assert_int_equal(front.closed[reason], count);
	assert_int_equal(front_closed(), count);
}

/* A client that sends @data is closed. Another one is not disturbed. */
static void check_closed(const void *data, size_t size,
			 enum tw_front_reason reason)
{
	int good = front_client(front_listeners[0]);
	int bad = front_client(front_listeners[0]);

	memset(front.closed, 0, sizeof(front.closed));
	front.tokens_ns = 1000000000;
	front_settle();
	front_send(bad, data, size);
	front_settle();
	front_check_closed(bad);
	check_counted(reason, 1);
	check_run(good);
	close(front_run.fd);
	close(good);
}

static void test_bad(void **state)
{
	char stream[2 * TW_FRAME_MAX];
	size_t size;

	(void)state;
	check_closed("GET / HTTP/1.1\r\n", 16, TW_FRONT_BAD_FRAME);
	check_closed("TW\1\0\1\0\0\0", 8, TW_FRONT_BAD_FRAME);
	size = hello_add(stream, 0, TW_FRAME_RUN, "pairs=1\n");
	check_closed(stream, size, TW_FRONT_BAD_FRAME);
	size = hello_add(stream, 0, TW_FRAME_HELLO, "");
	check_closed(stream, size, TW_FRONT_BAD_HELLO);
}

static void check_extra(size_t extra)
{
	char stream[TW_FRAME_MAX + 5000] = "";
	size_t size = hello_good(stream);
	int fd = front_client(front_listeners[0]);

	memset(front.closed, 0, sizeof(front.closed));
	front_send(fd, stream, size + extra);
	front_settle();
	check_counted(TW_FRONT_EXTRA_BYTES, 1);
	/* HELLO was answered, nevertheless. */
	front_check_answer(fd, TW_FRAME_HELLO);
	front_check_closed(fd);
}

/* Also those that were not read together with RUN. */
static void test_extra(void **state)
{
	char stream[TW_FRAME_MAX + 100];
	size_t size = hello_good(stream);

	(void)state;
	check_extra(1);
	check_extra(4096 - size);
	check_extra(4096 - size + 1);
	check_extra(5000);
}

/* REFUSE arrives, though the client has sent more than was read. */
static void test_version(void **state)
{
	char stream[TW_FRAME_MAX + 5000] = "";
	size_t size = hello_add(stream, 0, TW_FRAME_HELLO,
				"version_min=9\nversion_max=9\n");
	int fd = front_client(front_listeners[0]);

	(void)state;
	front_send(fd, stream, size + 5000);
	front_settle();
	check_counted(TW_FRONT_VERSION, 1);
	front_check_answer(fd, TW_FRAME_REFUSE);
	front_check_closed(fd);
}

static void check_left(const void *data, size_t size, int how)
{
	const struct linger reset = { .l_onoff = 1 };
	int fd = front_client(front_listeners[0]);

	memset(front.closed, 0, sizeof(front.closed));
	front_settle();
	front_send(fd, data, size);
	if (how == 1)
		setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
	if (how == 2)
		shutdown(fd, SHUT_WR);
	else
		close(fd);
	front_settle();
	check_counted(TW_FRONT_LEFT, 1);
	if (how == 2)
		close(fd);
}

/* Closed, reset, or half closed; before, in and after what it has to send. */
static void test_left(void **state)
{
	char stream[TW_FRAME_MAX + 100];
	size_t size = hello_good(stream);
	int how;

	(void)state;
	for (how = 0; how < 3; how++) {
		check_left("", 0, how);
		check_left(stream, 3, how);
		check_left(stream, size - 1, how);
		if (how != 1)
			check_left(stream, size, how);
		front.tokens_ns = 1000000000;
	}
}

static void test_not_allowed(void **state)
{
	static struct tw_allow allow;
	char why[100];
	int fd = front_client(front_listeners[0]);

	(void)state;
	front.allow = &allow;
	assert_int_equal(tw_allow_parse("127.0.0.2,::1", &allow, why,
					sizeof(why)), 0);
	front_settle();
	front_check_closed(fd);
	check_counted(TW_FRONT_NOT_ALLOWED, 1);
	assert_int_equal(tw_allow_parse("127.0.0.0/8", &allow, why,
					sizeof(why)), 0);
	fd = front_client(front_listeners[0]);
	check_run(fd);
	close(front_run.fd);
	close(fd);
}

/* The ninth is closed, until one of the others has left. */
static void test_full(void **state)
{
	int fds[TW_FRONT_PEERS], ninth, i;

	(void)state;
	for (i = 0; i < TW_FRONT_PEERS; i++)
		fds[i] = front_client(front_listeners[0]);
	front_settle();
	assert_int_equal(front_closed(), 0);
	ninth = front_client(front_listeners[0]);
	front_settle();
	front_check_closed(ninth);
	check_counted(TW_FRONT_FULL, 1);
	close(fds[3]);
	front_settle();
	ninth = front_client(front_listeners[0]);
	front.tokens_ns = 1000000000;
	check_run(ninth);
	close(front_run.fd);
	check_run(fds[7]);
	close(front_run.fd);
	close(ninth);
	for (i = 0; i < TW_FRONT_PEERS; i++)
		if (i != 3)
			close(fds[i]);
}

static void test_close(void **state)
{
	int fd = front_client(front_listeners[0]);

	(void)state;
	front_settle();
	tw_front_close(&front);
	front_check_closed(fd);
	tw_front_close(&front);
	assert_int_equal(front_closed(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(test) \
	cmocka_unit_test_setup_teardown(test, front_setup, front_teardown)
		TEST(test_hand_over),
		TEST(test_hand_over_ipv6),
		TEST(test_turn_away),
		TEST(test_turn_away_unread),
		TEST(test_two),
		TEST(test_bad),
		TEST(test_extra),
		TEST(test_version),
		TEST(test_left),
		TEST(test_not_allowed),
		TEST(test_full),
		TEST(test_close),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
