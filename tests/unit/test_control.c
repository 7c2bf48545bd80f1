// SPDX-License-Identifier: GPL-2.0-or-later
/* Frames with keys between two hosts, and what comes in their place. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/tw_time.h"
#include "host/tw_control.h"
#include "open_files.h"
#include "unit.h"

static struct tw_control here, there;
static struct tw_asked asked;
static struct tw_stop stop;
static char why[TW_REFUSAL_TEXT];
static int signal_fd, files;
static sigset_t mask;

static int set_up(void **state)
{
	sigset_t signals;
	int fds[2];

	(void)state;
	files = count_open_files();
	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGCHLD);
	sigprocmask(SIG_BLOCK, &signals, &mask);
	signal_fd = signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
	if (signal_fd < 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, fds))
		return -1;
	tw_control_init(&here, fds[0], fds[0]);
	tw_control_init(&there, fds[1], fds[1]);
	assert_int_equal(here.version, TW_VERSION_MAX);
	memset(why, 'x', sizeof(why));
	return 0;
}

static int tear_down(void **state)
{
	struct signalfd_siginfo info;

	(void)state;
	while (read(signal_fd, &info, sizeof(info)) > 0)
		;
	close(signal_fd);
	tw_control_close(&here);
	tw_control_close(&there);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	return count_open_files() == files ? 0 : -1;
}

static int await(enum tw_frame_type type, int limit_ms)
{
	return tw_control_await(&here, type, tw_stop_keys, &stop, signal_fd,
				limit_ms, why);
}

static void send_stop(enum tw_frame_type type, const char *text)
{
	struct tw_stop from = { "" };

	strcpy(from.why, text);
	assert_int_equal(tw_control_send(&there, type, tw_stop_keys, &from),
			 0);
}

static void awaits(enum tw_frame_type type, int err, const char *reason)
{
	assert_int_equal(await(type, 1000), err);
	assert_string_equal(why, reason);
}

static void test_round(void **state)
{
	(void)state;
	send_stop(TW_FRAME_START, "all is \xc3\xa4 well");
	assert_int_equal(await(TW_FRAME_START, 1000), 0);
	assert_string_equal(stop.why, "all is \xc3\xa4 well");
	/* One frame after the other, as they came. */
	send_stop(TW_FRAME_START, "one");
	send_stop(TW_FRAME_STOP, "two");
	assert_int_equal(await(TW_FRAME_START, 1000), 0);
	assert_string_equal(stop.why, "one");
	assert_int_equal(await(TW_FRAME_STOP, 1000), 0);
	assert_string_equal(stop.why, "two");
}

static void test_refused(void **state)
{
	(void)state;
	assert_int_equal(tw_refusal_send(there.out_fd, TW_FRAME_REFUSE,
					 "too much", 1000), 0);
	awaits(TW_FRAME_GRANT, -ECONNREFUSED, "too much");
	assert_int_equal(tw_refusal_send(there.out_fd, TW_FRAME_BUSY,
					 "later", 1000), 0);
	awaits(TW_FRAME_GRANT, -ECONNREFUSED, "later");
}

/* Also the longest text that a host can send. */
static void test_stopped(void **state)
{
	char text[TW_REFUSAL_TEXT];

	(void)state;
	memset(text, 'y', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	send_stop(TW_FRAME_STOP, text);
	awaits(TW_FRAME_START, -ECANCELED, text);
	send_stop(TW_FRAME_STOP, "");
	awaits(TW_FRAME_RESULT, -ECANCELED, "");
}

static void test_wrong_type(void **state)
{
	(void)state;
	send_stop(TW_FRAME_START, "");
	awaits(TW_FRAME_GRANT, -EPROTO,
	       "it sent START where GRANT was to come");
	send_stop(TW_FRAME_RESULT, "");
	awaits(TW_FRAME_STOP, -EPROTO,
	       "it sent RESULT where STOP was to come");
}

static void send_body(enum tw_frame_type type, const char *body)
{
	assert_int_equal(tw_frame_send(there.out_fd, type, body, strlen(body),
				       1000), 0);
}

/* Unknown keys are of later versions only where those may add some. */
static void test_wrong_body(void **state)
{
	struct tw_versions versions;

	(void)state;
	send_body(TW_FRAME_START, "");
	assert_int_equal(await(TW_FRAME_START, 1000), -EINVAL);
	assert_non_null(strstr(why, "its START is not understood: "));
	assert_non_null(strstr(why, "why"));
	send_body(TW_FRAME_START, "why=\nnews=1\n");
	assert_int_equal(await(TW_FRAME_START, 1000), -EINVAL);
	assert_non_null(strstr(why, "news"));
	send_body(TW_FRAME_RESULT, "why=r\nnews=1\n");
	assert_int_equal(await(TW_FRAME_RESULT, 1000), 0);
	assert_string_equal(stop.why, "r");
	send_body(TW_FRAME_HELLO, "version_min=1\nversion_max=9\nnews=1\n");
	assert_int_equal(tw_control_await(&here, TW_FRAME_HELLO, tw_hello_keys,
					  &versions, -1, 1000, why), 0);
	assert_int_equal(versions.max, 9);
	send_body(TW_FRAME_STOP, "why=s\nnews=1\n");
	assert_int_equal(await(TW_FRAME_GRANT, 1000), -ECANCELED);
	assert_string_equal(why, "s");
	send_body(TW_FRAME_STOP, "what=s\n");
	assert_int_equal(await(TW_FRAME_GRANT, 1000), -EINVAL);
	send_body(TW_FRAME_REFUSE, "nothing");
	assert_int_equal(await(TW_FRAME_GRANT, 1000), -EPROTO);
}

static void test_another_protocol(void **state)
{
	static const char http[] = "HTTP/1.1 400 Bad Request\r\n\r\n";

	(void)state;
	assert_int_equal(write(there.out_fd, http, strlen(http)),
			 strlen(http));
	awaits(TW_FRAME_HELLO, -EPROTO, "what came in place of its HELLO is not of this protocol; it may be another program");
}

static void test_too_long(void **state)
{
	static const char header[] = "TW\x05\0\0\0\x40\x01";

	(void)state;
	assert_int_equal(write(there.out_fd, header, 8), 8);
	awaits(TW_FRAME_GRANT, -EMSGSIZE, "what came in place of its GRANT is not of this protocol; it may be another program");
}

static void test_end(void **state)
{
	(void)state;
	tw_control_close(&there);
	awaits(TW_FRAME_RESULT, -ECONNRESET,
	       "it closed the connection before its RESULT");
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(tw_control_send(&here, TW_FRAME_STOP, tw_stop_keys,
					 &stop), -EPIPE);
}

static int64_t now_ms(void)
{
	return tw_now_ns(CLOCK_MONOTONIC) / TW_NS_PER_MS;
}

static void test_time_out(void **state)
{
	int64_t begin_ms = now_ms();

	(void)state;
	assert_int_equal(await(TW_FRAME_GRANT, 50), -ETIMEDOUT);
	assert_true(now_ms() - begin_ms >= 49);
	assert_string_equal(why, "it sent no GRANT within 0 s");
	/* A part of a frame is no frame; the rest completes it. */
	assert_int_equal(write(there.out_fd, "TW\x06\0\0\0\0\x05wh", 10), 10);
	assert_int_equal(await(TW_FRAME_START, 20), -ETIMEDOUT);
	assert_int_equal(write(there.out_fd, "y=\n", 3), 3);
	assert_int_equal(await(TW_FRAME_START, 1000), 0);
}

static void test_signal(void **state)
{
	(void)state;
	raise(SIGTERM);
	awaits(TW_FRAME_GRANT, -EINTR, "a signal came before its GRANT");
	/* Whoever ends the run because of it finds it still. */
	assert_true(tw_control_told_to_end(signal_fd));
	assert_int_equal(await(TW_FRAME_GRANT, 1000), -EINTR);
}

/* Such as the end of a child: taken, and the wait goes on in its time. */
static void test_other_signal(void **state)
{
	struct signalfd_siginfo info;
	int64_t begin_ms = now_ms();

	(void)state;
	raise(SIGCHLD);
	assert_int_equal(await(TW_FRAME_GRANT, 50), -ETIMEDOUT);
	assert_true(now_ms() - begin_ms >= 49);
	assert_int_equal(read(signal_fd, &info, sizeof(info)), -1);
	raise(SIGCHLD);
	send_stop(TW_FRAME_START, "after");
	assert_int_equal(await(TW_FRAME_START, 1000), 0);
	raise(SIGCHLD);
	assert_false(tw_control_told_to_end(signal_fd));
	raise(SIGCHLD);
	raise(SIGTERM);
	assert_int_equal(await(TW_FRAME_GRANT, 1000), -EINTR);
}

/* Without a descriptor for them, signals do not end it either. */
static void test_no_signals(void **state)
{
	(void)state;
	raise(SIGTERM);
	assert_int_equal(tw_control_await(&here, TW_FRAME_GRANT, tw_stop_keys,
					  &stop, -1, 20, why), -ETIMEDOUT);
}

static void test_close(void **state)
{
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	tw_control_close(&here);
	assert_int_equal(here.in_fd, -1);
	/* Again: nothing else is closed. */
	tw_control_close(&here);
	tw_control_init(&here, fds[0], fds[1]);
	tw_control_close(&here);
	assert_int_equal(fcntl(fds[0], F_GETFD), -1);
	assert_int_equal(fcntl(fds[1], F_GETFD), -1);
}

static void test_send_wrong(void **state)
{
	(void)state;
	memset(&asked, 0, sizeof(asked));
	assert_int_equal(tw_control_send(&here, TW_FRAME_RUN, tw_asked_keys,
					 &asked), -EINVAL);
	assert_int_equal(recv(there.in_fd, why, 1, MSG_DONTWAIT), -1);
}

#define TEST(test)	cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_round),
		TEST(test_refused),
		TEST(test_stopped),
		TEST(test_wrong_type),
		TEST(test_wrong_body),
		TEST(test_another_protocol),
		TEST(test_too_long),
		TEST(test_end),
		TEST(test_time_out),
		TEST(test_signal),
		TEST(test_other_signal),
		TEST(test_no_signals),
		TEST(test_close),
		TEST(test_send_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
