// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The answering loop, with a clock by script. The other end of its socket
 * holds all requests before it starts, and all replies after.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "loop.h"
#include "tw_server.h"
#include "tw_time.h"
#include "tw_wire.h"

#define KINDS	5

static int ends[2];	/* the server's and its peer's */
static atomic_int stop;
static struct script_clock script;
static char request[TW_REQUEST_MAX];

static struct {
	size_t calls, replies;
} at_steady;

static struct {
	int calls, interrupt;	/* so many of them */
	int64_t asked_ns[8];
} naps;

/* In place of the C library's, which it calls otherwise. */
int nanosleep(const struct timespec *span, struct timespec *left)
{
	const int64_t span_ns = tw_ts_to_ns(span);

	naps.asked_ns[naps.calls++ % 8] = span_ns;
	if (naps.interrupt) {
		naps.interrupt--;
		*left = tw_ns_to_ts(span_ns / 2);
		errno = EINTR;
		return -1;
	}
	errno = clock_nanosleep(CLOCK_MONOTONIC, 0, span, left);
	return errno ? -1 : 0;
}

static size_t replies_waiting(void)
{
	int left;

	assert_int_equal(ioctl(ends[1], FIONREAD, &left), 0);
	assert_int_equal(left % TW_REPLY_SIZE, 0);
	return left / TW_REPLY_SIZE;
}

static void steady(void *sink)
{
	assert_ptr_equal(sink, &script);
	at_steady.calls++;
	at_steady.replies = replies_waiting();
}

static int set_up(void **state)
{
	(void)state;
	memset(&at_steady, 0, sizeof(at_steady));
	memset(&naps, 0, sizeof(naps));
	atomic_store(&stop, 0);
	return socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
}

static int tear_down(void **state)
{
	(void)state;
	close(ends[1]);
	return close(ends[0]);
}

static struct tw_server new_server(uint64_t warmup)
{
	return (struct tw_server) {
		.fd = ends[0],
		.size = TW_REQUEST_MIN,
		.request = request,
		.clock = script_clock(&script, 77 + warmup),
		.wait_ops = tw_wait_kind(0),
		.warmup = warmup,
		.stop = &stop,
		.sink = &script,
		.steady = steady,
	};
}

static void load_request(uint64_t seq, size_t len)
{
	static char buf[TW_REQUEST_MAX];

	tw_wire_put_request(buf, seq);
	assert_int_equal(send(ends[1], buf, len, 0), len);
}

static void load_requests(uint64_t first, uint64_t last)
{
	for (; first <= last; first++)
		load_request(first, TW_REQUEST_MIN);
}

static void hang_up(void)
{
	assert_int_equal(shutdown(ends[1], SHUT_WR), 0);
}

/* The replies to 1 .. @count, with every time that the clock gave. */
static void assert_replies(uint64_t count)
{
	char buf[TW_REPLY_SIZE];
	struct tw_reply reply;
	uint64_t seq;

	assert_int_equal(replies_waiting(), count);
	for (seq = 1; seq <= count; seq++) {
		assert_int_equal(recv(ends[1], buf, sizeof(buf), 0),
				 sizeof(buf));
		assert_int_equal(tw_wire_get_reply(buf, sizeof(buf), seq,
						   &reply), 0);
		assert_int_equal(reply.t1_ns, script.times_ns[2 * seq - 2]);
		assert_int_equal(reply.t2_ns, script.times_ns[2 * seq - 1]);
	}
}

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
		check_run(tw_wait_kind(kind), 2, 40);
		tear_down(state);
		set_up(state);
	}
}

static void test_no_warmup(void **state)
{
	(void)state;
	check_run(tw_wait_kind(0), 0, 3);
}

/* The client may be stopped before the warm-up is over. */
static void test_warmup_only(void **state)
{
	(void)state;
	check_run(tw_wait_kind(0), 10, 3);
}

static void test_no_request(void **state)
{
	(void)state;
	check_run(tw_wait_kind(0), 2, 0);
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
		"refusing", refuse_open, NULL, NULL
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
		"counted", open_counted, wait_counted, close_counted
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
	server.wait_ops = tw_wait_busy;
	assert_int_equal(pipe(fds), 0);
	server.fd = fds[0];
	assert_int_equal(tw_server_run(&server), -ENOTSOCK);
	close(fds[0]);
	close(fds[1]);
}

static volatile sig_atomic_t ticks;
static int ticks_to_stop;
static bool peer_asks;

/* The peer at work within the handler: half a request every tick. */
static void on_tick(int signal)
{
	char buf[TW_REQUEST_MIN];
	const size_t half = sizeof(buf) / 2;
	int left;

	(void)signal;
	/* Only when all is answered: however slow the server is. */
	if (peer_asks && (ioctl(ends[1], FIONREAD, &left) ||
			  left / TW_REPLY_SIZE < ticks / 2))
		return;
	tw_wire_put_request(buf, (uint64_t)ticks / 2 + 1);
	if (ticks >= ticks_to_stop)
		atomic_store(&stop, 1);
	else if (peer_asks &&
		 send(ends[1], buf + ticks % 2 * half, half, 0) < 0)
		abort();
	ticks++;
}

static void run_with_ticks(const struct tw_server *server)
{
	const struct sigaction action = { .sa_handler = on_tick };
	const struct itimerval every = {
		.it_value = { .tv_usec = 3000 },
		.it_interval = { .tv_usec = 3000 },
	};
	const struct itimerval never = { .it_value = { .tv_usec = 0 } };

	ticks = 0;
	atomic_store(&stop, 0);
	assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &every, NULL), 0);
	assert_int_equal(tw_server_run(server), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
}

/* Signals that are not main's wake it for nothing; the last is main's. */
static void test_interrupted(void **state)
{
	size_t kind;

	(void)state;
	for (kind = 0; kind < KINDS; kind++) {
		struct tw_server server = new_server(0);

		/* Busy, it is woken by nothing but the client's end. */
		if (tw_wait_kind(kind) == tw_wait_busy)
			continue;
		server.wait_ops = tw_wait_kind(kind);
		ticks_to_stop = 9;
		peer_asks = true;
		run_with_ticks(&server);
		assert_replies(4);
		tear_down(state);
		set_up(state);
	}
}

static int64_t read_monotonic(const struct tw_clock *clock)
{
	(void)clock;
	return tw_now_ns(CLOCK_MONOTONIC);
}

static void check_sleep(int64_t sleep_ns, int stop_at)
{
	struct tw_server server = new_server(0);

	script.clock.read_ns = read_monotonic;
	server.sleep_ns = sleep_ns;
	load_requests(1, 1);
	hang_up();
	peer_asks = false;
	ticks_to_stop = stop_at;
	run_with_ticks(&server);
	assert_true(ticks > 0);
}

/* Signals do not cut the sleep short. */
static void test_sleep(void **state)
{
	struct tw_reply reply;
	char buf[TW_REPLY_SIZE];

	(void)state;
	check_sleep(30 * TW_NS_PER_MS, INT32_MAX);
	assert_int_equal(recv(ends[1], buf, sizeof(buf), 0), sizeof(buf));
	assert_int_equal(tw_wire_get_reply(buf, sizeof(buf), 1, &reply), 0);
	assert_true(reply.t2_ns - reply.t1_ns >= 30 * TW_NS_PER_MS);
}

/* What is left of it is slept, not all of it again. */
static void test_sleep_goes_on(void **state)
{
	struct tw_server server = new_server(0);

	(void)state;
	naps.interrupt = 3;
	server.sleep_ns = 80000;
	load_requests(1, 2);
	hang_up();
	assert_int_equal(tw_server_run(&server), 0);
	assert_replies(2);
	assert_int_equal(naps.calls, 5);
	assert_int_equal(naps.asked_ns[0], 80000);
	assert_int_equal(naps.asked_ns[1], 40000);
	assert_int_equal(naps.asked_ns[2], 20000);
	assert_int_equal(naps.asked_ns[3], 10000);
	/* The next sleep is a whole one. */
	assert_int_equal(naps.asked_ns[4], 80000);
}

/* But for main's: the longest sleep does not delay the end. */
static void test_stop_amid_sleep(void **state)
{
	(void)state;
	check_sleep(3600 * TW_NS_PER_S, 3);
	assert_true(ticks > 3);
}

#define WITH_ENDS(test)	cmocka_unit_test_setup_teardown(test, set_up, tear_down)

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
		WITH_ENDS(test_interrupted),
		WITH_ENDS(test_sleep),
		WITH_ENDS(test_sleep_goes_on),
		WITH_ENDS(test_stop_amid_sleep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
