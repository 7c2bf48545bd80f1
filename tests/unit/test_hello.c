// SPDX-License-Identifier: GPL-2.0-or-later
/* REFUSE and BUSY: as sent and read again, and those that are wrong. */
#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "hello.h"

static struct tw_frame_reader reader;
static int in_fd, server_fd;

static int setup(void **state)
{
	int fds[2];

	(void)state;
	tw_frame_reset(&reader);
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

static void check_body(const char *body, int expected, const char *text)
{
	const struct tw_frame frame = {
		.type = TW_FRAME_REFUSE, .body = body, .length = strlen(body),
	};
	char got[TW_REFUSAL_TEXT];

	assert_int_equal(tw_refusal_decode(&frame, got), expected);
	assert_string_equal(got, text);
}

/* A server is not trusted, either. */
static void test_body(void **state)
{
	(void)state;
	check_body("text=no pairs left\n", 0, "no pairs left");
	check_body("text=until 12:00\nmore=1\n", 0, "until 12:00");
	check_body("text=\x1b[2J\n", -EINVAL,
		   "text=\\x1b[2J: allowed: at most 511 bytes of printable UTF-8");
	check_body("", -EINVAL, "key text is missing");
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
		cmocka_unit_test(test_body),
		cmocka_unit_test_setup_teardown(test_refusal, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
