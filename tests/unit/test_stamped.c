// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Cycles with stamps: what they are broken down into, and what either side
 * does after a cycle. The error queue is by script.
 */
#include <errno.h>
#include <pthread.h>
#include <sys/socket.h>
#include <time.h>

#include "measure/tw_client.h"
#include "measure/tw_server.h"
#include "measure/tw_stamped.h"
#include "stamps.h"

#define ALL		((1 << TW_STAMPS) - 1)
#define REAL_NS		INT64_C(1767225600000000000)
#define WRITES		200000	/* while they are read */
#define STEP		30	/* bytes of a request */

static struct made queue[8];
static int queued;

/* In place of the C library's. */
int recvmmsg(int fd, struct mmsghdr *msgs, unsigned int count, int flags,
	     struct timespec *timeout)
{
	int i;

	assert_int_equal(fd, 5);
	assert_int_equal(flags, MSG_ERRQUEUE | MSG_DONTWAIT);
	assert_null(timeout);
	for (i = 0; queued && i < (int)count; i++) {
		struct msghdr *to = &msgs[i].msg_hdr;
		const struct msghdr *from = &queue[0].msg;

		assert_true(to->msg_controllen >= from->msg_controllen);
		memcpy(to->msg_control, queue[0].control,
		       from->msg_controllen);
		to->msg_controllen = from->msg_controllen;
		memmove(queue, queue + 1, sizeof(queue) - sizeof(queue[0]));
		queued--;
	}
	errno = EAGAIN;
	return i ? i : -1;
}

static void enqueue(uint32_t type, uint32_t id, int64_t ns)
{
	assert_true(queued < 8);
	made_tx(&queue[queued++], type, id, ns);
}

/* CLOCK_REALTIME is ahead of all others by this. */
static int64_t real_ns = REAL_NS;
static int64_t now_ns;

int clock_gettime(clockid_t clockid, struct timespec *ts)
{
	*ts = tw_ns_to_ts(clockid == CLOCK_REALTIME ? now_ns + real_ns :
						      now_ns);
	return 0;
}

static int64_t read_now(const struct tw_clock *clock)
{
	(void)clock;
	return now_ns;
}

static struct tw_clock now_clock = {
	.read_ns = read_now, .clockid = CLOCK_MONOTONIC, .own_timer = true,
};

static const struct tw_stamped in_order = {
	.seq = 9, .t0_ns = 1000, .t1_ns = 1140, .t2_ns = 2000, .t3_ns = 2200,
	.at_ns = {
		[TW_CLIENT_SCHED] = 1010, [TW_CLIENT_SND] = 1025,
		[TW_SERVER_RX] = 1100, [TW_SERVER_SCHED] = 2007,
		[TW_SERVER_SND] = 2018, [TW_CLIENT_RX] = 2150,
	},
};

static void test_parts(void **state)
{
	static const int64_t want[TW_STAMPED_PARTS] = {
		[TW_CLIENT_APP_OUT] = 10, [TW_CLIENT_STACK_OUT] = 15,
		[TW_CLIENT_WAKE_IN] = 50, [TW_SERVER_WAKE_IN] = 40,
		[TW_SERVER_APP_OUT] = 7, [TW_SERVER_STACK_OUT] = 11,
		[TW_CLIENT_STACK] = 75, [TW_SERVER_STACK] = 58,
		[TW_WIRE] = 2150 - 1025 - (2018 - 1100),
		[TW_STAMPED_NETWORK] = 1200 - 860,
	};
	int id;

	(void)state;
	for (id = 0; id < TW_STAMPED_PARTS; id++)
		assert_int_equal(tw_stamped_part(&in_order, id), want[id]);
}

/* Whatever the times are, and however the hosts' clocks differ. */
static void test_identity(void **state)
{
	uint64_t seed = 4711;
	struct tw_stamped any;
	int i, id;

	(void)state;
	for (i = 0; i < 10000; i++) {
		any.t0_ns = (int64_t)unit_random(&seed);
		any.t1_ns = (int64_t)unit_random(&seed);
		any.t2_ns = (int64_t)unit_random(&seed);
		any.t3_ns = (int64_t)unit_random(&seed);
		for (id = 0; id < TW_STAMPS; id++)
			any.at_ns[id] = (int64_t)unit_random(&seed);
		assert_int_equal((uint64_t)tw_stamped_part(&any,
							   TW_CLIENT_STACK) +
				 (uint64_t)tw_stamped_part(&any, TW_WIRE) +
				 (uint64_t)tw_stamped_part(&any,
							   TW_SERVER_STACK),
				 (uint64_t)tw_stamped_part(&any, TW_STAMPED_NETWORK));
	}
}

/* A server whose clock is ahead changes nothing. */
static void test_other_clock(void **state)
{
	struct tw_stamped other = in_order;
	const int64_t ahead_ns = INT64_C(987654321987654321);
	int id;

	(void)state;
	other.t1_ns += ahead_ns;
	other.t2_ns += ahead_ns;
	other.at_ns[TW_SERVER_RX] += ahead_ns;
	other.at_ns[TW_SERVER_SCHED] += ahead_ns;
	other.at_ns[TW_SERVER_SND] += ahead_ns;
	for (id = 0; id < TW_STAMPED_PARTS; id++)
		assert_int_equal(tw_stamped_part(&other, id),
				 tw_stamped_part(&in_order, id));
}

/* The parts that need a stamp are exactly those of the formulas. */
static void test_missing_parts(void **state)
{
#define B(id) (1 << (id))
	static const int needs[TW_STAMPED_PARTS] = {
		[TW_CLIENT_APP_OUT] = B(TW_CLIENT_SCHED),
		[TW_CLIENT_STACK_OUT] = B(TW_CLIENT_SCHED) | B(TW_CLIENT_SND),
		[TW_CLIENT_WAKE_IN] = B(TW_CLIENT_RX),
		[TW_SERVER_WAKE_IN] = B(TW_SERVER_RX),
		[TW_SERVER_APP_OUT] = B(TW_SERVER_SCHED),
		[TW_SERVER_STACK_OUT] = B(TW_SERVER_SCHED) | B(TW_SERVER_SND),
		[TW_CLIENT_STACK] = B(TW_CLIENT_SND) | B(TW_CLIENT_RX),
		[TW_WIRE] = B(TW_CLIENT_SND) | B(TW_CLIENT_RX) |
			    B(TW_SERVER_SND) | B(TW_SERVER_RX),
		[TW_SERVER_STACK] = B(TW_SERVER_SND) | B(TW_SERVER_RX),
	};
	struct tw_stamped one;
	int id, missing;

	(void)state;
	for (missing = 0; missing < TW_STAMPS; missing++) {
		one = in_order;
		one.at_ns[missing] = TW_STAMP_NONE;
		for (id = 0; id < TW_STAMPED_PARTS; id++)
			assert_int_equal(tw_stamped_part(&one, id) ==
					 TW_STAMP_NONE,
					 needs[id] >> missing & 1);
	}
}

static void test_count(void **state)
{
	struct tw_stamped_sum sum = { 0 };
	struct tw_stamped next = in_order;
	int id;

	(void)state;
	next.t0_ns -= 100;
	tw_stamped_count(&sum, TW_STAMPS_ALL, &in_order);
	tw_stamped_count(&sum, TW_STAMPS_ALL, &next);
	tw_stamped_count(&sum, TW_STAMPS_ALL, &in_order);
	for (id = 0; id < TW_STAMPED_PARTS; id++)
		assert_int_equal(sum.part[id].count, 3);
	assert_int_equal(sum.cycles, 3);
	assert_int_equal(sum.left_out, 0);
	assert_int_equal(sum.part[TW_CLIENT_APP_OUT].min_ns, 10);
	assert_int_equal(sum.part[TW_CLIENT_APP_OUT].max_ns, 110);
	assert_int_equal(sum.part[TW_CLIENT_APP_OUT].sum_ns, 130);
	assert_int_equal(sum.part[TW_WIRE].min_ns, 207);
	assert_int_equal(sum.part[TW_WIRE].max_ns, 207);
}

/* Left out as a whole, and counted once, whatever it lacks. */
static void test_count_missing(void **state)
{
	struct tw_stamped_sum sum = { 0 };
	struct tw_stamped one;
	int id;

	(void)state;
	for (id = 0; id < TW_STAMPS; id++) {
		one = in_order;
		one.at_ns[id] = TW_STAMP_NONE;
		tw_stamped_count(&sum, TW_STAMPS_ALL, &one);
		assert_int_equal(sum.left_out, id + 1);
		assert_int_equal(sum.missing[id], 1);
	}
	one.at_ns[0] = TW_STAMP_NONE;
	tw_stamped_count(&sum, TW_STAMPS_ALL, &one);
	assert_int_equal(sum.left_out, TW_STAMPS + 1);
	assert_int_equal(sum.missing[0], 2);
	assert_int_equal(sum.cycles, 0);
	for (id = 0; id < TW_STAMPED_PARTS; id++)
		assert_int_equal(sum.part[id].count, 0);
}

/* With rx, the others are not asked for: they are not missing. */
static void test_count_rx(void **state)
{
	struct tw_stamped_sum sum = { 0 };
	struct tw_stamped one = in_order;
	int id;

	(void)state;
	for (id = 0; id < TW_STAMPS; id++)
		if (id != TW_CLIENT_RX && id != TW_SERVER_RX)
			one.at_ns[id] = TW_STAMP_NONE;
	tw_stamped_count(&sum, TW_STAMPS_RX, &one);
	assert_int_equal(sum.cycles, 1);
	for (id = 0; id < TW_STAMPED_PARTS; id++)
		assert_int_equal(sum.part[id].count,
				 id == TW_CLIENT_WAKE_IN ||
				 id == TW_SERVER_WAKE_IN || id == TW_STAMPED_NETWORK);
	one.at_ns[TW_SERVER_RX] = TW_STAMP_NONE;
	tw_stamped_count(&sum, TW_STAMPS_RX, &one);
	assert_int_equal(sum.cycles, 1);
	assert_int_equal(sum.left_out, 1);
	assert_int_equal(sum.missing[TW_SERVER_RX], 1);
	assert_int_equal(sum.missing[TW_CLIENT_SND], 0);
}

static void test_add(void **state)
{
	struct tw_stamped_sum a = { 0 }, b = { 0 }, none = { 0 };
	struct tw_stamped next = in_order;

	(void)state;
	next.t3_ns -= 5;
	tw_stamped_count(&a, TW_STAMPS_ALL, &in_order);
	tw_stamped_count(&b, TW_STAMPS_ALL, &next);
	next.at_ns[TW_CLIENT_SND] = TW_STAMP_NONE;
	tw_stamped_count(&b, TW_STAMPS_ALL, &next);
	tw_stamped_value(&a.work, 7);
	tw_stamped_add(&a, &none);
	tw_stamped_add(&none, &a);
	tw_stamped_add(&none, &b);
	assert_int_equal(none.cycles, 2);
	assert_int_equal(none.left_out, 1);
	assert_int_equal(none.missing[TW_CLIENT_SND], 1);
	assert_int_equal(none.part[TW_STAMPED_NETWORK].count, 2);
	assert_int_equal(none.part[TW_STAMPED_NETWORK].min_ns, 335);
	assert_int_equal(none.part[TW_STAMPED_NETWORK].max_ns, 340);
	assert_int_equal(none.part[TW_STAMPED_NETWORK].sum_ns, 675);
	assert_int_equal(none.work.count, 1);
	assert_int_equal(none.work.max_ns, 7);
}

static _Alignas(TW_CACHE_LINE) struct tw_stamps stamps;
static struct tw_stamped slots[4];
static struct tw_client client;
static struct tw_server server;

static int set_up(void **state)
{
	(void)state;
	memset(&stamps, 0, sizeof(stamps));
	memset(slots, 0, sizeof(slots));
	tw_stamped_init(&stamps, TW_STAMPS_ALL, STEP);
	stamps.slot = slots;
	stamps.slots = 4;
	queued = 0;
	real_ns = REAL_NS;
	now_ns = 0;
	client = (struct tw_client) {
		.fd = 5, .clock = &now_clock, .warmup = 1, .stamps = &stamps,
	};
	server = (struct tw_server) {
		.fd = 5, .clock = &now_clock, .stamps = &stamps,
	};
	return 0;
}

static void receive(struct tw_stamps_in *in, int64_t at_ns)
{
	struct made made;

	made_rx(&made, at_ns + real_ns);
	memcpy(in->control, made.control, made.msg.msg_controllen);
	in->msg.msg_control = in->control;
	in->msg.msg_controllen = made.msg.msg_controllen;
}

static int64_t start_of(uint64_t seq)
{
	return (int64_t)seq * 10000;
}

/* The request of cycle @seq has left, and its reply has come. */
static struct tw_cycle cycle_of(uint64_t seq)
{
	int64_t ns = start_of(seq);

	now_ns = ns + 1300;
	receive(&stamps.client.in, ns + 1150);
	return (struct tw_cycle) {
		.seq = seq, .t0_ns = ns, .t1_ns = ns + 140,
		.t2_ns = ns + 1000, .t3_ns = ns + 1200,
	};
}

static void sent(uint64_t seq)
{
	int64_t ns = start_of(seq) + real_ns;
	uint32_t id = stamps.client.out.id + STEP;

	enqueue(SCM_TSTAMP_SCHED, id, ns + 10);
	enqueue(SCM_TSTAMP_SND, id, ns + 25);
}

/* What the server says of cycle @of. */
static void says(uint64_t of)
{
	int64_t ns = start_of(of);

	stamps.client.reply = (struct tw_reply_stamps) {
		.of = (uint32_t)of, .rx_ns = ns + 100,
		.sched_ns = ns + 1007, .snd_ns = ns + 1018,
	};
}

static void run_cycle(uint64_t seq)
{
	const struct tw_cycle cycle = cycle_of(seq);

	sent(seq);
	says(seq - 1);
	tw_stamped_client(&client, &cycle);
	assert_int_equal(queued, 0);
}

static void assert_sum(uint64_t cycles, uint64_t left_out)
{
	const struct tw_stamped_sum sum = tw_stamped_read(&stamps);

	assert_int_equal(sum.cycles, cycles);
	assert_int_equal(sum.left_out, left_out);
	assert_int_equal(sum.part[TW_STAMPED_NETWORK].count, cycles);
	if (!cycles)
		return;
	/* All are alike. */
	assert_int_equal(sum.part[TW_CLIENT_APP_OUT].min_ns, 10);
	assert_int_equal(sum.part[TW_CLIENT_APP_OUT].max_ns, 10);
	assert_int_equal(sum.part[TW_CLIENT_WAKE_IN].min_ns, 50);
	assert_int_equal(sum.part[TW_CLIENT_WAKE_IN].max_ns, 50);
	assert_int_equal(sum.part[TW_SERVER_STACK].max_ns, 58);
	assert_int_equal(sum.part[TW_STAMPED_NETWORK].sum_ns, 340 * (int64_t)cycles);
}

/* Each is complete with the next; of the warm-up, none counts. */
static void test_client(void **state)
{
	struct tw_stamped_sum sum;
	uint64_t seq;

	(void)state;
	/* As the test exchange has left it; the numbers wrap. */
	stamps.client.out.id = UINT32_MAX - STEP;
	for (seq = 1; seq <= 5; seq++) {
		run_cycle(seq);
		assert_sum(seq > 2 ? seq - 2 : 0, 0);
	}
	sum = tw_stamped_read(&stamps);
	assert_int_equal(sum.work.count, 4);
	assert_int_equal(sum.work.min_ns, 100);
	assert_int_equal(sum.work.max_ns, 100);
}

static void test_client_datagrams(void **state)
{
	struct tw_cycle cycle;

	(void)state;
	tw_stamped_init(&stamps, TW_STAMPS_ALL, 0);
	stamps.client.out.id = 6;
	cycle = cycle_of(2);
	enqueue(SCM_TSTAMP_SND, 7, start_of(2) + real_ns + 25);
	enqueue(SCM_TSTAMP_SCHED, 7, start_of(2) + real_ns + 10);
	tw_stamped_client(&client, &cycle);
	assert_int_equal(stamps.client.pending.at_ns[TW_CLIENT_SCHED],
			 start_of(2) + 10);
	assert_int_equal(stamps.client.pending.at_ns[TW_CLIENT_SND],
			 start_of(2) + 25);
}

/* It belongs to the cycle before: this one lacks it, and nobody waits. */
static void test_client_late(void **state)
{
	struct tw_cycle cycle;
	uint32_t late;

	(void)state;
	run_cycle(1);
	cycle = cycle_of(2);
	late = stamps.client.out.id + STEP;
	enqueue(SCM_TSTAMP_SCHED, late, start_of(2) + real_ns + 10);
	says(1);
	tw_stamped_client(&client, &cycle);
	enqueue(SCM_TSTAMP_SND, late, start_of(2) + real_ns + 25);
	run_cycle(3);
	run_cycle(4);
	assert_sum(1, 1);
	assert_int_equal(tw_stamped_read(&stamps).missing[TW_CLIENT_SND], 1);
	assert_int_equal(tw_stamped_read(&stamps).missing[TW_CLIENT_SCHED], 0);
}

/* Of more than one batch, none is left in the queue. */
static void test_client_many(void **state)
{
	struct tw_cycle cycle;
	int i;

	(void)state;
	run_cycle(1);
	cycle = cycle_of(2);
	for (i = 0; i < 6; i++)
		enqueue(SCM_TSTAMP_SND, 1, 1);
	sent(2);
	says(1);
	tw_stamped_client(&client, &cycle);
	assert_int_equal(queued, 0);
	run_cycle(3);
	assert_sum(1, 0);
}

/* The reply that had the stamps was lost, or they are of another cycle. */
static void test_client_lost(void **state)
{
	(void)state;
	run_cycle(1);
	run_cycle(2);
	sent(3);
	tw_stamped_client(&client, NULL);
	assert_int_equal(queued, 0);
	assert_sum(0, 1);
	run_cycle(4);
	assert_sum(0, 1);
	run_cycle(5);
	assert_sum(1, 1);
	assert_int_equal(tw_stamped_read(&stamps).missing[TW_SERVER_RX], 1);
	assert_int_equal(tw_stamped_read(&stamps).missing[TW_CLIENT_RX], 0);
}

static void test_client_other_stamps(void **state)
{
	struct tw_cycle cycle;

	(void)state;
	run_cycle(1);
	run_cycle(2);
	cycle = cycle_of(3);
	sent(3);
	says(1);
	tw_stamped_client(&client, &cycle);
	assert_sum(0, 1);
	assert_int_equal(tw_stamped_read(&stamps).missing[TW_SERVER_SND], 1);
}

/* A small change is drift. A large one is a clock that was set. */
static void test_client_step(void **state)
{
	uint64_t seq;

	(void)state;
	for (seq = 1; seq <= 4; seq++) {
		if (seq == 3)
			real_ns += 900;
		run_cycle(seq);
	}
	assert_sum(2, 0);
	real_ns += TW_NS_PER_MS;
	run_cycle(5);
	run_cycle(6);
	run_cycle(7);
	assert_sum(4, 1);
	real_ns -= TW_NS_PER_MS;
	run_cycle(8);
	run_cycle(9);
	assert_sum(5, 2);
	assert_int_equal(tw_stamped_read(&stamps).missing[TW_CLIENT_RX], 2);
	assert_int_equal(tw_stamped_read(&stamps).missing[TW_SERVER_RX], 0);
}

/* If the stamps are of the measuring clock, it is not read at all. */
static void test_client_realtime(void **state)
{
	const struct tw_clock real_clock = {
		.read_ns = read_now, .clockid = CLOCK_REALTIME,
	};
	struct tw_clock clock = real_clock;
	uint64_t seq;

	(void)state;
	client.clock = &clock;
	real_ns = 0;
	for (seq = 1; seq <= 4; seq++)
		run_cycle(seq);
	assert_sum(2, 0);
	assert_int_equal(stamps.client.clock.ahead.trusted_ns, 0);
}

/* With rx, the error queue is not even read. */
static void test_client_rx(void **state)
{
	uint64_t seq;

	(void)state;
	tw_stamped_init(&stamps, TW_STAMPS_RX, STEP);
	client.fd = -1;
	for (seq = 1; seq <= 3; seq++) {
		const struct tw_cycle cycle = cycle_of(seq);

		says(seq - 1);
		tw_stamped_client(&client, &cycle);
	}
	assert_int_equal(tw_stamped_read(&stamps).cycles, 1);
}

static void test_slots(void **state)
{
	struct tw_stamped found;
	uint64_t seq;
	int id;

	(void)state;
	for (seq = 1; seq <= 6; seq++)
		run_cycle(seq);
	for (seq = 2; seq <= 5; seq++) {
		tw_stamped_find(&stamps, seq, &found);
		assert_int_equal(found.seq, seq);
		assert_int_equal(found.t0_ns, start_of(seq));
		assert_int_equal(found.at_ns[TW_CLIENT_SND],
				 start_of(seq) + 25);
		assert_int_equal(found.at_ns[TW_SERVER_SCHED],
				 start_of(seq) + 1007);
	}
	/* Overwritten, or not complete yet. */
	for (seq = 1; seq <= 6; seq += 5) {
		tw_stamped_find(&stamps, seq, &found);
		for (id = 0; id < TW_STAMPS; id++)
			assert_int_equal(found.at_ns[id], TW_STAMP_NONE);
	}
}

static void test_read_before(void **state)
{
	struct tw_stamped_sum sum;

	(void)state;
	run_cycle(1);
	run_cycle(2);
	run_cycle(3);
	stamps.before.cycles = 10;
	tw_stamped_value(&stamps.before.part[TW_WIRE], -7);
	sum = tw_stamped_read(&stamps);
	assert_int_equal(sum.cycles, 11);
	assert_int_equal(sum.part[TW_WIRE].count, 2);
	assert_int_equal(sum.part[TW_WIRE].min_ns, -7);
	assert_int_equal(stamps.client.version % 2, 0);
}

static void *write_on(void *arg)
{
	__typeof__(stamps.client) *own = arg;
	volatile int pause;
	uint64_t n;

	for (n = 1; n <= WRITES; n++) {
		atomic_store(&own->version, 2 * (uint32_t)n - 1);
		*(volatile uint64_t *)&own->sum.cycles = n;
		for (pause = 0; pause < 100; pause++)
			;
		*(volatile uint64_t *)&own->sum.work.count = n;
		atomic_store(&own->version, 2 * (uint32_t)n);
		for (pause = 0; pause < 100; pause++)
			;
	}
	return NULL;
}

/*
 * What main reads while the client writes is of one cycle. Only a writer that
 * is stopped in between for long is not waited for: that is rare.
 */
static void test_read_meanwhile(void **state)
{
	struct tw_stamped_sum sum = { .cycles = 0 };
	uint64_t reads = 0, torn = 0;
	pthread_t thread;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, write_on,
					&stamps.client), 0);
	while (sum.cycles < WRITES) {
		sum = tw_stamped_read(&stamps);
		torn += sum.cycles != sum.work.count;
		reads++;
	}
	assert_true(torn * 50 <= reads);
	assert_int_equal(pthread_join(thread, NULL), 0);
	/* A client that was killed while it wrote holds nobody up. */
	stamps.client.version++;
	assert_int_equal(tw_stamped_read(&stamps).cycles, WRITES);
}

/* The server's stamps of its last reply, for the next. */
static void test_server(void **state)
{
	const struct tw_reply_stamps *reply = &stamps.server.reply;
	struct tw_reply last = { .seq = 0 };
	uint64_t seq;

	(void)state;
	/* There was none before the first request. */
	client.fd = -1;
	tw_stamped_server(&server, &last);
	assert_int_equal(reply->of, 0);
	stamps.server.out.id = 63;
	for (seq = (UINT64_C(5) << 32) - 2; seq < UINT64_C(5) << 32; seq++) {
		uint32_t id = stamps.server.out.id + TW_STAMPED_SIZE;

		now_ns += 10000;
		last.seq = seq;
		last.t2_ns = now_ns - 100;
		receive(&stamps.server.in, now_ns - 500);
		enqueue(SCM_TSTAMP_SCHED, id, now_ns + real_ns - 90);
		enqueue(SCM_TSTAMP_SND, id, now_ns + real_ns - 80);
		tw_stamped_server(&server, &last);
		assert_int_equal(reply->of, (uint32_t)seq);
		assert_int_equal(reply->rx_ns, now_ns - 500);
		assert_int_equal(reply->sched_ns, now_ns - 90);
		assert_int_equal(reply->snd_ns, now_ns - 80);
		/* What came since was no new request. */
		receive(&stamps.server.in, now_ns - 5);
		tw_stamped_server(&server, &last);
		assert_int_equal(reply->rx_ns, now_ns - 500);
	}
	/* A step of the clock, and nothing in the queue. */
	last.seq++;
	now_ns += 1000;
	last.t2_ns = now_ns;
	real_ns += TW_NS_PER_S;
	tw_stamped_server(&server, &last);
	assert_int_equal(reply->rx_ns, TW_STAMP_NONE);
	assert_int_equal(reply->sched_ns, TW_STAMP_NONE);
	assert_int_equal(reply->snd_ns, TW_STAMP_NONE);
}

#define WITH(test)	cmocka_unit_test_setup(test, set_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_identity),
		cmocka_unit_test(test_other_clock),
		cmocka_unit_test(test_missing_parts),
		cmocka_unit_test(test_count),
		cmocka_unit_test(test_count_missing),
		cmocka_unit_test(test_count_rx),
		cmocka_unit_test(test_add),
		WITH(test_client),
		WITH(test_client_datagrams),
		WITH(test_client_late),
		WITH(test_client_many),
		WITH(test_client_lost),
		WITH(test_client_other_stamps),
		WITH(test_client_step),
		WITH(test_client_realtime),
		WITH(test_client_rx),
		WITH(test_slots),
		WITH(test_read_before),
		WITH(test_read_meanwhile),
		WITH(test_server),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
