// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The time of day of cycles that are kept, on a system where it is set while
 * the test runs: this program's own clock_gettime() stands before the C
 * library's.
 */
#include <stdlib.h>

#include "base/tw_time.h"
#include "unit_tally.h"

#define HOUR_NS	(3600 * TW_NS_PER_S)

static int64_t time_ns;		/* of all clocks but that of the day ... */
static int64_t day_ns;		/* ... which is so much ahead */
static int reads;
static int64_t interrupted_ns;	/* the next read takes that long */

int clock_gettime(clockid_t clockid, struct timespec *ts)
{
	reads++;
	*ts = tw_ns_to_ts(clockid == CLOCK_REALTIME ? time_ns + day_ns :
						      time_ns);
	time_ns += interrupted_ns;
	interrupted_ns = 0;
	return 0;
}

static struct tw_tally *timed_tally(struct tw_clock *clock)
{
	struct tw_tally *tally = new_tally(&usual, 0);

	assert_int_equal(tw_clock_open(clock, "monotonic"), 0);
	tally->clock = clock;
	time_ns = 1000 * TW_NS_PER_S;
	day_ns = 400000 * HOUR_NS;
	return tally;
}

/* A cycle of this send time, now. */
static void measure(struct tw_tally *tally, struct tw_cycle *cycle,
		    int64_t send_ns)
{
	time_ns += TW_NS_PER_MS;
	cycle->seq++;
	cycle->prev_t0_ns = time_ns - TW_NS_PER_MS;
	cycle->planned_ns = time_ns;
	cycle->t0_ns = time_ns;
	cycle->t1_ns = time_ns + send_ns;
	cycle->t2_ns = cycle->t1_ns + usual.sleep_ns;
	cycle->t3_ns = cycle->t2_ns + 1000;
	tw_tally_add(tally, cycle);
}

/* The worst keeps the time that it was, whatever is set before or after. */
static void test_set_while_it_runs(void **state)
{
	struct tw_cycle cycle = { .seq = 0 };
	struct tw_clock clock;
	struct tw_tally *tally = timed_tally(&clock);
	int i;

	(void)state;
	measure(tally, &cycle, 5000);
	assert_int_equal(tally->worst[TW_SEND].ahead_ns, -day_ns);
	day_ns += HOUR_NS;
	for (i = 0; i < 5; i++)
		measure(tally, &cycle, 4000);
	measure(tally, &cycle, 9000);
	assert_int_equal(tally->worst[TW_SEND].ahead_ns, -day_ns);
	assert_int_equal(tally->worst[TW_SLEEP].ahead_ns, HOUR_NS - day_ns);
	day_ns -= 5 * HOUR_NS;
	measure(tally, &cycle, 8000);
	assert_int_equal(tally->worst[TW_SEND].ahead_ns,
			 -day_ns - 5 * HOUR_NS);
	drop_tally(tally, 0);
}

static void test_spikes(void **state)
{
	struct tw_kept *kept = calloc(2, sizeof(*kept));
	struct tw_cycle cycle = { .seq = 0 };
	struct tw_clock clock;
	struct tw_tally *tally = timed_tally(&clock);

	(void)state;
	assert_non_null(kept);
	tw_tally_attach_spikes(tally, kept, 2, TW_TOTAL, 1);
	measure(tally, &cycle, 9000);
	day_ns += HOUR_NS;
	measure(tally, &cycle, 5000);
	assert_int_equal(tally->spikes.count, 2);
	assert_int_equal(kept[0].ahead_ns, HOUR_NS - day_ns);
	assert_int_equal(kept[1].ahead_ns, -day_ns);
	free(kept);
	drop_tally(tally, 0);
}

/* A cycle that is kept, once or several times, reads the clocks once. */
static void test_cost(void **state)
{
	struct tw_cycle cycle = { .seq = 0 };
	struct tw_clock clock;
	struct tw_tally *tally = timed_tally(&clock);
	int i;

	(void)state;
	reads = 0;
	measure(tally, &cycle, 5000);
	assert_int_equal(reads, 3);
	for (i = 0; i < 100; i++)
		measure(tally, &cycle, 5000);
	assert_int_equal(reads, 3);
	measure(tally, &cycle, 5001);
	assert_int_equal(reads, 6);
	drop_tally(tally, 0);
}

/* Held up between the reads: they are made again, and not once too often. */
static void test_interrupted(void **state)
{
	struct tw_cycle cycle = { .seq = 0 };
	struct tw_clock clock;
	struct tw_tally *tally = timed_tally(&clock);

	(void)state;
	reads = 0;
	interrupted_ns = HOUR_NS;
	measure(tally, &cycle, 5000);
	assert_int_equal(reads, 6);
	assert_int_equal(tally->worst[TW_SEND].ahead_ns, -day_ns);
	drop_tally(tally, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_set_while_it_runs),
		cmocka_unit_test(test_spikes),
		cmocka_unit_test(test_cost),
		cmocka_unit_test(test_interrupted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
