// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Client and server over UDP, each a process, and between them a relay that
 * drops, doubles, delays and reorders: it knows what the counts must be.
 * Nothing here depends on how long anything takes: the client has a timeout for
 * those requests alone whose answer the relay will keep from it.
 */
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/tw_clock.h"
#include "base/tw_time.h"
#include "datagram.h"

#define TIMEOUT_MS	20
#define LIMIT_MS	20000
#define WARMUP		4
#define CYCLES		60
#define LAST		(WARMUP + CYCLES)
#define QUEUE		8

enum action {
	PASS, DROP_REQUEST, DROP_REPLY, DOUBLE_REQUEST, DOUBLE_REPLY,
	HOLD_REQUEST,		/* until a newer one has passed */
	HOLD_REPLY		/* until the next one is to pass */
};

static struct shared {
	struct tw_datagrams datagrams;
	uint64_t recorded, lost, warm, last_seq;
	int server_steady, client_steady;
	atomic_int stop;
} *shared;

static enum action plan[LAST + 1];
static struct tw_clock the_clock;
static char request[TW_REQUEST_MIN];
/* Sockets: each side's, and the relay's towards it. */
static int to_client[2], to_server[2];
static char held_requests[QUEUE][64], held_replies[QUEUE][64];
static int request_count, reply_count;

static void record(void *sink, const struct tw_cycle *cycle)
{
	(void)sink;
	shared->recorded++;
	if (cycle->t1_ns < cycle->t0_ns || cycle->t2_ns < cycle->t1_ns ||
	    cycle->t3_ns < cycle->t2_ns || cycle->seq <= shared->last_seq)
		_exit(98);
	shared->last_seq = cycle->seq;
}

static void warm(void *sink, const struct tw_cycle *cycle)
{
	(void)sink;
	(void)cycle;
	shared->warm++;
}

static void lose(void *sink, const struct tw_cycle *cycle)
{
	(void)sink;
	if (!tw_cycle_is_lost(cycle) || cycle->t3_ns < cycle->t0_ns ||
	    cycle->seq <= shared->last_seq)
		_exit(97);
	shared->lost++;
	shared->last_seq = cycle->seq;
}

static void client_steady(void *sink)
{
	(void)sink;
	shared->client_steady++;
}

static void server_steady(void *sink)
{
	(void)sink;
	shared->server_steady++;
}

static int receive(const struct tw_client *client, struct tw_cycle *cycle)
{
	static const bool keeps[] = {
		[DROP_REQUEST] = true, [DROP_REPLY] = true,
		[HOLD_REQUEST] = true, [HOLD_REPLY] = true,
	};
	int ms = keeps[plan[cycle->seq]] ? TIMEOUT_MS : LIMIT_MS;

	limit_receive(client->fd, ms);
	shared->datagrams.timeout_ns = ms * TW_NS_PER_MS;
	return tw_datagram_receive(client, cycle);
}

static int live_client(void)
{
	static const _Atomic uint32_t no_inversions;
	const struct tw_client client = {
		.fd = to_client[0], .size = sizeof(request),
		.request = request, .clock = &the_clock,
		.inversions = &no_inversions,
		.timer_ops = &tw_timer_nanosleep, .period_ns = TW_NS_PER_MS,
		.warmup = WARMUP, .loops = CYCLES, .stop = &shared->stop,
		.warm = warm, .record = record, .steady = client_steady,
		.receive = receive, .lose = lose,
		.datagrams = &shared->datagrams,
	};

	return tw_client_run(&client);
}

static int live_server(void)
{
	const struct tw_server server = {
		.fd = to_server[0], .size = sizeof(request),
		.request = request, .clock = &the_clock,
		.wait_ops = &tw_wait_poll, .warmup = WARMUP,
		.stop = &shared->stop, .steady = server_steady,
		.take = tw_datagram_take, .datagrams = &shared->datagrams,
	};

	return tw_server_run(&server);
}

static pid_t start(int (*live)(void))
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid)
		return pid;
	alarm(LIMIT_MS / 1000 * 3);
	_exit(-live());
}

static void await_end(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void pass(int fd, const void *buf, size_t len)
{
	assert_int_equal(send(fd, buf, len, 0), len);
}

static enum action planned(uint64_t seq)
{
	assert_in_range(seq, 1, LAST);
	return plan[seq];
}

static void relay_request(const char *buf, size_t len)
{
	enum action action = planned(tw_wire_seq(buf));
	int i;

	if (action == DROP_REQUEST)
		return;
	if (action == HOLD_REQUEST) {
		assert_true(request_count < QUEUE);
		memcpy(held_requests[request_count++], buf, len);
		return;
	}
	pass(to_server[1], buf, len);
	if (action == DOUBLE_REQUEST)
		pass(to_server[1], buf, len);
	for (i = 0; i < request_count; i++)
		pass(to_server[1], held_requests[i], len);
	request_count = 0;
}

static void relay_reply(const char *buf, size_t len)
{
	enum action action = planned(tw_wire_seq(buf));
	int i;

	if (action == DROP_REPLY)
		return;
	if (action == HOLD_REPLY) {
		assert_true(reply_count < QUEUE);
		memcpy(held_replies[reply_count++], buf, len);
		return;
	}
	for (i = 0; i < reply_count; i++)
		pass(to_client[1], held_replies[i], len);
	reply_count = 0;
	pass(to_client[1], buf, len);
	if (action == DOUBLE_REPLY)
		pass(to_client[1], buf, len);
}

/* Until the client's farewell. */
static void relay(void)
{
	struct pollfd fds[] = {
		{ .fd = to_client[1], .events = POLLIN },
		{ .fd = to_server[1], .events = POLLIN },
	};
	char buf[64];
	ssize_t len;

	for (;;) {
		assert_true(poll(fds, 2, LIMIT_MS) > 0);
		if (fds[1].revents) {
			len = recv(to_server[1], buf, sizeof(buf), 0);
			assert_int_equal(len, TW_REPLY_SIZE);
			relay_reply(buf, (size_t)len);
		}
		if (!fds[0].revents)
			continue;
		len = recv(to_client[1], buf, sizeof(buf), 0);
		if (!len)
			break;
		assert_int_equal(len, sizeof(request));
		relay_request(buf, (size_t)len);
	}
	pass(to_server[1], buf, 0);
}

static uint64_t planned_count(enum action action)
{
	uint64_t seq, count = 0;

	for (seq = WARMUP + 1; seq <= LAST; seq++)
		count += plan[seq] == action;
	return count;
}

static void check_plan(void)
{
	struct tw_datagram_counts want = { .sent = CYCLES };
	pid_t client, server;

	server = start(live_server);
	client = start(live_client);
	relay();
	await_end(client);
	await_end(server);

	want.lost_request = planned_count(DROP_REQUEST) +
			    planned_count(HOLD_REQUEST);
	want.lost_reply = planned_count(DROP_REPLY) +
			  planned_count(HOLD_REPLY);
	want.lost = want.lost_request + want.lost_reply;
	want.answered = CYCLES - want.lost;
	want.late = planned_count(HOLD_REPLY);
	want.duplicate = planned_count(DOUBLE_REQUEST) +
			 planned_count(DOUBLE_REPLY);
	want.reordered = planned_count(HOLD_REQUEST);
	counts = shared->datagrams;
	assert_counts(&want);
	assert_int_equal(shared->recorded, want.answered);
	assert_int_equal(shared->lost, want.lost);
	assert_int_equal(shared->warm, WARMUP);
	assert_int_equal(shared->client_steady, 1);
	assert_int_equal(shared->server_steady, 1);
}

static int set_up(void **state)
{
	int relays;

	(void)state;
	memset(plan, 0, sizeof(plan));
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED || open_udp(to_client) || open_udp(to_server))
		return -1;
	/* The relay is the server's client. */
	relays = to_server[0];
	to_server[0] = to_server[1];
	to_server[1] = relays;
	request_count = 0;
	reply_count = 0;
	return tw_clock_open(&the_clock, "monotonic");
}

static int tear_down(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < 2; i++) {
		close(to_client[i]);
		close(to_server[i]);
	}
	return munmap(shared, sizeof(*shared));
}

static void test_nothing(void **state)
{
	(void)state;
	check_plan();
}

/* Each once, also the one behind the other, and in the warm-up. */
static void test_each(void **state)
{
	static const enum action actions[] = {
		DROP_REQUEST, HOLD_REQUEST, PASS, DROP_REPLY, HOLD_REPLY,
		DOUBLE_REPLY, DOUBLE_REQUEST, HOLD_REPLY, DOUBLE_REQUEST,
	};
	size_t i;

	(void)state;
	plan[1] = DOUBLE_REPLY;
	plan[2] = HOLD_REPLY;
	plan[4] = HOLD_REQUEST;
	for (i = 0; i < sizeof(actions) / sizeof(actions[0]); i++)
		plan[8 + i] = actions[i];
	check_plan();
}

/* The last ones pass: what they held back would never come. */
static void test_random(void **state)
{
	uint64_t seed = 7, seq;

	(void)state;
	for (seq = WARMUP; seq <= LAST - 3; seq++)
		if (!unit_between(&seed, 0, 4))
			plan[seq] = unit_between(&seed, DROP_REQUEST,
						 HOLD_REPLY);
	assert_true(planned_count(PASS) < CYCLES - 5);
	check_plan();
}

/* All replies of the end are lost: nothing waits for them. */
static void test_lost_at_the_end(void **state)
{
	(void)state;
	plan[LAST - 1] = DROP_REPLY;
	plan[LAST] = DROP_REQUEST;
	check_plan();
}

#define RELAYED(test)	cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		RELAYED(test_nothing),
		RELAYED(test_each),
		RELAYED(test_random),
		RELAYED(test_lost_at_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
