// SPDX-License-Identifier: GPL-2.0-or-later
/* What is done while the cost is measured, by calls that are scripted. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "measure/tw_tally.h"
#include "measure/tw_wire.h"
#include "unit.h"

#define SLEPT_NS	5000
#define ADDED_NS	70000
#define DECODED_NS	900000

static struct {
	int64_t now_ns, last_step_ns;
	int sleeps, added, decoded, maps, unmaps;
	bool no_memory;
	int64_t last_t0_ns;
	uint64_t last_seq;
} world;

static int nanosleep_by_script(const struct timespec *pause,
			       struct timespec *left)
{
	assert_null(left);
	/* The shortest: all that it takes is cost. */
	assert_int_equal(pause->tv_sec, 0);
	assert_int_equal(pause->tv_nsec, 1);
	world.sleeps++;
	world.now_ns += SLEPT_NS;
	return 0;
}

static void *mmap_by_script(void *at, size_t size, int prot, int flags,
			    int fd, off_t offset)
{
	world.maps++;
	/* No page fault is to come into a cycle. */
	assert_true(flags & MAP_POPULATE);
	return world.no_memory ? MAP_FAILED :
				 mmap(at, size, prot, flags, fd, offset);
}

static int munmap_by_script(void *at, size_t size)
{
	world.unmaps++;
	return munmap(at, size);
}

/* Cycles that follow each other, with all their times. */
static void add_by_script(struct tw_tally *tally, const struct tw_cycle *cycle)
{
	assert_int_equal(cycle->seq, ++world.last_seq);
	if (world.added)
		assert_int_equal(cycle->prev_t0_ns, world.last_t0_ns);
	assert_true(cycle->prev_t0_ns > 0);
	assert_true(cycle->prev_t0_ns < cycle->t0_ns);
	assert_int_equal(cycle->planned_ns, cycle->t0_ns);
	assert_int_equal(cycle->t1_ns, cycle->t0_ns);
	assert_int_equal(cycle->t2_ns, cycle->t0_ns);
	assert_true(cycle->t0_ns < cycle->t3_ns);
	world.last_t0_ns = cycle->t0_ns;
	world.added++;
	world.now_ns += ADDED_NS;
	tw_tally_add(tally, cycle);
}

static int get_reply_by_script(const void *buf, size_t len, uint64_t seq,
			       struct tw_reply *reply)
{
	int err = tw_wire_get_reply(buf, len, seq, reply);

	assert_int_equal(err, 0);
	world.decoded++;
	world.now_ns += DECODED_NS;
	return err;
}

#define nanosleep nanosleep_by_script
#define mmap mmap_by_script
#define munmap munmap_by_script
#define tw_tally_add add_by_script
#define tw_wire_get_reply get_reply_by_script
#include "measure/tw_cost.c"
#undef nanosleep
#undef mmap
#undef munmap
#undef tw_tally_add
#undef tw_wire_get_reply

/* Each read takes a ns more than the one before. */
static int64_t read_slower(const struct tw_clock *clock)
{
	(void)clock;
	world.now_ns += ++world.last_step_ns;
	return world.now_ns;
}

static int64_t read_steady(const struct tw_clock *clock)
{
	(void)clock;
	world.now_ns += 40;
	return world.now_ns;
}

static struct tw_cost measured(int64_t (*read_ns)(const struct tw_clock *),
			       bool no_memory)
{
	const struct tw_metric_params params = {
		.period_ns = 1000000, .sleep_ns = 100000,
	};
	const struct tw_clock clock = { .name = "x", .read_ns = read_ns };
	struct tw_cost cost;

	memset(&world, 0, sizeof(world));
	world.no_memory = no_memory;
	memset(&cost, 0x5a, sizeof(cost));
	tw_cost_measure(&cost, &clock, &params);
	return cost;
}

/* Of many samples that grow evenly: least, middle and most. */
static void assert_even(const struct tw_spread *spread, int64_t step_ns,
			int64_t samples)
{
	assert_int_equal(spread->max_ns - spread->min_ns,
			 step_ns * (samples - 1));
	assert_true(spread->avg_ns > (double)spread->min_ns);
	assert_true(2 * spread->avg_ns - (double)spread->min_ns -
		    (double)spread->max_ns < 1e-3);
	assert_true(2 * spread->avg_ns - (double)spread->min_ns -
		    (double)spread->max_ns > -1e-3);
}

/* Of each, so many are measured that one that is late does not matter. */
static void test_samples(void **state)
{
	struct tw_cost cost = measured(read_slower, false);

	(void)state;
	assert_even(&cost.clock, 2, cost.clock.max_ns / 2);
	assert_int_equal(cost.clock.min_ns, 2);
	assert_int_equal(cost.resolution_ns, 2);
	assert_in_range(cost.clock.max_ns / 2, 100, 1000000);
	assert_even(&cost.sleep, 2, world.sleeps);
	assert_in_range(world.sleeps, 10, 1000);
	/* Three reads out of four grow. */
	assert_even(&cost.cycle, 12, world.added);
	assert_in_range(world.added, 100, 1000000);
}

/* The sleep, the fold and the decoding are within what is measured. */
static void test_within(void **state)
{
	struct tw_cost cost = measured(read_steady, false);

	(void)state;
	assert_int_equal(cost.clock.max_ns, 40);
	assert_int_equal(cost.sleep.min_ns, 40 + SLEPT_NS);
	assert_int_equal(cost.cycle.min_ns, 3 * 40 + ADDED_NS + DECODED_NS);
	assert_int_equal(world.decoded, world.added);
	assert_int_equal(world.maps, 1);
	assert_int_equal(world.unmaps, 1);
}

static void test_no_memory(void **state)
{
	struct tw_cost cost = measured(read_steady, true);

	(void)state;
	assert_int_equal(cost.clock.max_ns, 40);
	assert_int_equal(cost.sleep.min_ns, 40 + SLEPT_NS);
	assert_int_equal(cost.cycle.min_ns, 0);
	assert_int_equal(cost.cycle.max_ns, 0);
	assert_true(cost.cycle.avg_ns == 0);
	assert_int_equal(world.added, 0);
	assert_int_equal(world.unmaps, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_within),
		cmocka_unit_test(test_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
