// SPDX-License-Identifier: GPL-2.0-or-later
/* What the client makes of the server's count of inversions. */
#include <errno.h>

#include "loop_client.h"

#define CYCLES	5

/* The count when a cycle begins, and as the reply has it. */
static const struct counted {
	uint32_t before, told;
} script_counts[CYCLES] = {
	{ 0, 0 }, { 0, 7 }, { 7, 8 },
	/* It goes around. */
	{ UINT32_MAX - 1, 3 }, { UINT32_MAX, UINT32_MAX },
};

static const uint32_t want[CYCLES] = { 0, 7, 1, 5, 0 };

/*
 * Reads of t0 have odd numbers: others come before the client looks. What
 * the server counts later is in the reply, not in the count.
 */
static int64_t read_and_count(const struct tw_clock *clock)
{
	size_t reads = script.reads;

	if (reads % 2)
		atomic_store(&inversions, script_counts[reads / 2].before);
	else
		atomic_store(&inversions, 1000);
	return script_read_ns(clock);
}

/* In place of the C library's: once a request is out, others are served. */
ssize_t send(int fd, const void *buf, size_t size, int flags)
{
	if (fd == ends[0])
		atomic_fetch_add(&inversions, 100);
	return sendto(fd, buf, size, flags, NULL, 0);
}

static void check_counts(int64_t period_ns, uint64_t warmup)
{
	struct tw_client client = new_client(warmup, CYCLES - warmup);
	size_t i;

	client.period_ns = period_ns;
	client.clock->read_ns = read_and_count;
	for (i = 0; i < CYCLES; i++) {
		struct tw_reply reply = reply_to(i + 1);

		reply.inversions = script_counts[i].told;
		load_reply(&reply, TW_REPLY_SIZE);
	}
	assert_int_equal(tw_client_run(&client), 0);
	assert_int_equal(sink.warm + sink.recorded, CYCLES);
	for (i = 0; i < CYCLES; i++)
		assert_int_equal(sink.cycles[i].inversions, want[i]);
}

static void test_counts(void **state)
{
	(void)state;
	check_counts(GRID_PERIOD, 0);
}

static void test_warmup(void **state)
{
	(void)state;
	check_counts(GRID_PERIOD, 2);
}

/* There, a cycle is recorded while the next is under way. */
static void test_closed_loop(void **state)
{
	(void)state;
	check_counts(0, 0);
}

static int receive_some(const struct tw_client *client, struct tw_cycle *cycle)
{
	(void)client;
	cycle->server_cpu = cycle->seq % 2 ? 0 : TW_CYCLE_LOST;
	return cycle->seq % 2 ? 0 : -ETIMEDOUT;
}

static size_t lost;

static void lose(void *to, const struct tw_cycle *cycle)
{
	assert_ptr_equal(to, &sink);
	assert_int_equal(cycle->inversions, 0);
	lost++;
}

/* Of datagrams there are none: each client has its own server. */
static void test_datagrams(void **state)
{
	struct tw_client client = new_client(0, CYCLES);
	size_t i;

	(void)state;
	lost = 0;
	client.receive = receive_some;
	client.lose = lose;
	client.clock->read_ns = read_and_count;
	assert_int_equal(tw_client_run(&client), 0);
	assert_int_equal(lost, CYCLES / 2);
	assert_int_equal(sink.recorded, CYCLES - CYCLES / 2);
	for (i = 0; i < sink.recorded; i++)
		assert_int_equal(sink.cycles[i].inversions, 0);
}

static int receive_timeout(const struct tw_client *client,
			   struct tw_cycle *cycle)
{
	(void)client;
	(void)cycle;
	return -ETIMEDOUT;
}

/* A connection that the kernel has given up is no lost datagram. */
static void test_timeout(void **state)
{
	struct tw_client client = new_client(0, CYCLES);

	(void)state;
	lost = 0;
	client.receive = receive_timeout;
	client.lose = lose;
	assert_int_equal(tw_client_run(&client), -ETIMEDOUT);
	assert_int_equal(lost + sink.recorded, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_ENDS(test_counts),
		WITH_ENDS(test_warmup),
		WITH_ENDS(test_closed_loop),
		WITH_ENDS(test_datagrams),
		WITH_ENDS(test_timeout),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
