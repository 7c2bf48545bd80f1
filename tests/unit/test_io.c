// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whole messages from calls that transfer less, or fail. The test's send() and
 * recv() replace those of the C library and follow a list of results.
 */
#include <stdbool.h>
#include <string.h>

#include "unit.h"

#include "measure/tw_io.h"

#define FD	77
#define SIZE	10

static struct {
	const int *results;	/* of each call: bytes, or -errno */
	size_t calls;
	size_t done;		/* bytes transferred so far */
	bool stop_in_call;	/* main sets the flag during each call */
	int flags;
	char sent[SIZE];
} socket_script;

static atomic_int stop;
static char buf[SIZE + 1];

static ssize_t transfer(int fd, const void *at, size_t size, int flags)
{
	const int result = socket_script.results[socket_script.calls++];

	assert_int_equal(fd, FD);
	assert_ptr_equal(at, buf + socket_script.done);
	assert_int_equal(size, SIZE - socket_script.done);
	socket_script.flags = flags;
	if (socket_script.stop_in_call)
		atomic_store(&stop, 1);
	if (result < 0) {
		errno = -result;
		return -1;
	}
	return result;
}

ssize_t send(int fd, const void *from, size_t size, int flags)
{
	ssize_t len = transfer(fd, from, size, flags);

	if (len > 0) {
		memcpy(socket_script.sent + socket_script.done, from, len);
		socket_script.done += len;
	}
	return len;
}

ssize_t recv(int fd, void *to, size_t size, int flags)
{
	ssize_t len = transfer(fd, to, size, flags);

	if (len > 0) {
		memcpy(to, &"0123456789"[socket_script.done], len);
		socket_script.done += len;
	}
	return len;
}

static void begin(const int *results)
{
	memset(&socket_script, 0, sizeof(socket_script));
	socket_script.results = results;
	atomic_store(&stop, 0);
}

static void check_send(const int *results, int want, size_t calls)
{
	begin(results);
	memcpy(buf, "abcdefghij", SIZE);
	assert_int_equal(tw_io_send(FD, buf, SIZE, &stop), want);
	assert_int_equal(socket_script.calls, calls);
	assert_memory_equal(socket_script.sent, "abcdefghij",
			    socket_script.done);
	if (!want)
		assert_int_equal(socket_script.done, SIZE);
	/* A peer that has gone must not end the process by a signal. */
	assert_true(socket_script.flags & MSG_NOSIGNAL);
}

static void check_receive(const int *results, int want, size_t calls)
{
	begin(results);
	memset(buf, 0, sizeof(buf));
	assert_int_equal(tw_io_receive(FD, buf, SIZE, &stop), want);
	assert_int_equal(socket_script.calls, calls);
	assert_memory_equal(buf, "0123456789", socket_script.done);
	assert_true(socket_script.flags & MSG_WAITALL);
}

static void test_whole(void **state)
{
	static const int whole[] = { SIZE };

	(void)state;
	check_send(whole, 0, 1);
	check_receive(whole, SIZE, 1);
}

static void test_parts(void **state)
{
	static const int halves[] = { 5, 5 };
	static const int parts[] = { 3, 1, 2, 4 };

	(void)state;
	check_send(halves, 0, 2);
	check_send(parts, 0, 4);
	check_receive(halves, SIZE, 2);
	check_receive(parts, SIZE, 4);
}

/* Interrupted by a signal, it continues where it was. */
static void test_interrupted(void **state)
{
	static const int results[] = { -EINTR, 4, -EINTR, -EINTR, 6 };

	(void)state;
	check_send(results, 0, 5);
	check_receive(results, SIZE, 5);
}

static void test_errors(void **state)
{
	static const int results[][3] = {
		{ -EPIPE }, { 4, -EPIPE }, { 4, -EINTR, -ECONNRESET },
		{ -EAGAIN }, { 9, -ENOTCONN },
	};
	static const size_t calls[] = { 1, 2, 3, 1, 2 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		const int want = results[i][calls[i] - 1];

		check_send(results[i], want, calls[i]);
		check_receive(results[i], want, calls[i]);
	}
}

/* The end of the connection: what has come by then counts. */
static void test_peer_closes(void **state)
{
	static const int results[][3] = { { 0 }, { 4, 0 }, { 4, 5, 0 } };

	(void)state;
	check_receive(results[0], 0, 1);
	check_receive(results[1], 4, 2);
	check_receive(results[2], 9, 3);
}

/* With the flag set, any failed call is the stop, and only a failed one. */
static void test_stop(void **state)
{
	static const int results[][2] = {
		{ -EINTR }, { -EPIPE }, { 4, -EINTR }, { 4, -ECONNRESET },
	};
	static const size_t calls[] = { 1, 1, 2, 2 };
	static const int parts[] = { 4, 6 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		begin(results[i]);
		socket_script.stop_in_call = true;
		assert_int_equal(tw_io_send(FD, buf, SIZE, &stop), -ECANCELED);
		assert_int_equal(socket_script.calls, calls[i]);
		begin(results[i]);
		socket_script.stop_in_call = true;
		assert_int_equal(tw_io_receive(FD, buf, SIZE, &stop),
				 -ECANCELED);
		assert_int_equal(socket_script.calls, calls[i]);
	}
	begin(parts);
	socket_script.stop_in_call = true;
	assert_int_equal(tw_io_send(FD, buf, SIZE, &stop), 0);
	begin(parts);
	socket_script.stop_in_call = true;
	assert_int_equal(tw_io_receive(FD, buf, SIZE, &stop), SIZE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_interrupted),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_peer_closes),
		cmocka_unit_test(test_stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
