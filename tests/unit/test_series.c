// SPDX-License-Identifier: GPL-2.0-or-later
/* Series: rows of statistics, their marks, and several series as one. */
#include <stdlib.h>
#include <string.h>

#include "base/tw_series.h"
#include "unit.h"

#define ROWS	3
#define WIDTH	50

static struct tw_series *new_series(int count, int64_t width_us)
{
	struct tw_series *series = calloc(1, tw_series_size(count, width_us));

	assert_non_null(series);
	tw_series_init(series, count, width_us);
	return series;
}

/* As a writer does: @values_ns has one for each row. */
static void add(struct tw_series *series, const int64_t values_ns[])
{
	uint32_t version = tw_series_begin(series);
	int i;

	assert_int_equal(series->version % 2, 1);
	assert_false(tw_series_is_still(series, series->version));
	for (i = 0; i < series->count; i++) {
		struct tw_series_row *row = &series->row[i];

		tw_stats_add(&row->stats, values_ns[i],
			     1.0 / (double)(row->stats.count + 1));
		tw_window_add(&row->window, values_ns[i], 0);
	}
	tw_series_count_marks(series, values_ns);
	tw_series_end(series, version);
	assert_int_equal(series->version, version + 2);
}

static void test_size(void **state)
{
	const size_t row = sizeof(struct tw_series_row);

	(void)state;
	assert_int_equal(tw_series_size(0, 10), sizeof(struct tw_series));
	assert_int_equal(tw_series_size(1, 0), sizeof(struct tw_series) + row);
	assert_int_equal(tw_series_size(8, 3500), sizeof(struct tw_series) +
			 8 * (row + 3500 * sizeof(uint64_t)));
	assert_int_equal(tw_series_size(8, INT64_MAX), SIZE_MAX);
	/* A width that would wrap to a small size. */
	assert_int_equal(tw_series_size(8, INT64_C(1) << 58), SIZE_MAX);
}

static void test_init(void **state)
{
	struct tw_series *series = new_series(ROWS, WIDTH);
	const char *end = (const char *)series + tw_series_size(ROWS, WIDTH);
	int i;

	(void)state;
	assert_int_equal(series->count, ROWS);
	assert_ptr_equal(series->row[0].window.counts, &series->row[ROWS]);
	for (i = 0; i < ROWS; i++) {
		const struct tw_window *window = &series->row[i].window;

		assert_false(series->row[i].stats.has_target);
		assert_int_equal(series->row[i].stats.max_ns, INT64_MIN);
		assert_int_equal(window->bin_us, 1);
		assert_int_equal(window->base_us, 0);
		assert_int_equal(window->width_us, WIDTH);
		if (i)
			assert_ptr_equal(window->counts, WIDTH +
					 series->row[i - 1].window.counts);
	}
	assert_ptr_equal(series->row[ROWS - 1].window.counts + WIDTH, end);
	free(series);
}

static void test_no_value(void **state)
{
	static const struct tw_status none;
	struct tw_status status[ROWS + 1], beyond;
	struct tw_series *series = new_series(ROWS, 0);
	int64_t value_ns;
	int i;

	(void)state;
	memset(status, 0xff, sizeof(status));
	memset(&beyond, 0xff, sizeof(beyond));
	tw_series_snapshot(series, status);
	assert_memory_equal(&status[ROWS], &beyond, sizeof(beyond));
	for (i = 0; i < ROWS; i++) {
		assert_memory_equal(&status[i], &none, sizeof(none));
		status[i] = tw_series_status(series, i);
		assert_memory_equal(&status[i], &none, sizeof(none));
		assert_false(tw_series_percentile(series, i, 1, &value_ns));
	}
	free(series);
}

static void test_status(void **state)
{
	static const int64_t values_ns[][ROWS] = {
		{ 10, -5, 1000 }, { 30, 5, 1000 },
	};
	static const struct tw_status want[ROWS] = {
		{ 2, 30, 10, 30, 20, 14.142135623730951 },
		{ 2, 5, -5, 5, 0, 7.0710678118654755 },
		{ 2, 1000, 1000, 1000, 1000, 0 },
	};
	struct tw_series *series = new_series(ROWS, 0);
	struct tw_status status[ROWS];
	int i;

	(void)state;
	add(series, values_ns[0]);
	add(series, values_ns[1]);
	tw_series_snapshot(series, status);
	for (i = 0; i < ROWS; i++) {
		assert_int_equal(status[i].count, want[i].count);
		assert_int_equal(status[i].last_ns, want[i].last_ns);
		assert_int_equal(status[i].min_ns, want[i].min_ns);
		assert_int_equal(status[i].max_ns, want[i].max_ns);
		assert_true(status[i].mean_ns == want[i].mean_ns);
		assert_true(status[i].deviation_ns - want[i].deviation_ns <
			    1e-9);
		assert_true(want[i].deviation_ns - status[i].deviation_ns <
			    1e-9);
	}
	free(series);
}

/* Whoever has seen an old version has seen old data. */
static void test_still(void **state)
{
	static const int64_t values_ns[ROWS] = { 1, 2, 3 };
	struct tw_series *series = new_series(ROWS, 0);
	uint32_t version = tw_series_version(series);

	(void)state;
	assert_true(tw_series_is_still(series, version));
	add(series, values_ns);
	assert_false(tw_series_is_still(series, version));
	assert_true(tw_series_is_still(series, tw_series_version(series)));
	free(series);
}

/* Each counts what is above it in its row, also over several series. */
static void test_marks(void **state)
{
	struct tw_series *series = new_series(ROWS, 0);
	struct tw_series *sum = new_series(ROWS, 0);
	int64_t value_ns;
	int i;

	(void)state;
	/* All of one bucket, whose middle is none of these. */
	tw_series_mark(series, 1, 1000000);
	tw_series_mark(series, 1, 1000003);
	tw_series_mark(series, 2, 6);
	tw_series_mark(sum, 1, 1000000);
	tw_series_mark(sum, 1, 1000003);
	tw_series_mark(sum, 2, 6);
	for (i = 0; i < 100; i++) {
		const int64_t values_ns[ROWS] = { 7, 1000000 + i % 4, i };

		add(series, values_ns);
	}
	assert_int_equal(series->marks[0].above, 75);
	assert_int_equal(series->marks[1].above, 0);
	assert_int_equal(series->marks[2].above, 93);
	for (i = 0; i < 3; i++)
		tw_series_merge(sum, series);
	assert_int_equal(sum->marks[0].above, 225);
	assert_int_equal(sum->marks[1].above, 0);
	assert_int_equal(sum->marks[2].above, 279);
	assert_true(tw_series_percentile(sum, 1, 25, &value_ns));
	assert_int_equal(value_ns, 1000000);
	assert_true(tw_series_percentile(sum, 1, 26, &value_ns));
	assert_in_range(value_ns, 1000001, 1000003);
	/* The row that has no mark. */
	assert_true(tw_series_percentile(sum, 0, 50, &value_ns));
	assert_int_equal(value_ns, 7);
	free(series);
	free(sum);
}

static void test_merge(void **state)
{
	static const int64_t values_ns[][ROWS] = {
		{ 1000, 2000, -1 }, { 3000, 4000, 60000 }, { 3999, 1, 50000 },
	};
	struct tw_series *all = new_series(ROWS, WIDTH);
	struct tw_series *merged = new_series(ROWS, WIDTH);
	size_t i;
	int row;

	(void)state;
	for (i = 0; i < sizeof(values_ns) / sizeof(values_ns[0]); i++) {
		struct tw_series *step = new_series(ROWS, WIDTH);

		add(step, values_ns[i]);
		add(all, values_ns[i]);
		tw_series_merge(merged, step);
		free(step);
	}
	for (row = 0; row < ROWS; row++) {
		const struct tw_series_row *got = &merged->row[row];
		const struct tw_series_row *want = &all->row[row];

		assert_int_equal(got->stats.count, 3);
		assert_int_equal(got->stats.min_ns, want->stats.min_ns);
		assert_int_equal(got->stats.max_ns, want->stats.max_ns);
		assert_int_equal(got->stats.sum_ns, want->stats.sum_ns);
		assert_memory_equal(got->window.counts, want->window.counts,
				    WIDTH * sizeof(*got->window.counts));
		assert_int_equal(got->window.below, row == 2);
		assert_int_equal(got->window.above, row == 2 ? 2 : 0);
	}
	free(merged);
	free(all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_size),
		cmocka_unit_test(test_init),
		cmocka_unit_test(test_no_value),
		cmocka_unit_test(test_status),
		cmocka_unit_test(test_still),
		cmocka_unit_test(test_marks),
		cmocka_unit_test(test_merge),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
