// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Streams: whole lines in a file, what is dropped after an error, how long a
 * reader may pause, and system calls that fail or do half of it. This program's
 * own functions stand before the C library's: its time passes in poll() only,
 * and there the reader reads.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/tw_flow.h"
#include "base/tw_time.h"
#include "cannot_reopen.h"
#include "unit.h"

#define LINE	"twenty bytes a line\n"
#define LINES	20000		/* more than a pipe takes */

static int64_t now_ns;
static int reader = -1, every, waits;

/* How a system call goes on the stream's descriptor; 0: as it is. */
static size_t write_most;
static int write_err, close_err;

/* Fails once; then it writes up to @write_most bytes. */
ssize_t write(int fd, const void *text, size_t len)
{
	if (write_err) {
		errno = write_err;
		write_err = 0;
		return -1;
	}
	if (write_most && len > write_most)
		len = write_most;
	return syscall(SYS_write, fd, text, len);
}

int close(int fd)
{
	int err = (int)syscall(SYS_close, fd);

	if (!close_err)
		return err;
	errno = close_err;
	return -1;
}

/* cmocka reads clocks, too: nothing to be asserted here. */
int clock_gettime(clockid_t clockid, struct timespec *ts)
{
	(void)clockid;
	*ts = tw_ns_to_ts(now_ns);
	return 0;
}

/* The reader wakes up at the end of each @every-th wait. */
int poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
	const struct timespec at_once = { 0 };
	char text[65536];

	if (ppoll(fds, count, &at_once, NULL) > 0)
		return 1;
	now_ns += timeout_ms * TW_NS_PER_MS;
	if (timeout_ms > 1 && every && ++waits % every == 0)
		assert_true(read(reader, text, sizeof(text)) > 0);
	return ppoll(fds, count, &at_once, NULL);
}

static void print_lines(struct tw_flow *flow, int count)
{
	while (count--)
		fputs(LINE, flow->stream);
}

static off_t size_of(int fd)
{
	return lseek(fd, 0, SEEK_END);
}

/* All lines that are complete, at once; the rest when it ends. */
static void test_whole_lines(void **state)
{
	int fd = open("/tmp", O_TMPFILE | O_RDWR, 0600);
	int copy = dup(fd);
	struct tw_flow flow;

	(void)state;
	assert_true(fd >= 0 && copy >= 0);
	assert_int_equal(tw_flow_open(&flow, fd), 0);
	flow.whole_lines = true;
	print_lines(&flow, 3);
	fputs("half", flow.stream);
	assert_int_equal(tw_flow_push(&flow, 0), 0);
	assert_int_equal(size_of(copy), 3 * strlen(LINE));
	assert_int_equal(tw_flow_behind(&flow), strlen("half"));
	assert_int_equal(tw_flow_finish(&flow, -1), 0);
	assert_int_equal(size_of(copy), 3 * strlen(LINE) + strlen("half"));
	assert_int_equal(tw_flow_close(&flow), 0);
	close(copy);
}

/* What is printed after an error takes no memory. */
static void test_dropped(void **state)
{
	struct tw_flow flow;
	size_t behind;
	int ends[2];

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(tw_flow_open(&flow, ends[1]), 0);
	print_lines(&flow, 1);
	close(ends[0]);
	assert_int_equal(tw_flow_push(&flow, 0), -EPIPE);
	behind = tw_flow_behind(&flow);
	print_lines(&flow, LINES);
	assert_int_equal(tw_flow_behind(&flow), behind);
	assert_int_equal(tw_flow_close(&flow), -EPIPE);
}

/* The other end of a socket is gone: an error, no signal. */
static void test_socket_without_reader(void **state)
{
	struct tw_flow flow;
	int ends[2];

	(void)state;
	signal(SIGPIPE, SIG_DFL);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	assert_int_equal(tw_flow_open(&flow, ends[1]), 0);
	print_lines(&flow, 1);
	close(ends[0]);
	assert_int_equal(tw_flow_push(&flow, 0), -EPIPE);
	assert_int_equal(tw_flow_close(&flow), -EPIPE);
}

/* What becomes of a reader that reads each 100 ms times @times only. */
static int finish(int times, int idle_ms)
{
	struct tw_flow flow;
	int ends[2], err;

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(tw_flow_open(&flow, ends[1]), 0);
	print_lines(&flow, LINES);
	reader = ends[0];
	every = times;
	waits = 0;
	err = tw_flow_finish(&flow, idle_ms);
	every = 0;
	assert_int_equal(tw_flow_close(&flow), err);
	close(reader);
	return err;
}

/* Each pause counts by itself, however many there are. */
static void test_pauses(void **state)
{
	(void)state;
	assert_int_equal(finish(1, 300), 0);
	assert_int_equal(finish(2, 300), 0);
	assert_int_equal(finish(3, 300), 0);
	assert_int_equal(finish(4, 300), -EINTR);
	assert_int_equal(finish(6, 1000), 0);
	assert_int_equal(finish(6, -1), 0);
}

static void test_few_bytes_at_a_time(void **state)
{
	int fd = open("/tmp", O_TMPFILE | O_RDWR, 0600);
	char text[3 * sizeof(LINE)] = "";
	int copy = dup(fd);
	struct tw_flow flow;

	(void)state;
	assert_true(fd >= 0 && copy >= 0);
	assert_int_equal(tw_flow_open(&flow, fd), 0);
	print_lines(&flow, 2);
	write_most = 7;
	write_err = EINTR;
	assert_int_equal(tw_flow_push(&flow, 0), 0);
	write_most = 0;
	assert_int_equal(tw_flow_close(&flow), 0);
	assert_int_equal(pread(copy, text, sizeof(text), 0), 2 * strlen(LINE));
	assert_string_equal(text, LINE LINE);
	close(copy);
}

/* A reader that had room, and has none after all; or a signal. */
static void test_not_now(void **state)
{
	static const int errors[] = { EAGAIN, EINTR };
	struct tw_flow flow;
	int ends[2], i;

	(void)state;
	for (i = 0; i < 2; i++) {
		assert_int_equal(pipe(ends), 0);
		assert_int_equal(tw_flow_open(&flow, ends[1]), 0);
		print_lines(&flow, 1);
		write_err = errors[i];
		assert_int_equal(tw_flow_push(&flow, 0), -EAGAIN);
		assert_int_equal(tw_flow_push(&flow, 100), 0);
		assert_int_equal(tw_flow_close(&flow), 0);
		close(ends[0]);
	}
}

/* A pipe that blocks is written to only as far as it has room. */
static void test_blocking_pipe(void **state)
{
	struct tw_flow flow;
	char text[10000];
	size_t behind;
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	cannot_reopen = true;
	assert_int_equal(tw_flow_open(&flow, ends[1]), 0);
	cannot_reopen = false;
	print_lines(&flow, LINES);
	alarm(20);
	assert_int_equal(tw_flow_push(&flow, 0), -EAGAIN);
	behind = tw_flow_behind(&flow);
	assert_int_equal(read(ends[0], text, sizeof(text)), sizeof(text));
	assert_int_equal(tw_flow_push(&flow, 0), -EAGAIN);
	assert_true(tw_flow_behind(&flow) < behind);
	alarm(0);
	assert_int_equal(tw_flow_close(&flow), 0);
	close(ends[0]);
}

/* Some file systems report only then that they could not write. */
static void test_close(void **state)
{
	struct tw_flow flow;

	(void)state;
	assert_int_equal(tw_flow_open(&flow, open("/tmp", O_TMPFILE | O_RDWR,
						  0600)), 0);
	print_lines(&flow, 1);
	close_err = EDQUOT;
	assert_int_equal(tw_flow_close(&flow), -EDQUOT);
	close_err = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole_lines),
		cmocka_unit_test(test_dropped),
		cmocka_unit_test(test_socket_without_reader),
		cmocka_unit_test(test_pauses),
		cmocka_unit_test(test_few_bytes_at_a_time),
		cmocka_unit_test(test_not_now),
		cmocka_unit_test(test_blocking_pipe),
		cmocka_unit_test(test_close),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
