// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whatever the network and the clocks do, the true offset is where the
 * estimator says that it is, and no number is too large for it.
 */
#include <math.h>
#include <stdlib.h>

#include "two_clocks.h"

#define ROUNDS	2000
#define CYCLES	(TW_ONEWAY_WARMUP + 20 * TW_ONEWAY_WINDOW)

static struct tw_oneway oneway;
static uint64_t seed = 1;

static int64_t any(int64_t lowest, int64_t highest)
{
	return unit_between(&seed, lowest, highest);
}

/* Of any order of magnitude up to 10^@digits, either sign. */
static int64_t any_size(int digits)
{
	int64_t most = 1;
	int i, count = (int)any(0, digits);

	for (i = 0; i < count; i++)
		most *= 10;
	return any(-most, most);
}

static struct two_clocks any_clocks(void)
{
	struct two_clocks two = lan;

	two.seed = (uint64_t)any(1, INT64_MAX);
	two.begin_ns = any(0, INT64_C(4000000000000000000));
	two.offset_ns = any_size(18);
	two.send_ns = llabs(any_size(6));
	two.receive_ns = llabs(any_size(6));
	two.jitter_ns = llabs(any_size(6));
	two.rare = any(0, 1) ? any(2, 200) : 0;
	two.sleep_ns = llabs(any_size(7));
	two.period_ns = 200000000 + llabs(any_size(9));
	return two;
}

/* The clocks keep their distance, so one error is all there is. */
static void proven_without_a_rate(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < ROUNDS; i++) {
		struct two_clocks two = any_clocks();
		struct outcome outcome;

		/* Otherwise no 0 is within. */
		two.offset_ns = any(-two.send_ns, two.receive_ns);
		tw_oneway_init(&oneway, TW_ONEWAY_SYNC);
		outcome = pass(&oneway, &two, CYCLES);
		assert_int_equal(outcome.counted,
				 CYCLES - 3 * TW_ONEWAY_WINDOW);
		assert_true(outcome.error_ns <=
			    outcome.result.uncertainty_ns);
		assert_true(2 * outcome.result.uncertainty_ns + 1 >=
			    two.send_ns + two.receive_ns);
		assert_true(outcome.least_ns >= 0);
	}
}

/*
 * What the proof leaves open: the error of the rate, times a window. It is more
 * than what is proven in few runs, and by little.
 */
static void proven_with_a_rate(void **state)
{
	int known = 0, beyond = 0;
	int i;

	(void)state;
	for (i = 0; i < ROUNDS; i++) {
		struct two_clocks two = any_clocks();
		struct outcome outcome;
		int64_t most_ns;

		two.ppm = (double)any_size(6) / 1000;
		tw_oneway_init(&oneway, TW_ONEWAY_BOUND);
		outcome = pass(&oneway, &two, CYCLES);
		if (!outcome.result.known)
			continue;
		known++;
		/* An estimate is rounded to 1 ns. */
		most_ns = outcome.result.uncertainty_ns + 1;
		beyond += outcome.error_ns > most_ns;
		assert_true(outcome.error_ns <= most_ns + most_ns / 4);
		assert_true(2 * most_ns >= two.send_ns + two.receive_ns);
		assert_true(outcome.least_ns >= 0);
	}
	assert_true(known > ROUNDS * 95 / 100);
	assert_true(beyond < ROUNDS / 100);
}

/* UBSan sees what overflows. */
static void takes_any_numbers(void **state)
{
	static const int64_t sizes[] = {
		INT64_MIN, -INT64_C(1000000000000000000), -1000, 0, 1000,
		INT64_C(1000000000000000000), INT64_MAX,
	};
	const struct tw_oneway_result *result = &oneway.result;
	int i, k, pattern;

	(void)state;
	for (i = 0; i < 2000; i++) {
		pattern = (int)any(0, 2);
		tw_oneway_init(&oneway, any(0, 1) ? TW_ONEWAY_SYNC :
						    TW_ONEWAY_BOUND);
		for (k = 0; k < 1000; k++) {
			struct tw_oneway_offset offset;
			struct tw_cycle cycle = {
				.seq = (uint64_t)k + 1, .t0_ns = k * 1000,
				.t3_ns = k * 1000 + 500,
			};

			cycle.t1_ns = cycle.t0_ns + 100;
			cycle.t2_ns = cycle.t1_ns + 100;
			if (pattern > 0 && (pattern > 1 || !any(0, 99))) {
				cycle.t1_ns = sizes[any(0, 6)];
				cycle.t2_ns = any(0, 1) ? any_size(18) :
							  sizes[any(0, 6)];
			}
			if (pattern > 1 && any(0, 1))
				cycle.t3_ns = sizes[any(0, 6)];
			tw_oneway_add(&oneway, &cycle, &offset);
		}
		assert_int_equal(result->counted + result->uncounted, 1000);
		assert_true(isfinite(result->ppm));
		assert_true(result->uncertainty_ns >= 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(proven_without_a_rate),
		cmocka_unit_test(proven_with_a_rate),
		cmocka_unit_test(takes_any_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
