// SPDX-License-Identifier: GPL-2.0-or-later
/* What measuring costs and how its clock runs, to the letter. */
#include "json.h"
#include "report.h"
#include "result/tw_part_result.h"
#include "run/tw_session.h"

/* A step of 1 ns with each reading. */
static int64_t read_cost(const struct tw_clock *clock)
{
	static int64_t now_ns;

	(void)clock;
	return ++now_ns;
}

static void new_costly_run(const char *line)
{
	new_finished_run(line);
	pair.cost = (struct tw_cost) {
		.clock = { 19, 21.26, 105 }, .resolution_ns = 1,
		.sleep = { 1055, 1210.75, 9000 }, .cycle = { 230, 245, 800 },
	};
}

#define COST \
	"# Clock monotonic, read: min 19 avg 21 max 105 ns, resolution 1 ns\n" \
	"# Shortest sleep: min 1055 avg 1211 max 9000 ns\n" \
	"# Cycle without its system calls: min 230 avg 245 max 800 ns\n"

/* -v ends with it, in ns in any unit of the results; -q is quiet about it. */
static void test_cost(void **state)
{
	(void)state;
	new_costly_run("");
	assert_string_equal(written(tw_part_cost.remarks), "");
	new_costly_run("-v");
	assert_string_equal(written(tw_part_cost.remarks), COST);
	new_costly_run("-vN");
	assert_string_equal(written(tw_part_cost.remarks), COST);
	new_costly_run("-vq");
	assert_string_equal(written(tw_part_cost.remarks), "");
}

/* Among the other remarks, also where there is a histogram. */
static void test_place(void **state)
{
	(void)state;
	new_costly_run("");
	assert_string_equal(written(tw_output_remarks), "# Missed: 2\n");
	new_costly_run("-v");
	assert_string_equal(written(tw_output_remarks),
			    "# Missed: 2\n" COST);
	new_costly_run("-v -h5");
	assert_non_null(strstr(written(tw_output_remarks), "\n" COST));
}

static const char *drifted(int64_t drift_ns, int64_t over_ns)
{
	new_costly_run("--clock=tsc");
	session.has_drift = true;
	session.drift_ns = drift_ns;
	session.drift_over_ns = over_ns;
	return written(tw_session_remarks);
}

/* Among the remarks, without being asked. */
static void test_drift(void **state)
{
	(void)state;
	assert_string_equal(drifted(12345, INT64_C(10000000000)),
		"# Missed: 2\n"
		"# Clock tsc: +1.234 ppm against the kernel's, +12.345 us in 10.0 s\n");
	assert_string_equal(drifted(-2500, INT64_C(1000000000)),
		"# Missed: 2\n"
		"# Clock tsc: -2.500 ppm against the kernel's, -2.500 us in 1.0 s\n");
	assert_string_equal(drifted(0, INT64_C(1260000000)),
		"# Missed: 2\n"
		"# Clock tsc: +0.000 ppm against the kernel's, +0.000 us in 1.3 s\n");
	/* In no time at all there is no rate. */
	assert_string_equal(drifted(5, 0),
		"# Missed: 2\n"
		"# Clock tsc: +0.000 ppm against the kernel's, +0.005 us in 0.0 s\n");
}

static void test_no_drift(void **state)
{
	(void)state;
	new_costly_run("--clock=tsc");
	assert_string_equal(written(tw_session_remarks), "# Missed: 2\n");
}

#define JSON_COST \
	"    \"cost\": {\n" \
	"      \"clock_read_ns\": {\"min\": 19, \"avg\": 21.3, \"max\": 105},\n" \
	"      \"shortest_sleep_ns\": {\"min\": 1055, \"avg\": 1210.8, \"max\": 9000},\n" \
	"      \"empty_cycle_ns\": {\"min\": 230, \"avg\": 245.0, \"max\": 800},\n" \
	"      \"clock_resolution_ns\": 1\n" \
	"    }\n"

static void test_json(void **state)
{
	const char *text;

	(void)state;
	new_costly_run("");
	text = written_json(tw_part_cost.json);
	assert_members(text);
	assert_string_equal(text, JSON_COST);
}

static void test_json_of_drift(void **state)
{
	const char *text;

	(void)state;
	new_costly_run("");
	text = written_json(tw_part_session_json.json);
	assert_members(text);
	assert_non_null(strstr(text, "    \"clock_drift\": null\n"));
	drifted(-12344, INT64_C(10000000000));
	text = written_json(tw_part_session_json.json);
	assert_members(text);
	assert_non_null(strstr(text,
		"    \"clock_drift\": {\"ppm\": -1.2344, \"ns\": -12344, \"over_ns\": 10000000000}\n"));
}

/* The client of the first pair measures it, and the first step counts. */
static void test_measured(void **state)
{
	struct tw_pair sum = { .number = 0 };

	(void)state;
	new_finished_run("-t2 -d0");
	assert_non_null(run_pair(0)->prepare);
	assert_null(run_pair(1)->prepare);
	run_pair(0)->task.clock.read_ns = read_cost;
	run_pair(0)->prepare(run_pair(0));
	assert_int_equal(run_pair(0)->cost.clock.min_ns, 1);
	assert_true(run_pair(0)->cost.cycle.max_ns > 0);
	tw_part_cost.merge(&sum, run_pair(0));
	assert_memory_equal(&sum.cost, &run_pair(0)->cost, sizeof(sum.cost));
	run_pair(1)->cost.cycle.max_ns = 1;
	tw_part_cost.merge(&sum, run_pair(1));
	assert_memory_equal(&sum.cost, &run_pair(0)->cost, sizeof(sum.cost));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cost),
		cmocka_unit_test(test_measured),
		cmocka_unit_test(test_place),
		cmocka_unit_test(test_drift),
		cmocka_unit_test(test_no_drift),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_json_of_drift),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	drop_run();
	return failed;
}
