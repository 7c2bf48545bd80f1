// SPDX-License-Identifier: GPL-2.0-or-later
/* What is told of a load beside several pairs, and beside more and more. */
#include "report.h"
#include "load/tw_load_report.h"
#include "load/tw_part_load.h"

static struct tw_work *work_of(int step)
{
	return (struct tw_work *)tw_load_work(step);
}

/*
 * Two steps of so many pairs, those of the second in the other order: their
 * figures must differ.
 */
static void new_steps(const char *line, unsigned int first,
		      unsigned int second)
{
	new_run(line);
	measure_late(0, 0, 0);
	measure_late(0, 1, 0);
	measure_late(1, 0, 20000);
	pair.tally->inversions = 5;
	pair.tally->throttled = 1;
	run_pair(1)->tally->inversions = 70;
	run_pair(1)->tally->throttled = 3;
	run_pair(1)->tally->missed = 4;
	steps[0] = (struct tw_pairs) { first, { &pair, run_pair(1) } };
	steps[1] = (struct tw_pairs) { second, { run_pair(1), &pair } };
	session.steps_done = 2;
	session.pairs = &steps[1];
	session.run.step = 1;
	*work_of(0) = (struct tw_work) {
		.done = 6, .elapsed_ns = INT64_C(2000000000),
	};
	*work_of(1) = (struct tw_work) {
		.done = 10, .errors = 3, .restarts = 4,
		.elapsed_ns = INT64_C(4000000000),
	};
}

/* Totals are the first pair's, which is said; counts are all pairs'. */
static void test_table(void **state)
{
	(void)state;
	new_steps("-t2 -d0 --load=fft --steps=2 -l5", 2, 2);
	assert_string_equal(written(tw_part_load.text),
		"# Total of pair 0 against load fft, in us; work: transforms a second\n"
		"#   workers      min      avg      max      std   missed throttled     work\n"
		"#         0       30       34       39      6.4        6         4      3.0\n"
		"#         1       59       59       59      0.0        6         4      2.5\n");
	new_steps("-t2 -d0 --load=fft --steps=2 -l5", 1, 1);
	contains(written(tw_part_load.text),
		"#         0       30       34       39      6.4        2         1      3.0\n"
		"#         1       59       59       59      0.0        4         3      2.5\n");
}

/* There the load is the same in all steps, and no axis. */
static void test_no_table(void **state)
{
	(void)state;
	new_steps("--ramp=pairs -d0 --load=fft:4 --steps=2 -l5", 1, 2);
	assert_string_equal(written(tw_part_load.text), "");
	new_steps("--ramp=pairs -d0 --steps=2 -l5", 1, 2);
	assert_string_equal(written(tw_part_load.text), "");
}

static void test_workers(void **state)
{
	(void)state;
	new_steps("--ramp=pairs --load=fft:4 --steps=2 -l5", 1, 2);
	assert_int_equal(tw_load_workers(&session.run, 0), 4);
	assert_int_equal(tw_load_workers(&session.run, 1), 4);
	assert_int_equal(tw_load_most(&session.run), 4);
	new_steps("--ramp=pairs --load=hackbench --steps=2 -l5", 1, 2);
	assert_int_equal(tw_load_workers(&session.run, 0), 10);
	new_steps("--ramp=pairs --steps=2 -l5", 1, 2);
	assert_int_equal(tw_load_most(&session.run), 0);
	new_steps("-t2 --load=fft --steps=2 -l5", 2, 2);
	assert_int_equal(tw_load_workers(&session.run, 0), 0);
	assert_int_equal(tw_load_most(&session.run), 1);
	/* What each pair is told of it. */
	tw_part_load.attach(&session.run, run_pair(1), NULL);
	assert_int_equal(run_pair(1)->workers, 1);
}

#define THREAD(index, number, cycles, min, max, avg, std) \
	"          \"" index "\": {\n" \
	"            \"metric\": \"total\",\n" \
	"            \"label\": \"Total Jitter\",\n" \
	"            \"pair\": " number ",\n" \
	"            \"percentiles\": {\"50\": null},\n" \
	"            \"stddev\": " std ",\n" \
	"            \"target\": null,\n" \
	"            \"cycles\": " cycles ",\n" \
	"            \"min\": " min ",\n" \
	"            \"max\": " max ",\n" \
	"            \"avg\": " avg ",\n" \
	"            \"cpu\": -1,\n" \
	"            \"node\": 0\n" \
	"          }"

#define RAMP	"--ramp=pairs -d0 --steps=2 -l5 --metrics=total --percentiles=50"

static void test_json(void **state)
{
	(void)state;
	new_steps(RAMP " --load=fft:4", 1, 2);
	/* In place of the order above: pair 0 is the first in any step. */
	steps[1] = (struct tw_pairs) { 2, { &pair, run_pair(1) } };
	contains(written_json(tw_part_load.json),
		"      \"workers\": 4,\n"
		"      \"work\": 16,\n"
		"      \"work_per_second\": 2.667,\n"
		"      \"work_per_second_and_worker\": 0.667,\n"
		"      \"work_errors\": 3,\n"
		"      \"restarts\": 4,\n"
		"      \"elapsed_s\": 6.000000\n"
		"    },\n"
		"    \"steps\": [\n"
		"      {\n"
		"        \"step\": 0,\n"
		"        \"pairs\": 1,\n"
		"        \"thread\": {\n"
		THREAD("0", "0", "2", "30", "39", "34.50", "6.364") "\n"
		"        },\n"
		"        \"cycles\": 2,\n"
		"        \"missed\": 2,\n"
		"        \"throttled\": 1,\n"
		"        \"inversions\": 5,\n"
		"        \"workers\": 4,\n"
		"        \"work\": 6,\n"
		"        \"work_per_second\": 3.000,\n"
		"        \"work_per_second_and_worker\": 0.750,\n"
		"        \"work_errors\": 0,\n"
		"        \"restarts\": 0,\n"
		"        \"elapsed_s\": 2.000000\n"
		"      },\n"
		"      {\n"
		"        \"step\": 1,\n"
		"        \"pairs\": 2,\n"
		"        \"thread\": {\n"
		THREAD("0", "0", "2", "30", "39", "34.50", "6.364") ",\n"
		THREAD("1", "1", "1", "59", "59", "59.00", "0.000") "\n"
		"        },\n"
		"        \"cycles\": 3,\n"
		"        \"missed\": 6,\n"
		"        \"throttled\": 4,\n"
		"        \"inversions\": 5,\n"
		"        \"workers\": 4,\n"
		"        \"work\": 10,\n"
		"        \"work_per_second\": 2.500,\n"
		"        \"work_per_second_and_worker\": 0.625,\n");
}

/* Without a load, or with as many workers as --load says: both are right. */
static void test_accepted(void **state)
{
	(void)state;
	accepted("--ramp=pairs --steps=2 -l5");
	accepted("--ramp=pairs --steps=2 -l5 --load=fft:3");
	refused("--steps=2 -l5 -t2", "--steps=2: a ramp needs a load; give --load too");
	refused("--steps=2 -l5 -t2 --load=fft:3", "--load=fft:3: contradicts --steps=2, which sets the number of workers");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_no_table),
		cmocka_unit_test(test_workers),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_accepted),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	drop_run();
	return failed;
}
