// SPDX-License-Identifier: GPL-2.0-or-later
/* What a side makes of its task, and what it counts and keeps of its cycles. */
#include "side.h"
#include "measure/tw_server.h"
#include "measure/tw_client.h"

/* Any process that has lived has faults. */
static bool was_taken(const struct tw_usage *usage)
{
	return *(volatile const int64_t *)&usage->minor_faults > 0;
}

static void await_taken(const struct tw_usage *usage)
{
	int64_t end_ns = tw_now_ns(CLOCK_MONOTONIC) + LIMIT_MS * TW_NS_PER_MS;

	while (!was_taken(usage) && tw_now_ns(CLOCK_MONOTONIC) < end_ns)
		usleep(1000);
	assert_true(was_taken(usage));
}

/* What it uses is counted from the end of the warm-up on. */
static void test_server_warmup(void **state)
{
	const struct tw_side *server = &pair->side[TW_SERVER];
	uint64_t seq;

	(void)state;
	pair->task.warmup = 4;
	start(TW_SERVER);
	for (seq = 1; seq <= 4; seq++) {
		assert_false(was_taken(&server->steady));
		request(seq);
		await_reply(seq);
	}
	await_taken(&server->steady);
	stop(TW_SERVER);
	assert_true(server->end.minor_faults >= server->steady.minor_faults);
	assert_true(was_taken(&server->end));
	assert_false(was_taken(&pair->side[TW_CLIENT].end));
}

static void test_client_warmup(void **state)
{
	const struct tw_side *client = &pair->side[TW_CLIENT];
	int64_t before_ns = tw_now_ns(CLOCK_MONOTONIC);
	uint64_t seq;

	(void)state;
	pair->task.warmup = 3;
	pair->task.loops = 2;
	start(TW_CLIENT);
	for (seq = 1; seq <= 5; seq++) {
		await_request(seq);
		assert_int_equal(atomic_load(&pair->steady), seq > 3);
		assert_int_equal(was_taken(&client->steady), seq > 3);
		reply(seq);
	}
	assert_int_equal(end_of(TW_CLIENT), 0);
	assert_true(was_taken(&client->end));
	assert_in_range(pair->steady_ns, before_ns,
			tw_now_ns(CLOCK_MONOTONIC));
	assert_int_equal(pair->tally->warmup, 3);
	assert_int_equal(pair->tally->cycles, 2);
	assert_int_equal(atomic_load(&pair->ring->head), 2);
	assert_int_equal(pair->ring->cycles[0].seq, 4);
	assert_int_equal(pair->ring->cycles[1].server_cpu, 13);
	assert_int_equal(client->settings.policy, SCHED_OTHER);
	assert_true(CPU_EQUAL(&client->settings.cpus,
			      &pair->task.cpus[TW_CLIENT]));
	assert_false(CPU_COUNT(&pair->side[TW_SERVER].settings.cpus));
	assert_int_equal(client->left.policy, SCHED_OTHER);
	assert_true(CPU_EQUAL(&client->left.cpus,
			      &pair->task.cpus[TW_CLIENT]));
	/* Measured before, by the client alone. */
	assert_true(pair->cost.cycle.max_ns > 0);
}

/* Nobody wants whole cycles: there is no ring to write to. */
static void test_no_ring(void **state)
{
	(void)state;
	pair->ring = NULL;
	pair->record = tw_side_record;
	pair->task.loops = 1;
	start(TW_CLIENT);
	await_request(1);
	reply(1);
	assert_int_equal(end_of(TW_CLIENT), 0);
	assert_int_equal(pair->tally->cycles, 1);
}

static int receive_none(const struct tw_client *client, struct tw_cycle *cycle)
{
	char got[TW_REPLY_SIZE];

	if (client->datagrams != pair->datagrams)
		return -EFAULT;
	if (recv(client->fd, got, sizeof(got), MSG_WAITALL) != sizeof(got))
		return -EIO;
	cycle->server_cpu = TW_CYCLE_LOST;
	cycle->t3_ns = cycle->t0_ns;
	return cycle->seq == 2 ? -ETIMEDOUT : 0;
}

/* What a part sets for datagrams reaches the loop. */
static void test_lost(void **state)
{
	int i;

	(void)state;
	pair->record = tw_side_record;
	pair->lose = tw_side_lose;
	pair->receive = receive_none;
	pair->datagrams = (struct tw_datagrams *)pair->ring;
	pair->task.loops = 3;
	start(TW_CLIENT);
	for (i = 1; i <= 3; i++) {
		await_request(i);
		reply(i);
	}
	assert_int_equal(end_of(TW_CLIENT), 0);
	assert_int_equal(pair->tally->cycles, 2);
	assert_int_equal(pair->tally->lost, 1);
}

static int take_once(const struct tw_server *server, struct tw_wait *wait,
		     struct tw_reply *taken)
{
	if (server->datagrams != pair->datagrams || !wait->ops)
		return -EFAULT;
	taken->seq += 7;
	return taken->seq == 7;
}

static void test_taken(void **state)
{
	(void)state;
	pair->take = take_once;
	pair->datagrams = (struct tw_datagrams *)pair->ring;
	start(TW_SERVER);
	await_reply(7);
	assert_int_equal(end_of(TW_SERVER), 0);
}

/* What a part sets in the place of tw_side_record(), as -b does. */
static void record_and_stop(void *sink, const struct tw_cycle *cycle)
{
	struct tw_pair *its = sink;

	if (cycle->t2_ns - cycle->t1_ns > 5 * TW_NS_PER_S)
		atomic_store(&its->stop, 1);
	tw_tally_add(its->tally, cycle);
}

/* The cycle that it stops at is the last, and counts. */
static void test_stopped_by_record(void **state)
{
	char got;

	(void)state;
	pair->record = record_and_stop;
	pair->prompt = true;
	start(TW_CLIENT);
	await_request(1);
	reply(1);
	await_request(2);
	reply_after(2, 6 * TW_NS_PER_S);
	assert_int_equal(end_of(TW_CLIENT), 0);
	assert_int_equal(atomic_load(&pair->stop), 1);
	assert_int_equal(pair->tally->cycles, 2);
	assert_int_equal(atomic_load(&pair->ring->head), 0);
	assert_int_equal(recv(ends[1], &got, 1, MSG_DONTWAIT), -1);
}

#define CYCLES	4096	/* in the ring: 72 pages of 4 KiB */

/* What the client faults in within its cycles, beside a real server. */
static int64_t client_faults(size_t size)
{
	const struct tw_side *client;

	tear_down(NULL);
	assert_int_equal(set_up(NULL), 0);
	client = &pair->side[TW_CLIENT];
	pair->task.link = (struct tw_link) { ends[0], ends[1] };
	pair->task.size = size;
	pair->task.loops = CYCLES;
	start(TW_SERVER);
	start(TW_CLIENT);
	assert_int_equal(end_of(TW_CLIENT), 0);
	assert_int_equal(pair->tally->cycles, CYCLES);
	stop(TW_SERVER);
	return client->end.minor_faults - client->steady.minor_faults;
}

/* Also where memory is not locked, each page is there before it is used. */
static void test_prefault(void **state)
{
	const int64_t pages = sysconf(_SC_PAGESIZE);
	const int64_t written = CYCLES * sizeof(struct tw_cycle) / pages;
	int64_t faults, fewest = INT64_MAX;
	int i;

	(void)state;
	for (i = 0; i < 5 && fewest > written / 2; i++) {
		faults = client_faults(TW_REQUEST_MIN);
		fewest = faults < fewest ? faults : fewest;
	}
	assert_true(fewest <= written / 2);
}

/* Sent, a request is read to its end. */
static void test_prefault_request(void **state)
{
	const int64_t sent = TW_REQUEST_MAX / sysconf(_SC_PAGESIZE);
	int64_t large = client_faults(TW_REQUEST_MAX);
	int64_t small = client_faults(TW_REQUEST_MIN);
	int64_t faults;
	int i;

	(void)state;
	for (i = 0; i < 4 && large > small + sent / 2; i++) {
		faults = client_faults(TW_REQUEST_MAX);
		large = faults < large ? faults : large;
		faults = client_faults(TW_REQUEST_MIN);
		small = faults < small ? faults : small;
	}
	assert_true(large <= small + sent / 2);
}

/* What the client writes to is the client's alone. */
static void test_server_spares_tally(void **state)
{
	const size_t page = sysconf(_SC_PAGESIZE);
	const size_t first = (sizeof(*pair) + page - 1) / page * page;
	char *memory = (char *)pair + first;

	(void)state;
	assert_true(first < bytes);
	assert_int_equal(mprotect(memory, bytes - first, PROT_NONE), 0);
	start(TW_SERVER);
	request(1);
	await_reply(1);
	stop(TW_SERVER);
	assert_int_equal(mprotect(memory, bytes - first,
				  PROT_READ | PROT_WRITE), 0);
}

static struct tw_timer *started;	/* as it was, for all processes to see */

static int note_start(struct tw_timer *timer)
{
	*started = *timer;
	return -ENODEV;
}

/* The timer and the period are those of the task. */
static void test_client_timer(void **state)
{
	static const struct tw_timer_ops noting = { .start = note_start };

	(void)state;
	started = mmap(NULL, sizeof(*started), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(started, MAP_FAILED);
	pair->task.timer_ops = &noting;
	pair->task.period_ns = 123456789;
	start(TW_CLIENT);
	assert_int_equal(end_of(TW_CLIENT), EXIT_FAILURE);
	assert_int_equal(pair->side[TW_CLIENT].failed, TW_STEP_RUN);
	assert_int_equal(pair->side[TW_CLIENT].err, -ENODEV);
	assert_int_equal(started->period_ns, 123456789);
	assert_ptr_equal(started->ops, &noting);
	munmap(started, sizeof(*started));
}

static int refuse_wait(struct tw_wait *wait)
{
	return wait->fd == ends[0] ? -ENODEV : -EBADF;
}

static void test_server_wait(void **state)
{
	static const struct tw_wait_ops refusing = { .open = refuse_wait };

	(void)state;
	pair->task.wait_ops = &refusing;
	start(TW_SERVER);
	assert_int_equal(end_of(TW_SERVER), EXIT_FAILURE);
	assert_int_equal(pair->side[TW_SERVER].failed, TW_STEP_RUN);
	assert_int_equal(pair->side[TW_SERVER].err, -ENODEV);
}

/* No less than it is to. */
static void test_server_sleep(void **state)
{
	struct tw_reply got;

	(void)state;
	pair->task.sleep_ns = 5 * TW_NS_PER_MS;
	start(TW_SERVER);
	request(1);
	got = await_reply(1);
	assert_true(got.t2_ns - got.t1_ns >= pair->task.sleep_ns);
	stop(TW_SERVER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_PAIR(test_server_warmup),
		WITH_PAIR(test_client_warmup),
		WITH_PAIR(test_no_ring),
		WITH_PAIR(test_lost),
		WITH_PAIR(test_taken),
		WITH_PAIR(test_stopped_by_record),
		WITH_PAIR(test_prefault),
		WITH_PAIR(test_prefault_request),
		WITH_PAIR(test_server_spares_tally),
		WITH_PAIR(test_client_timer),
		WITH_PAIR(test_server_wait),
		WITH_PAIR(test_server_sleep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
