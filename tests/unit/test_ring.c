// SPDX-License-Identifier: GPL-2.0-or-later
/* The ring of cycles: order, what is lost when full, two processes. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure/tw_ring.h"
#include "unit.h"
#include "cycle.h"

static struct tw_ring *new_ring(uint32_t start)
{
	struct tw_ring *ring = mmap(NULL, tw_ring_size(TW_RING_MOST),
				    PROT_READ | PROT_WRITE,
				    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(ring, MAP_FAILED);
	assert_ptr_equal(tw_ring_init(ring, TW_RING_MOST), ring);
	ring->head = start;
	ring->tail = start;
	return ring;
}

static void drop_ring(struct tw_ring *ring)
{
	munmap(ring, tw_ring_size(TW_RING_MOST));
}

/* Every field follows from the number. */
static struct tw_cycle cycle_of(uint64_t seq)
{
	return (struct tw_cycle) {
		.seq = seq, .planned_ns = seq * 3, .t0_ns = seq * 5,
		.t1_ns = seq * 7, .t2_ns = seq * 11, .t3_ns = seq * 13,
		.prev_t0_ns = seq * 17, .missed = ~seq,
		.inversions = (uint32_t)seq * 19,
	};
}

static void put(struct tw_ring *ring, uint64_t seq)
{
	const struct tw_cycle cycle = cycle_of(seq);

	tw_ring_put(ring, &cycle);
}

static void assert_next(struct tw_ring *ring, uint64_t seq)
{
	const struct tw_cycle want = cycle_of(seq);
	struct tw_cycle got;

	assert_true(tw_ring_get(ring, &got));
	assert_memory_equal(&got, &want, CYCLE_BYTES);
}

static void assert_empty(struct tw_ring *ring)
{
	const struct tw_cycle untouched = cycle_of(99);
	struct tw_cycle got = untouched;

	assert_false(tw_ring_get(ring, &got));
	assert_memory_equal(&got, &untouched, CYCLE_BYTES);
}

static void test_layout(void **state)
{
	(void)state;
	assert_int_equal(TW_RING_MOST & (TW_RING_MOST - 1), 0);
	assert_int_equal(TW_RING_LEAST & (TW_RING_LEAST - 1), 0);
	assert_true(TW_RING_LEAST < TW_RING_MOST);
	assert_int_equal(tw_ring_size(TW_RING_MOST),
			 offsetof(struct tw_ring, cycles) +
			 TW_RING_MOST * sizeof(struct tw_cycle));
	/* No padding amid it: cycles could not be compared as they are here. */
	assert_int_equal(CYCLE_BYTES, 8 * sizeof(uint64_t) +
			 3 * sizeof(int32_t));
	/* What one writes is in no cache line with what the other writes. */
	assert_int_equal(offsetof(struct tw_ring, head) % TW_CACHE_LINE, 0);
	assert_int_equal(offsetof(struct tw_ring, tail) % TW_CACHE_LINE, 0);
	assert_int_equal(offsetof(struct tw_ring, size) % TW_CACHE_LINE, 0);
	assert_int_equal(offsetof(struct tw_ring, cycles) % TW_CACHE_LINE, 0);
	assert_true(offsetof(struct tw_ring, lost) / TW_CACHE_LINE <
		    offsetof(struct tw_ring, tail) / TW_CACHE_LINE);
}

static void check_order(struct tw_ring *ring)
{
	uint64_t in = 0, out = 0, seed = 5;
	int i;

	for (i = 0; i < 2000; i++) {
		uint64_t until = in + unit_between(&seed, 0, 100);

		while (in < until && in - out < TW_RING_MOST)
			put(ring, in++);
		until = out + unit_between(&seed, 0, 100);
		while (out < until && out < in)
			assert_next(ring, out++);
	}
	while (out < in)
		assert_next(ring, out++);
	assert_empty(ring);
	assert_int_equal(ring->lost, 0);
	assert_true(in > 3 * TW_RING_MOST);
}

static void test_order(void **state)
{
	struct tw_ring *ring = new_ring(0);

	(void)state;
	assert_empty(ring);
	check_order(ring);
	drop_ring(ring);
}

static void check_full(struct tw_ring *ring)
{
	uint64_t seq;

	for (seq = 0; seq < TW_RING_MOST + 5; seq++)
		put(ring, seq);
	assert_int_equal(ring->lost, 5);
	/* The oldest are kept: what is lost is what came last. */
	assert_next(ring, 0);
	put(ring, TW_RING_MOST + 5);
	put(ring, TW_RING_MOST + 6);
	assert_int_equal(ring->lost, 6);
	for (seq = 1; seq < TW_RING_MOST; seq++)
		assert_next(ring, seq);
	assert_next(ring, TW_RING_MOST + 5);
	assert_empty(ring);
}

static void test_full(void **state)
{
	struct tw_ring *ring = new_ring(0);

	(void)state;
	check_full(ring);
	drop_ring(ring);
}

/* After 2^32 cycles the indices begin anew: some days of a busy loop. */
static void test_index_wrap(void **state)
{
	static const uint32_t starts[] = {
		UINT32_MAX, UINT32_MAX - 1, UINT32_MAX - TW_RING_MOST,
		UINT32_MAX - TW_RING_MOST + 1,
		UINT32_MAX - TW_RING_MOST / 2, 0x80000000, 0x7fffffff,
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		struct tw_ring *ring = new_ring(starts[i]);

		check_full(ring);
		drop_ring(ring);
		ring = new_ring(starts[i]);
		check_order(ring);
		drop_ring(ring);
	}
}

#define PRODUCED	300000

/* In bursts of more than the ring holds, so that it does run full. */
static _Noreturn void produce(struct tw_ring *ring)
{
	uint64_t seq;

	for (seq = 0; seq < PRODUCED; seq++) {
		put(ring, seq);
		if (seq % (3 * TW_RING_MOST) == 0)
			usleep(1000);
	}
	_exit(0);
}

struct consumed {
	uint64_t count;
	uint64_t wrong;		/* torn, or out of order */
	int status;
};

static void consume(struct tw_ring *ring, struct consumed *consumed,
		    uint64_t *next)
{
	struct tw_cycle got, want;

	while (tw_ring_get(ring, &got)) {
		want = cycle_of(got.seq);
		if (got.seq < *next || memcmp(&got, &want, CYCLE_BYTES))
			consumed->wrong++;
		*next = got.seq + 1;
		consumed->count++;
	}
}

static void test_two_processes(void **state)
{
	struct tw_ring *ring = new_ring(UINT32_MAX - 100000);
	struct consumed consumed = { .count = 0 };
	uint64_t next = 0;
	pid_t pid = fork();

	(void)state;
	assert_true(pid >= 0);
	if (!pid)
		produce(ring);
	while (waitpid(pid, &consumed.status, WNOHANG) == 0)
		consume(ring, &consumed, &next);
	consume(ring, &consumed, &next);
	assert_int_equal(consumed.status, 0);
	assert_int_equal(consumed.wrong, 0);
	assert_int_equal(consumed.count + ring->lost, PRODUCED);
	assert_true(consumed.count >= TW_RING_MOST);
	drop_ring(ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_index_wrap),
		cmocka_unit_test(test_two_processes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
