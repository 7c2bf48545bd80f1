// SPDX-License-Identifier: GPL-2.0-or-later
/* Frames through sockets and pipes: limits, signals, peers that left. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/tw_time.h"
#include "host/tw_frame.h"
#include "unit.h"

#define LONG_MS		10000	/* no test waits so long */

static struct tw_frame_reader reader;
static int in_fd, out_fd;
static char body[TW_FRAME_BODY_MAX];

static int with_pipe(void **state)
{
	int fds[2];

	(void)state;
	tw_frame_reset(&reader);
	assert_int_equal(pipe(fds), 0);
	in_fd = fds[0];
	out_fd = fds[1];
	return 0;
}

static int with_socket(void **state)
{
	int fds[2];

	(void)state;
	tw_frame_reset(&reader);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	in_fd = fds[0];
	out_fd = fds[1];
	return 0;
}

static int with_nonblocking(void **state)
{
	with_socket(state);
	assert_int_equal(fcntl(in_fd, F_SETFL, O_NONBLOCK), 0);
	assert_int_equal(fcntl(out_fd, F_SETFL, O_NONBLOCK), 0);
	return 0;
}

static void close_out(void)
{
	if (out_fd >= 0)
		close(out_fd);
	out_fd = -1;
}

static void close_in(void)
{
	if (in_fd >= 0)
		close(in_fd);
	in_fd = -1;
}

static int teardown(void **state)
{
	(void)state;
	close_in();
	close_out();
	return 0;
}

static int receive(int limit_ms, struct tw_frame *frame)
{
	return tw_frame_receive(&reader, in_fd, -1, limit_ms, frame);
}

static void check_received(enum tw_frame_type type, const char *text)
{
	struct tw_frame frame;

	assert_int_equal(receive(LONG_MS, &frame), 0);
	assert_int_equal(frame.type, type);
	assert_int_equal(frame.length, strlen(text));
	assert_memory_equal(frame.body, text, frame.length);
}

static void test_pass(void **state)
{
	struct tw_frame frame;

	(void)state;
	assert_int_equal(tw_frame_send(out_fd, TW_FRAME_GRANT, "a=1\n", 4,
				       LONG_MS), 0);
	assert_int_equal(tw_frame_send(out_fd, TW_FRAME_START, NULL, 0, 0),
			 0);
	check_received(TW_FRAME_GRANT, "a=1\n");
	check_received(TW_FRAME_START, "");
	assert_int_equal(receive(0, &frame), -ETIMEDOUT);
	assert_int_equal(tw_frame_send(out_fd, TW_FRAME_RESULT, body,
				       sizeof(body) + 1, LONG_MS), -EMSGSIZE);
	assert_int_equal(receive(0, &frame), -ETIMEDOUT);
}

/* A time-out in the middle of a frame loses nothing. */
static void test_parts(void **state)
{
	static const char whole[] = "TW\1\0\0\0\0\3abc";
	struct tw_frame frame;
	int i;

	(void)state;
	for (i = 0; i < 11; i++) {
		assert_int_equal(receive(1, &frame), -ETIMEDOUT);
		assert_int_equal(write(out_fd, whole + i, 1), 1);
	}
	check_received(TW_FRAME_HELLO, "abc");
}

static void *receive_largest(void *result)
{
	struct tw_frame frame;

	*(int *)result = receive(LONG_MS, &frame);
	if (!*(int *)result && (frame.length != sizeof(body) ||
				memcmp(frame.body, body, sizeof(body))))
		*(int *)result = -EBADMSG;
	return NULL;
}

/* Fills what is between the ends. */
static void fill(void)
{
	int flags = fcntl(out_fd, F_GETFL);
	static const char zeros[4096];
	size_t piece = sizeof(zeros);

	assert_int_equal(fcntl(out_fd, F_SETFL, flags | O_NONBLOCK), 0);
	while (piece)
		if (write(out_fd, zeros, piece) < 0)
			piece /= 2;
	assert_int_equal(fcntl(out_fd, F_SETFL, flags), 0);
}

static int64_t elapsed_ms(int64_t begin_ns)
{
	return (tw_now_ns(CLOCK_MONOTONIC) - begin_ns) / TW_NS_PER_MS;
}

/* Neither a full socket nor a full pipe holds us longer than the limit. */
static void test_full(void **state)
{
	int64_t begin_ns;

	(void)state;
	fill();
	begin_ns = tw_now_ns(CLOCK_MONOTONIC);
	assert_int_equal(tw_frame_send(out_fd, TW_FRAME_RESULT, body,
				       sizeof(body), 30), -ETIMEDOUT);
	assert_true(elapsed_ms(begin_ns) >= 30);
	assert_int_equal(tw_frame_send(out_fd, TW_FRAME_STOP, NULL, 0, 0),
			 -ETIMEDOUT);
}

/* More than fits at once; the other end reads slowly. */
static void test_largest(void **state)
{
	static char zeros[1 << 20];
	pthread_t thread;
	int result = 1;
	ssize_t got;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(body); i++)
		body[i] = (char)(i * 11);
	fill();
	/* A part of the room becomes free again. */
	assert_true(read(in_fd, zeros, 4096) > 0);
	assert_int_equal(tw_frame_send(out_fd, TW_FRAME_RESULT, body,
				       sizeof(body), 10), -ETIMEDOUT);
	assert_int_equal(fcntl(in_fd, F_SETFL, O_NONBLOCK), 0);
	do {
		got = read(in_fd, zeros, sizeof(zeros));
	} while (got > 0);
	assert_int_equal(pthread_create(&thread, NULL, receive_largest,
					&result), 0);
	assert_int_equal(tw_frame_send(out_fd, TW_FRAME_RESULT, body,
				       sizeof(body), LONG_MS), 0);
	pthread_join(thread, NULL);
	assert_int_equal(result, 0);
}

/* What comes behind the largest frame is not lost. */
static void test_behind_largest(void **state)
{
	struct tw_frame frame;

	(void)state;
	assert_int_equal(tw_frame_send(out_fd, TW_FRAME_RESULT, body,
				       sizeof(body), LONG_MS), 0);
	assert_int_equal(tw_frame_send(out_fd, TW_FRAME_STOP, "x", 1,
				       LONG_MS), 0);
	assert_int_equal(receive(LONG_MS, &frame), 0);
	assert_int_equal(frame.length, sizeof(body));
	check_received(TW_FRAME_STOP, "x");
}

static void test_bad(void **state)
{
	struct tw_frame frame;

	(void)state;
	assert_int_equal(write(out_fd, "GET / HTTP/1.1\r\n", 16), 16);
	assert_int_equal(receive(LONG_MS, &frame), -EPROTO);
	assert_int_equal(receive(LONG_MS, &frame), -EPROTO);
	tw_frame_reset(&reader);
	assert_int_equal(write(out_fd, "TW\1\0\0\1\0\0", 8), 8);
	assert_int_equal(receive(LONG_MS, &frame), -EMSGSIZE);
}

/* What came before the end is received; a part of a frame is none. */
static void test_end(void **state)
{
	struct tw_frame frame;

	(void)state;
	tw_frame_send(out_fd, TW_FRAME_STOP, "x", 1, LONG_MS);
	assert_int_equal(write(out_fd, "TW\1", 3), 3);
	close_out();
	check_received(TW_FRAME_STOP, "x");
	assert_int_equal(receive(LONG_MS, &frame), -ECONNRESET);
	assert_int_equal(receive(LONG_MS, &frame), -ECONNRESET);
}

/* No SIGPIPE from a socket. */
static void test_reader_left(void **state)
{
	(void)state;
	close_in();
	assert_int_equal(tw_frame_send(out_fd, TW_FRAME_STOP, "x", 1,
				       LONG_MS), -EPIPE);
}

static void test_pipe_reader_left(void **state)
{
	signal(SIGPIPE, SIG_IGN);
	test_reader_left(state);
	signal(SIGPIPE, SIG_DFL);
}

static void test_not_open(void **state)
{
	struct tw_frame frame;

	(void)state;
	assert_int_equal(tw_frame_receive(&reader, 1023, -1, LONG_MS, &frame),
			 -EBADF);
	assert_int_equal(tw_frame_send(1023, TW_FRAME_STOP, "x", 1, LONG_MS),
			 -EBADF);
}

static void check_limit(int limit_ms)
{
	int64_t begin_ns = tw_now_ns(CLOCK_MONOTONIC);
	struct tw_frame frame;

	assert_int_equal(receive(limit_ms, &frame), -ETIMEDOUT);
	assert_true(elapsed_ms(begin_ns) >= limit_ms);
	assert_true(elapsed_ms(begin_ns) < LONG_MS);
}

static void test_limit(void **state)
{
	(void)state;
	check_limit(0);
	check_limit(1);
	check_limit(50);
	check_limit(-1);
}

/* The descriptor to wake us is not read. */
static void test_wake(void **state)
{
	struct tw_frame frame;
	int wake[2];
	char byte;

	(void)state;
	assert_int_equal(pipe(wake), 0);
	assert_int_equal(tw_frame_receive(&reader, in_fd, wake[0], 1, &frame),
			 -ETIMEDOUT);
	assert_int_equal(write(wake[1], "x", 1), 1);
	assert_int_equal(tw_frame_receive(&reader, in_fd, wake[0], LONG_MS,
					  &frame), -EINTR);
	assert_int_equal(tw_frame_receive(&reader, in_fd, wake[0], LONG_MS,
					  &frame), -EINTR);
	/* A frame that has been read already comes first. */
	tw_frame_feed(&reader, "TW\6\0\0\0\0\0", 8);
	assert_int_equal(tw_frame_receive(&reader, in_fd, wake[0], LONG_MS,
					  &frame), 0);
	assert_int_equal(read(wake[0], &byte, 1), 1);
	close(wake[0]);
	close(wake[1]);
}

static void on_alarm(int number)
{
	(void)number;
}

/* Every few ms, from now on. */
static void alarms(long every_ms)
{
	struct sigaction action = { .sa_handler = on_alarm };
	struct itimerval timer = {
		.it_interval.tv_usec = every_ms * 1000,
		.it_value.tv_usec = every_ms * 1000,
	};

	assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &timer, NULL), 0);
}

static void test_signal(void **state)
{
	struct tw_frame frame;
	int err;

	(void)state;
	fill();
	alarms(5);
	err = tw_frame_send(out_fd, TW_FRAME_RESULT, body, sizeof(body), 50);
	tw_frame_reset(&reader);
	close_out();
	close_in();
	with_pipe(NULL);
	assert_int_equal(receive(LONG_MS, &frame), -EINTR);
	alarms(0);
	signal(SIGALRM, SIG_DFL);
	assert_int_equal(err, -ETIMEDOUT);
}

#define BOTH(test) \
	cmocka_unit_test_setup_teardown(test, with_pipe, teardown), \
	cmocka_unit_test_setup_teardown(test, with_socket, teardown), \
	cmocka_unit_test_setup_teardown(test, with_nonblocking, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		BOTH(test_pass),
		BOTH(test_parts),
		BOTH(test_full),
		BOTH(test_largest),
		BOTH(test_behind_largest),
		BOTH(test_bad),
		BOTH(test_end),
		BOTH(test_limit),
		BOTH(test_wake),
		cmocka_unit_test_setup_teardown(test_reader_left, with_socket,
						teardown),
		cmocka_unit_test_setup_teardown(test_pipe_reader_left,
						with_pipe, teardown),
		cmocka_unit_test(test_not_open),
		BOTH(test_signal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
