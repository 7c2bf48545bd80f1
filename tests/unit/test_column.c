// SPDX-License-Identifier: GPL-2.0-or-later
/* Columns of several series, made by hand, as their printers show them. */
#include <stdlib.h>
#include <string.h>

#include "frame/tw_live.h"
#include "unit.h"

#define PAIRS	2
#define WIDTH	4

static struct tw_series *series[PAIRS];
static struct tw_column column[2 * PAIRS];
static struct tw_columns columns;
static char *text;

/* Of each pair two rows, of which the second begins at 1000 us. */
static int set_up(void **state)
{
	static const char *const tokens[] = { "near", "far" };
	int i, n, row;

	(void)state;
	for (i = 0; i < PAIRS; i++) {
		series[i] = calloc(1, tw_series_size(2, WIDTH));
		if (!series[i])
			return -1;
		tw_series_init(series[i], 2, WIDTH);
		series[i]->row[1].window.base_us = 1000;
	}
	for (n = 0; n < 2 * PAIRS; n++)
		column[n] = (struct tw_column) {
			.token = tokens[n % 2], .label = tokens[n % 2],
			.pair = n / 2, .pid = 100 + n / 2, .priority = 80,
			.interval_us = 500, .missed = n / 2 + 1,
			.throttled = n / 2 + 3, .series = series[n / 2],
			.row = n % 2, .headline = true,
		};
	columns = (struct tw_columns) {
		.unit = &tw_unit_us,
		.count = 2 * PAIRS, .column = column,
	};
	/* 1 us and 1 us more in the second pair; one value too far. */
	for (i = 0; i < PAIRS; i++)
		for (row = 0; row < 2; row++) {
			const int64_t ns = row * 1000000 + (i + 1) * 1000;
			struct tw_series_row *to = &series[i]->row[row];

			tw_stats_add(&to->stats, ns, 1.0);
			tw_window_add(&to->window, ns, 0);
			tw_stats_add(&to->stats, ns + 2500, 0.5);
			tw_window_add(&to->window, ns + 2500, 1);
		}
	for (n = 0; n < 2 * PAIRS; n++)
		column[n].status = tw_series_status(column[n].series,
						    column[n].row);
	return 0;
}

static int tear_down(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < PAIRS; i++)
		free(series[i]);
	free(text);
	text = NULL;
	return 0;
}

static FILE *open_text(void)
{
	static size_t size;
	FILE *file;

	free(text);
	file = open_memstream(&text, &size);
	assert_non_null(file);
	return file;
}

static void test_status(void **state)
{
	FILE *file = open_text();

	(void)state;
	tw_status_print(file, &columns);
	fclose(file);
	assert_string_equal(text,
		"T: 0 (  100) P:80 I:500 C:      2 Min:      1 Act:    3 Avg:    2 Max:       3 Std:     1.8 near\n"
		"T: 1 (  100) P:80 I:500 C:      2 Min:   1001 Act: 1003 Avg: 1002 Max:    1003 Std:     1.8 far\n"
		"T: 2 (  101) P:80 I:500 C:      2 Min:      2 Act:    4 Avg:    3 Max:       4 Std:     1.8 near\n"
		"T: 3 (  101) P:80 I:500 C:      2 Min:   1002 Act: 1004 Avg: 1003 Max:    1004 Std:     1.8 far\n");
}

/* Rows that lie apart, and none between them. */
static void test_histogram(void **state)
{
	FILE *file = open_text();

	(void)state;
	tw_histogram_print(file, &columns, true);
	fclose(file);
	assert_string_equal(text,
		"# Histogram\n"
		"000001 000001\t000000\t000000\t000000\t000001\n"
		"000002 000000\t000000\t000001\t000000\t000001\n"
		"000003 000001\t000000\t000000\t000000\t000001\n"
		"001001 000000\t000001\t000000\t000000\t000001\n"
		"001002 000000\t000000\t000000\t000001\t000001\n"
		"001003 000000\t000001\t000000\t000000\t000001\n"
		"# Total: 000000002 000000002 000000001 000000001 000000006\n"
		"# Min Latencies: 00001 01001 00002 01002\n"
		"# Avg Latencies: 00002 01002 00003 01003\n"
		"# Max Latencies: 00003 01003 00004 01004 01004\n"
		"# Histogram Overflows: 00000 00000 00001 00001 00002\n"
		"# Histogram Overflow at cycle number:\n"
		"# Thread 0: \n# Thread 1: \n"
		"# Thread 2: 00001 \n# Thread 3: 00001 \n"
		"# Std Deviations: 1.8 1.8 1.8 1.8\n"
		"# Metrics: near far near far\n"
		"# Missed: 00001 00001 00002 00002\n"
		"# Throttled: 00003 00003 00004 00004\n");
}

static void test_percentiles(void **state)
{
	static const double percents[] = { 10, 90 };
	FILE *file = open_text();
	int i;

	(void)state;
	tw_percentiles_print(file, &columns, percents, 0);
	for (i = 0; i < 18; i++)
		tw_stats_add(&series[1]->row[0].stats, 2000, 0.1);
	columns.unit = &tw_unit_ns;
	columns.count = 3;
	tw_percentiles_print(file, &columns, percents, 2);
	fclose(file);
	assert_string_equal(text,
		"# Percentiles near: 10:- 90:-\n"
		"# Percentiles far: 10:- 90:-\n"
		"# Percentiles near: 10:2001 90:-\n");
}

/* -M: any one column is enough for a new display. */
static void test_grown(void **state)
{
	struct tw_view view = {
		.columns = &columns, .policy = "fifo", .step = "half",
		.on_max = true,
	};
	struct tw_live live;
	FILE *file;
	int i;

	(void)state;
	tw_live_open(&live, -1);
	assert_false(tw_live_is_seen(&live));
	for (i = 0; i < 6; i++) {
		file = open_text();
		if (i == 2)
			column[2 * PAIRS - 1].status.max_ns++;
		if (i == 5)
			column[0].status.max_ns++;
		if (i == 3)
			column[0].status.last_ns++;
		view.last = i == 4;
		tw_live_draw(&live, file, &view);
		fclose(file);
		assert_int_equal(*text != '\0', i % 2 == 0 || i == 5);
		if (*text)
			assert_non_null(strstr(text, "\nhalf\nT: 0 "));
	}
	tw_live_close(&live);
}

#define WITH_COLUMNS(test) \
	cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_COLUMNS(test_status),
		WITH_COLUMNS(test_histogram),
		WITH_COLUMNS(test_percentiles),
		WITH_COLUMNS(test_grown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
