// SPDX-License-Identifier: GPL-2.0-or-later
/* The client's side of HELLO: the server's answers, good and bad. */
#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "hello.h"

static struct tw_frame_reader reader;
static int in_fd, server_fd;
static char why[TW_HELLO_WHY];

static int setup(void **state)
{
	int fds[2];

	(void)state;
	tw_frame_reset(&reader);
	memset(why, 0, sizeof(why));
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	in_fd = fds[0];
	server_fd = fds[1];
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	close(in_fd);
	close(server_fd);
	return 0;
}

static void check_answer(const void *answer, size_t size, int expected,
			 const char *text)
{
	setup(NULL);
	assert_int_equal(write(server_fd, answer, size), size);
	assert_int_equal(tw_hello_call(&reader, in_fd, in_fd, -1, &hello_ours,
				       why), expected);
	assert_string_equal(why, text);
	teardown(NULL);
}

static void check_frame(enum tw_frame_type type, const char *body,
			int expected, const char *text)
{
	char stream[1024];

	check_answer(stream, hello_add(stream, 0, type, body), expected, text);
}

static void test_versions(void **state)
{
	(void)state;
	check_frame(TW_FRAME_HELLO, HELLO_2_TO_5, 3, "");
	check_frame(TW_FRAME_HELLO, "version_min=1\nversion_max=2\n", 2, "");
	check_frame(TW_FRAME_HELLO, "version_min=1\nversion_max=2\nx=1\n", 2,
		    "");
	check_frame(TW_FRAME_HELLO, "version_min=4\nversion_max=7\n",
		    -EPROTONOSUPPORT,
		    "the server speaks versions 4 to 7 of the protocol, and this program 2 to 3");
}

static void test_refused(void **state)
{
	(void)state;
	check_frame(TW_FRAME_REFUSE, "text=no pairs left\n", -ECONNREFUSED,
		    "the server refused: no pairs left");
	check_frame(TW_FRAME_BUSY, "text=until 12:00\nmore=1\n",
		    -ECONNREFUSED, "the server is busy: until 12:00");
}

/* A server is not trusted, either. */
static void test_wrong(void **state)
{
	(void)state;
	check_frame(TW_FRAME_REFUSE, "text=\x1b[2J\n", -EPROTO,
		    "the server's answer is wrong: text=\\x1b[2J: allowed: at most 511 bytes of printable UTF-8");
	check_frame(TW_FRAME_REFUSE, "", -EPROTO,
		    "the server's answer is wrong: key text is missing");
	check_frame(TW_FRAME_HELLO, "", -EPROTO,
		    "the server's HELLO is wrong: key version_min is missing");
	check_frame(TW_FRAME_HELLO, "version_min=3\nversion_max=2\n", -EPROTO,
		    "the server's HELLO is wrong: version_min=3 is above version_max=2");
	check_frame(TW_FRAME_GRANT, "", -EPROTO,
		    "the server answered HELLO with GRANT");
	check_answer("SSH-2.0-OpenSSH\r\n", 17, -EPROTO,
		     "what answers is no server of twowaytest");
	check_answer("TW\1\0\377\0\0\0", 8, -EMSGSIZE,
		     "what answers is no server of twowaytest");
}

static void test_left(void **state)
{
	(void)state;
	shutdown(server_fd, SHUT_WR);
	assert_int_equal(tw_hello_call(&reader, in_fd, in_fd, -1, &hello_ours,
				       why), -ECONNRESET);
	assert_non_null(strstr(why, "--allow"));
	close(server_fd);
	server_fd = -1;
	tw_frame_reset(&reader);
	assert_int_equal(tw_hello_call(&reader, in_fd, in_fd, -1, &hello_ours,
				       why), -EPIPE);
	assert_string_equal(why, "the server closed the connection");
}

static void test_ended(void **state)
{
	int wake[2];

	(void)state;
	assert_int_equal(pipe(wake), 0);
	assert_int_equal(write(wake[1], "x", 1), 1);
	assert_int_equal(tw_hello_call(&reader, in_fd, in_fd, wake[0],
				       &hello_ours, why), -EINTR);
	assert_string_equal(why, "a signal arrived");
	close(wake[0]);
	close(wake[1]);
	assert_int_equal(tw_hello_call(&reader, 1023, in_fd, -1, &hello_ours,
				       why), -EBADF);
	assert_string_equal(why,
			    "the connection failed: Bad file descriptor");
}

/* What the server gets, it understands. */
static void test_sent(void **state)
{
	struct tw_keys_notes notes = { .why = "" };
	struct tw_versions got;
	struct tw_frame frame;
	char stream[256];
	size_t size = hello_add(stream, 0, TW_FRAME_HELLO, HELLO_2_TO_5);

	(void)state;
	assert_int_equal(write(server_fd, stream, size), size);
	assert_int_equal(tw_hello_call(&reader, in_fd, in_fd, -1, &hello_ours,
				       why), 3);
	tw_frame_reset(&reader);
	assert_int_equal(tw_frame_receive(&reader, server_fd, -1, 0, &frame),
			 0);
	assert_int_equal(frame.type, TW_FRAME_HELLO);
	assert_int_equal(tw_hello_decode(&frame, &got, &notes), 0);
	assert_int_equal(got.min, 2);
	assert_int_equal(got.max, 3);
}

static void check_refusal(const char *text, const char *expected)
{
	char got[TW_REFUSAL_TEXT];
	struct tw_frame frame;

	tw_frame_reset(&reader);
	assert_int_equal(tw_refusal_send(server_fd, TW_FRAME_BUSY, text, 0),
			 0);
	assert_int_equal(tw_frame_receive(&reader, in_fd, -1, 0, &frame), 0);
	assert_int_equal(frame.type, TW_FRAME_BUSY);
	assert_int_equal(tw_refusal_decode(&frame, got), 0);
	assert_string_equal(got, expected);
}

static void test_refusal(void **state)
{
	char text[2000], expected[TW_REFUSAL_TEXT];

	(void)state;
	check_refusal("", "");
	check_refusal("one\ntwo\x1b", "one?two?");
	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	memset(expected, 'x', sizeof(expected));
	expected[sizeof(expected) - 1] = '\0';
	check_refusal(text, expected);
	/* A character that is cut in two. */
	memcpy(text + TW_REFUSAL_TEXT - 2, "\xc3\xa4", 2);
	expected[TW_REFUSAL_TEXT - 2] = '?';
	check_refusal(text, expected);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_versions),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_wrong),
		cmocka_unit_test_setup_teardown(test_left, setup, teardown),
		cmocka_unit_test_setup_teardown(test_ended, setup, teardown),
		cmocka_unit_test_setup_teardown(test_sent, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refusal, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
