// SPDX-License-Identifier: GPL-2.0-or-later
/* What the server answers, and what it refuses. */
#include "server.h"

static void check_run(const struct tw_wait_ops *ops, uint64_t warmup,
		      uint64_t count)
{
	struct tw_server server = new_server(warmup);

	server.wait_ops = ops;
	load_requests(1, count);
	hang_up();
	assert_int_equal(tw_server_run(&server), 0);
	assert_replies(count);
	/* The last read is of the end of the connection. */
	assert_int_equal(script.reads, 2 * count + 1);
	/* Without a sleep there is not even the call. */
	assert_int_equal(naps.calls, 0);
	assert_int_equal(at_steady.calls, count >= warmup);
	assert_int_equal(at_steady.replies, count >= warmup ? warmup : 0);
}

static void test_every_wait(void **state)
{
	size_t kind;

	(void)state;
	for (kind = 0; kind < KINDS; kind++) {
		check_run(tw_wait_kinds[kind], 2, 40);
		tear_down(state);
		set_up(state);
	}
}

static void test_no_warmup(void **state)
{
	(void)state;
	check_run(tw_wait_kinds[0], 0, 3);
}

/* The client may be stopped before the warm-up is over. */
static void test_warmup_only(void **state)
{
	(void)state;
	check_run(tw_wait_kinds[0], 10, 3);
}

static void test_no_request(void **state)
{
	(void)state;
	check_run(tw_wait_kinds[0], 2, 0);
}

static void test_sizes(void **state)
{
	static const size_t sizes[] = { 9, 100, 1500, TW_REQUEST_MAX };
	struct tw_server server;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		server = new_server(0);
		server.size = sizes[i];
		load_request(1, sizes[i]);
		hang_up();
		assert_int_equal(tw_server_run(&server), 0);
		assert_replies(1);
		tear_down(state);
		set_up(state);
	}
}

static void check_bad_request(uint64_t seq, size_t len, int want)
{
	const struct tw_server server = new_server(1);

	load_requests(1, 3);
	load_request(seq, len);
	hang_up();
	assert_int_equal(tw_server_run(&server), want);
	assert_replies(3);
}

static void test_request_skipped(void **state)
{
	(void)state;
	check_bad_request(5, TW_REQUEST_MIN, -EPROTO);
}

static void test_request_again(void **state)
{
	(void)state;
	check_bad_request(3, TW_REQUEST_MIN, -EPROTO);
}

static void test_request_cut_short(void **state)
{
	(void)state;
	check_bad_request(4, TW_REQUEST_MIN - 1, -EMSGSIZE);
}

/* Not killed by SIGPIPE either. */
static void test_client_gone(void **state)
{
	const struct tw_server server = new_server(0);

	(void)state;
	load_requests(1, 1);
	assert_int_equal(shutdown(ends[1], SHUT_RDWR), 0);
	assert_int_equal(tw_server_run(&server), -EPIPE);
}

/* The same is no error once main has set the flag. */
static void test_client_gone_after_stop(void **state)
{
	const struct tw_server server = new_server(0);

	(void)state;
	load_requests(1, 1);
	assert_int_equal(shutdown(ends[1], SHUT_RDWR), 0);
	atomic_store(&stop, 1);
	assert_int_equal(tw_server_run(&server), 0);
}

/* Each reply says where the server was. */
static void check_cpu(int cpu)
{
	const struct tw_server server = new_server(0);
	char buf[TW_REPLY_SIZE];
	struct tw_reply reply;
	cpu_set_t before;
	uint64_t seq;

	load_requests(1, 3);
	hang_up();
	stay_on(cpu, &before);
	assert_int_equal(tw_server_run(&server), 0);
	go_anywhere(&before);
	for (seq = 1; seq <= 3; seq++) {
		assert_int_equal(recv(ends[1], buf, sizeof(buf), 0),
				 sizeof(buf));
		assert_int_equal(tw_wire_get_reply(buf, sizeof(buf), seq,
						   &reply), 0);
		assert_int_equal(reply.cpu, cpu);
	}
}

static void test_cpu(void **state)
{
	(void)state;
	check_cpu(allowed_cpu(false));
	tear_down(state);
	set_up(state);
	check_cpu(allowed_cpu(true));
}

static int refuse_open(struct tw_wait *wait)
{
	(void)wait;
	return -EBADF;
}

static void test_wait_cannot_open(void **state)
{
	static const struct tw_wait_ops refusing = {
		.name = "refusing", .open = refuse_open,
	};
	struct tw_server server = new_server(0);

	(void)state;
	server.wait_ops = &refusing;
	assert_int_equal(tw_server_run(&server), -EBADF);
	assert_int_equal(at_steady.calls, 0);
}

static int waits, closes;

static int open_counted(struct tw_wait *wait)
{
	(void)wait;
	waits = closes = 0;
	return 0;
}

static void wait_counted(struct tw_wait *wait)
{
	assert_int_equal(wait->fd, ends[0]);
	waits++;
}

static void close_counted(struct tw_wait *wait)
{
	(void)wait;
	closes++;
}

/* Before each receive, that of the connection's end included. */
static void test_waits(void **state)
{
	static const struct tw_wait_ops counted = {
		.name = "counted", .open = open_counted, .wait = wait_counted,
		.close = close_counted,
	};

	(void)state;
	check_run(&counted, 1, 5);
	assert_int_equal(waits, 6);
	assert_int_equal(closes, 1);
}

static void test_receive_fails(void **state)
{
	struct tw_server server = new_server(0);
	int fds[2];

	(void)state;
	server.wait_ops = &tw_wait_busy;
	assert_int_equal(pipe(fds), 0);
	server.fd = fds[0];
	assert_int_equal(tw_server_run(&server), -ENOTSOCK);
	close(fds[0]);
	close(fds[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_ENDS(test_every_wait),
		WITH_ENDS(test_no_warmup),
		WITH_ENDS(test_warmup_only),
		WITH_ENDS(test_no_request),
		WITH_ENDS(test_sizes),
		WITH_ENDS(test_cpu),
		WITH_ENDS(test_request_skipped),
		WITH_ENDS(test_request_again),
		WITH_ENDS(test_request_cut_short),
		WITH_ENDS(test_client_gone),
		WITH_ENDS(test_client_gone_after_stop),
		WITH_ENDS(test_wait_cannot_open),
		WITH_ENDS(test_waits),
		WITH_ENDS(test_receive_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
