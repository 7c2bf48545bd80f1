// SPDX-License-Identifier: GPL-2.0-or-later
/* --percentiles: the values, to the letter; the list: test_option_list.c. */
#include "report.h"

static void test_twice(void **state)
{
	(void)state;
	refused("--percentiles=50,9,50.0",
		"--percentiles=50,9,50.0: 50.0 stands there twice");
}

/* 1000 cycles that differ in nothing but the time to send: 1 .. 1000 us. */
static void add_thousand(void)
{
	struct tw_cycle cycle = run_cycles[0];
	int i;

	for (i = 1; i <= 1000; i++) {
		cycle.t1_ns = cycle.t0_ns + i * 1000;
		tw_tally_add(pair.tally, &cycle);
	}
}

static void test_values(void **state)
{
	(void)state;
	new_run("--metrics=send,interval");
	add_thousand();
	assert_string_equal(written(tw_part_percentiles.remarks), "");
	new_run("--percentiles=50,99,99.1 --metrics=send,interval");
	add_thousand();
	/* Middles of buckets; 99.1 leaves fewer than 10 samples. */
	assert_string_equal(written(tw_part_percentiles.remarks),
			    "# Percentiles send: 50:500.0 99:989.7 99.1:-\n"
			    "# Percentiles interval: 50:1004.0 99:1004.0 99.1:-\n");
	new_run("-N --percentiles=50 --metrics=send");
	add_thousand();
	assert_string_equal(written(tw_part_percentiles.remarks),
			    "# Percentiles send: 50:499968\n");
}

/* A percentile is named as it was asked for, to the last digit. */
static void test_names(void **state)
{
	(void)state;
	new_run("--percentiles=99.99999,0.001,99.12345678 --metrics=send");
	assert_string_equal(written(tw_part_percentiles.remarks),
			    "# Percentiles send: 99.99999:- 0.001:- 99.12345678:-\n");
}

/* A percentile of the JSON is named as it was asked for, too. */
static void threads(struct tw_json *json, const struct tw_run *run)
{
	const struct tw_columns shown = run->program->columns(run);

	tw_percentiles_json(json, &shown);
}

/* Some are there in any case. */
static void test_json(void **state)
{
	int i;

	(void)state;
	new_run("--metrics=interval");
	for (i = 0; i < 1000; i++)
		tw_tally_add(pair.tally, &run_cycles[0]);
	contains(written_json(threads),
		 "      \"percentiles\": {\"50\": 1004.000, \"90\": 1004.000, \"99\": 1004.000, \"99.9\": null, \"99.99\": null, \"99.999\": null},\n");
	new_run("-N --metrics=interval --percentiles=25");
	for (i = 0; i < 1000; i++)
		tw_tally_add(pair.tally, &run_cycles[0]);
	contains(written_json(threads),
		 "      \"percentiles\": {\"25\": 1004000},\n");
}

/* Keys of one object must differ, as the percentiles do. */
static void test_json_keys(void **state)
{
	(void)state;
	new_run("--metrics=interval --percentiles=99.99999,99.999999");
	contains(written_json(threads),
		 "{\"99.99999\": null, \"99.999999\": null}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_twice),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_json_keys),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	drop_run();
	return failed;
}
