// SPDX-License-Identifier: GPL-2.0-or-later
/* The µs histogram: its edges and its overflows. */
#include <string.h>

#include "base/tw_stats.h"
#include "unit.h"

#define WIDTH	10

static uint64_t counts[WIDTH];

static struct tw_window fresh_window(int64_t base_us)
{
	memset(counts, 0, sizeof(counts));
	return (struct tw_window) {
		.base_us = base_us, .bin_us = 1, .width_us = WIDTH,
		.counts = counts,
	};
}

/* Where @value_ns goes: a row, -1 for below, WIDTH for above. */
static int row_of(int64_t base_us, int64_t value_ns)
{
	struct tw_window window = fresh_window(base_us);
	int row, found = -2;

	tw_window_add(&window, value_ns, 1);
	if (window.below)
		found = -1;
	else if (window.above)
		found = WIDTH;
	for (row = 0; row < WIDTH; row++) {
		if (!counts[row])
			continue;
		assert_int_equal(found, -2);
		assert_int_equal(counts[row], 1);
		found = row;
	}
	assert_int_equal(tw_window_overflows(&window),
			 found < 0 || found == WIDTH);
	return found;
}

static void test_window_edges(void **state)
{
	static const struct { int64_t base_us, value_ns; int row; } want[] = {
		{ 0, 0, 0 }, { 0, 999, 0 }, { 0, 1000, 1 },
		{ 0, 9999, 9 }, { 0, 10000, WIDTH }, { 0, -1, -1 },
		{ 0, -1000, -1 }, { 0, -1001, -1 },
		{ 100, 99999, -1 }, { 100, 100000, 0 }, { 100, 109999, 9 },
		{ 100, 110000, WIDTH }, { 100, -5, -1 },
		{ 100, INT64_MAX, WIDTH }, { 100, INT64_MIN, -1 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		assert_int_equal(row_of(want[i].base_us, want[i].value_ns),
				 want[i].row);
}

static void test_window_overflow_list(void **state)
{
	struct tw_window window = fresh_window(5);
	uint64_t cycle, overflows = 0;

	(void)state;
	/* Of three: below, inside, above. */
	for (cycle = 1; cycle <= 600; cycle++) {
		static const int64_t values[] = { 20000, 4000, 7000 };

		tw_window_add(&window, values[cycle % 3], cycle);
	}
	assert_int_equal(window.below, 200);
	assert_int_equal(window.above, 200);
	assert_int_equal(tw_window_overflows(&window), 400);
	assert_int_equal(counts[2], 200);
	assert_int_equal(window.kept, TW_OVERFLOW_CYCLES);
	for (cycle = 1; overflows < TW_OVERFLOW_CYCLES; cycle++)
		if (cycle % 3 != 2)
			assert_int_equal(window.overflow_cycles[overflows++],
					 cycle);
	/* What follows the list in memory must not have been written. */
	assert_ptr_equal(window.counts, counts);
}

static void test_window_none(void **state)
{
	struct tw_window window = { .width_us = 0 };

	(void)state;
	tw_window_add(&window, 5, 1);
	tw_window_add(&window, -5, 2);
	assert_int_equal(tw_window_overflows(&window), 0);
	assert_int_equal(window.overflow_cycles[0], 0);
}

/* Bins of 10 us: as many rows, ten times as much inside. */
static void test_window_bins(void **state)
{
	static const struct { int64_t value_ns; int row; } want[] = {
		{ 30000, 0 }, { 39999, 0 }, { 40000, 1 }, { 129999, 9 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		struct tw_window window = fresh_window(30);

		window.bin_us = 10;
		tw_window_add(&window, want[i].value_ns, 1);
		assert_int_equal(counts[want[i].row], 1);
		assert_int_equal(tw_window_overflows(&window), 0);
		tw_window_add(&window, 130000, 2);
		assert_int_equal(window.above, 1);
		tw_window_add(&window, 29999, 3);
		assert_int_equal(window.below, 1);
		assert_int_equal(window.kept, 2);
	}
}

/* Counts add up; numbers of cycles, which each run counts anew, do not. */
static void test_window_merge(void **state)
{
	uint64_t all_counts[WIDTH] = { 0 };
	struct tw_window all = fresh_window(0);
	int round;

	(void)state;
	all.counts = all_counts;
	for (round = 0; round < 2; round++) {
		struct tw_window window = fresh_window(0);

		tw_window_add(&window, 3000, 0);
		tw_window_add(&window, (4 + round) * 1000, 1);
		tw_window_add(&window, -1, 2);
		tw_window_add(&window, 10000, 3);
		tw_window_add(&window, 10000, 4);
		tw_window_merge(&all, &window);
	}
	assert_int_equal(all_counts[3], 2);
	assert_int_equal(all_counts[4], 1);
	assert_int_equal(all_counts[5], 1);
	assert_int_equal(all.below, 2);
	assert_int_equal(all.above, 4);
	assert_int_equal(all.kept, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_window_edges),
		cmocka_unit_test(test_window_overflow_list),
		cmocka_unit_test(test_window_none),
		cmocka_unit_test(test_window_bins),
		cmocka_unit_test(test_window_merge),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
