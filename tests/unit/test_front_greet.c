// SPDX-License-Identifier: GPL-2.0-or-later
/* A client on a pair of pipes, as ssh gives them; and the front's words. */
#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/tw_time.h"
#include "hello.h"

static int to_server[2], to_client[2], wake[2];
static struct tw_front_run run;
static enum tw_front_reason reason;
static char stream[TW_FRAME_MAX + 100];

static int setup(void **state)
{
	(void)state;
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(to_server), 0);
	assert_int_equal(pipe(to_client), 0);
	assert_int_equal(pipe(wake), 0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	close(to_server[0]);
	close(to_server[1]);
	close(to_client[0]);
	close(to_client[1]);
	close(wake[0]);
	close(wake[1]);
	return 0;
}

static void put(size_t size)
{
	assert_int_equal(write(to_server[1], stream, size), size);
}

static int greet(int limit_ms)
{
	return tw_front_greet(to_server[0], to_client[1], wake[0], limit_ms,
			      &hello_ours, &run, &reason);
}

static void check_answer(enum tw_frame_type type)
{
	static struct tw_frame_reader reader;
	struct tw_frame frame;

	tw_frame_reset(&reader);
	assert_int_equal(tw_frame_receive(&reader, to_client[0], -1, 0,
					  &frame), 0);
	assert_int_equal(frame.type, type);
}

static void test_good(void **state)
{
	(void)state;
	put(hello_good(stream));
	assert_int_equal(greet(10000), 0);
	check_answer(TW_FRAME_HELLO);
	assert_int_equal(run.fd, -1);
	assert_int_equal(run.version, 3);
	assert_int_equal(run.length, 8);
	assert_memory_equal(run.body, "pairs=1\n", 8);
	assert_string_equal(run.peer, "");
	assert_int_equal(reason, TW_FRONT_OPEN);
}

static void test_refused(void **state)
{
	(void)state;
	put(hello_add(stream, 0, TW_FRAME_HELLO,
		      "version_min=4\nversion_max=4\n"));
	assert_int_equal(greet(10000), -EPROTO);
	assert_int_equal(reason, TW_FRONT_VERSION);
	check_answer(TW_FRAME_REFUSE);
	strcpy(stream, "bash: twowaytest: not found\n");
	put(strlen(stream));
	assert_int_equal(greet(10000), -EPROTO);
	assert_int_equal(reason, TW_FRONT_BAD_FRAME);
}

/* Half of it is not enough, however long the wait. */
static void test_slow(void **state)
{
	int64_t begin_ns = tw_now_ns(CLOCK_MONOTONIC);

	(void)state;
	assert_int_equal(greet(0), -ETIMEDOUT);
	put(hello_add(stream, 0, TW_FRAME_HELLO, HELLO_2_TO_5));
	assert_int_equal(greet(30), -ETIMEDOUT);
	assert_true(tw_now_ns(CLOCK_MONOTONIC) - begin_ns >=
		    30 * TW_NS_PER_MS);
	check_answer(TW_FRAME_HELLO);
}

static void test_ended(void **state)
{
	(void)state;
	put(hello_good(stream) - 1);
	close(to_server[1]);
	assert_int_equal(greet(10000), -ECONNRESET);
	assert_int_equal(reason, TW_FRONT_OPEN);
	to_server[1] = dup(0);
}

static void test_woken(void **state)
{
	(void)state;
	assert_int_equal(write(wake[1], "x", 1), 1);
	put(hello_good(stream));
	assert_int_equal(greet(10000), -EINTR);
}

static void test_client_left(void **state)
{
	(void)state;
	close(to_client[0]);
	put(hello_good(stream));
	assert_int_equal(greet(10000), -EPIPE);
	to_client[0] = dup(0);
}

static void test_not_open(void **state)
{
	(void)state;
	assert_int_equal(tw_front_greet(1023, to_client[1], -1, 10000,
					&hello_ours, &run, &reason), -EBADF);
}

static void check_peer(const char *number, uint32_t scope,
		       const char *expected)
{
	char text[TW_FRONT_PEER_TEXT];
	union tw_address address = { .any.sa_family = AF_INET6 };

	if (inet_pton(AF_INET6, number, &address.in6.sin6_addr) == 1)
		address.in6.sin6_scope_id = scope;
	else if (inet_pton(AF_INET, number, &address.in.sin_addr) == 1)
		address.any.sa_family = AF_INET;
	else
		address.any.sa_family = AF_UNIX;
	address.in.sin_port = htons(40001);
	tw_front_peer_text(&address, text);
	assert_string_equal(text, expected);
}

static void test_peer(void **state)
{
	(void)state;
	check_peer("192.0.2.1", 0, "192.0.2.1:40001");
	check_peer("2001:db8::1", 0, "[2001:db8::1]:40001");
	check_peer("fe80::1", 3, "[fe80::1%3]:40001");
	check_peer("::ffff:192.0.2.1", 0, "192.0.2.1:40001");
	check_peer("1111:2222:3333:4444:5555:6666:7777:8888", 4294967295,
		   "[1111:2222:3333:4444:5555:6666:7777:8888%4294967295]:40001");
	check_peer("", 0, "unknown:40001");
}

static void test_reasons(void **state)
{
	int one, other;

	(void)state;
	for (one = 0; one < TW_FRONT_REASONS; one++)
		for (other = 0; other < one; other++)
			assert_string_not_equal(tw_front_reason_text(one),
						tw_front_reason_text(other));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_good, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refused, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_slow, setup, teardown),
		cmocka_unit_test_setup_teardown(test_ended, setup, teardown),
		cmocka_unit_test_setup_teardown(test_woken, setup, teardown),
		cmocka_unit_test_setup_teardown(test_client_left, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_not_open, setup,
						teardown),
		cmocka_unit_test(test_peer),
		cmocka_unit_test(test_reasons),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
