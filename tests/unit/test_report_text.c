// SPDX-License-Identifier: GPL-2.0-or-later
/* Status lines, single cycles, percentiles and remarks, to the letter. */
#include "report.h"

static void test_status(void **state)
{
	(void)state;
	new_finished_run("-p80 --metrics=interval,send,sleep,receive,response,total,wakeup,planned");
	assert_string_equal(written(tw_report_status),
		"T: 0 ( 1234) P:80 I:1000 C:      2 Min:    998 Act:  998 Avg: 1001 Max:    1004 Std:     4.5 interval\n"
		"T: 1 ( 1234) P:80 I:1000 C:      2 Min:     10 Act:   12 Avg:   11 Max:      12 Std:     1.1 send\n"
		"T: 2 ( 1234) P:80 I:1000 C:      2 Min:    106 Act:  106 Avg:  111 Max:     116 Std:    17.1 sleep\n"
		"T: 3 ( 1234) P:80 I:1000 C:      2 Min:      8 Act:   10 Avg:    9 Max:      10 Std:     1.1 receive\n"
		"T: 4 ( 1234) P:80 I:1000 C:      2 Min:    128 Act:  128 Avg:  131 Max:     135 Std:     4.9 response\n"
		"T: 5 ( 1234) P:80 I:1000 C:      2 Min:     30 Act:   30 Avg:   34 Max:      39 Std:     6.4 total\n"
		"T: 6 ( 1234) P:80 I:1000 C:      2 Min:      2 Act:    2 Avg:    3 Max:       4 Std:     1.4 wakeup\n"
		"T: 7 ( 1234) P:80 I:1000 C:      2 Min:    130 Act:  130 Avg:  134 Max:     139 Std:     6.4 planned\n");
}

static void test_status_in_ns(void **state)
{
	(void)state;
	new_finished_run("-N --metrics=total,interval");
	assert_string_equal(written(tw_report_status),
		"T: 0 ( 1234) P: 0 I:1000 C:      2 Min:  30000 Act:   30000 Avg:   34500 Max:   39000 Std:  6364.0 total\n"
		"T: 1 ( 1234) P: 0 I:1000 C:      2 Min: 998000 Act:  998000 Avg: 1001000 Max: 1004000 Std:  4472.1 interval\n");
}

static void test_status_of_nothing(void **state)
{
	(void)state;
	new_run("-i0 --metrics=send");
	assert_string_equal(written(tw_report_status),
		"T: 0 ( 1234) P: 0 I:0 C:      0 Min:      0 Act:    0 Avg:    0 Max:       0 Std:     0.0 send\n");
}

static void test_values(void **state)
{
	(void)state;
	new_finished_run("");
	assert_int_equal(tw_report_value(&config, 1999), 1);
	assert_int_equal(tw_report_value(&config, -1), -1);
	assert_int_equal(tw_report_value(&config, -1000), -1);
	assert_true(tw_report_real(&config, 1500) == 1.5);
	assert_int_equal(tw_report_cycle_number(&report, &run_cycles[0]), 0);
	assert_int_equal(tw_report_cycle_number(&report, &run_cycles[1]), 1);
	new_run("-N");
	assert_int_equal(tw_report_value(&config, 1999), 1999);
	assert_true(tw_report_real(&config, 1500) == 1500);
}

static void write_cycles(FILE *file, const struct tw_report *to_report)
{
	tw_report_cycle(file, to_report, 0, &run_cycles[0]);
	tw_report_cycle(file, to_report, 0, &run_cycles[1]);
}

static void write_pair_1(FILE *file, const struct tw_report *to_report)
{
	tw_report_cycle(file, to_report, 1, &run_cycles[1]);
}

static void test_verbose(void **state)
{
	(void)state;
	new_finished_run("-v --metrics=total,send");
	assert_string_equal(written(write_cycles),
			    "       0:       0:      39\n"
			    "       1:       0:      10\n"
			    "       0:       1:      30\n"
			    "       1:       1:      12\n");
	assert_string_equal(written(write_pair_1),
			    "       2:       1:      30\n"
			    "       3:       1:      12\n");
	new_finished_run("-vN --metrics=send");
	assert_string_equal(written(write_cycles),
			    "       0:       0:   10500\n"
			    "       0:       1:   12000\n");
}

static void write_dump(FILE *file, const struct tw_report *to_report)
{
	tw_report_dump_header(file);
	tw_report_dump(file, to_report, 0, &run_cycles[0]);
	tw_report_dump(file, to_report, 3, &run_cycles[1]);
}

static void test_dump(void **state)
{
	(void)state;
	new_finished_run("--dump=f");
	assert_string_equal(written(write_dump),
			    "pair,cycle,planned_ns,t0_ns,t1_ns,t2_ns,t3_ns,missed\n"
			    "0,0,2000000,2004000,2014500,2130500,2139000,0\n"
			    "3,1,3000000,3002000,3014000,3120000,3130000,2\n");
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

static void test_percentiles(void **state)
{
	(void)state;
	new_run("--metrics=send,interval");
	add_thousand();
	assert_string_equal(written(tw_report_percentiles), "");
	new_run("--percentiles=50,99,99.1 --metrics=send,interval");
	add_thousand();
	/* Middles of buckets; 99.1 leaves fewer than 10 samples. */
	assert_string_equal(written(tw_report_percentiles),
			    "# Percentiles send: 50:500.0 99:989.7 99.1:-\n"
			    "# Percentiles interval: 50:1004.0 99:1004.0 99.1:-\n");
	new_run("-N --percentiles=50 --metrics=send");
	add_thousand();
	assert_string_equal(written(tw_report_percentiles),
			    "# Percentiles send: 50:499968\n");
}

/* A percentile is named as it was asked for, to the last digit. */
static void test_percentile_names(void **state)
{
	(void)state;
	new_run("--percentiles=99.99999,0.001,99.12345678 --metrics=send");
	assert_string_equal(written(tw_report_percentiles),
			    "# Percentiles send: 99.99999:- 0.001:- 99.12345678:-\n");
}

static void test_remarks(void **state)
{
	static struct tw_ring ring;

	(void)state;
	new_run("");
	assert_string_equal(written(tw_report_remarks), "");
	new_finished_run("");
	assert_string_equal(written(tw_report_remarks), "# Missed: 2\n");
	pair.ring = &ring;
	assert_string_equal(written(tw_report_remarks), "# Missed: 2\n");
	ring.lost = 5;
	session.strangers = 3;
	pair.side[TW_CLIENT].child.stops = 1;
	assert_string_equal(written(tw_report_remarks),
			    "# Missed: 2\n"
			    "# Stopped by a signal, and continued: client 1, server 0 times; that time is in the results\n"
			    "# Not dumped: 5 cycles, as the parent process could not keep up\n"
			    "# Unexpected connections refused: 3\n");
	report.not_dumped = 2;
	report.not_printed = 7;
	assert_string_equal(written(tw_report_remarks),
			    "# Missed: 2\n"
			    "# Stopped by a signal, and continued: client 1, server 0 times; that time is in the results\n"
			    "# Not dumped: 7 cycles, as the parent process could not keep up\n"
			    "# Not printed: 7 cycles, as the reader did not keep up\n"
			    "# Unexpected connections refused: 3\n");
	report.not_dumped = 0;
	report.not_printed = 0;
	/* The histogram has a line of its own for the first. */
	new_finished_run("-h5");
	assert_string_equal(written(tw_report_remarks), "");
}

/* Throttling is possible, by 40 ms; a cycle took @wakeup_us to begin. */
static void new_stalled_run(const char *line, int64_t wakeup_us)
{
	struct tw_cycle cycle = run_cycles[0];

	new_run(line);
	session.throttle = (struct tw_throttle) {
		.known = true, .runtime_us = 960000, .period_us = 1000000,
		.group = true, .fair_server = true, .stall_ns = 40000000,
	};
	pair.tally->stall_min_ns = 30000000;
	pair.tally->stall_max_ns = 60000000;
	cycle.planned_ns += 100000000;
	cycle.t0_ns = cycle.planned_ns + wakeup_us * 1000;
	cycle.t1_ns = cycle.t0_ns + 10000;
	cycle.t2_ns = cycle.t1_ns + config.sleep_us * 1000 + 16000;
	cycle.t3_ns = cycle.t2_ns + 8500;
	tw_tally_add(pair.tally, &cycle);
}

#define SETTING \
	"# (sched_rt_runtime_us 960000 of 1000000): not this kernel's latency; --rt-runtime=-1 lifts it for a run\n"
#define COUNTED \
	"# Throttled: 1\n" \
	"# Throttling stopped real-time tasks for 40000 us at a time, as the load left its CPU no rest\n"
#define PERHAPS \
	"# Throttling may have stopped real-time tasks for up to 40000 us at a time; counted are only stalls from 30000 us on\n"

static void test_throttling(void **state)
{
	(void)state;
	new_stalled_run("", 30000);
	assert_string_equal(written(tw_report_remarks), COUNTED SETTING);
	new_stalled_run("", 29999);
	assert_string_equal(written(tw_report_remarks), PERHAPS SETTING);
	new_stalled_run("", 10000);
	assert_string_equal(written(tw_report_remarks), PERHAPS SETTING);
	new_stalled_run("", 9999);
	assert_string_equal(written(tw_report_remarks), "");
	/* The kernel said so. */
	session.throttling_heard = true;
	assert_string_equal(written(tw_report_remarks), PERHAPS SETTING);
	/* Without a load it would be another's doing. */
	pair.tally->stall_max_ns = 0;
	assert_string_equal(written(tw_report_remarks), "");
}

/* The sleep that was asked for is no stall. */
static void test_throttling_phases(void **state)
{
	(void)state;
	new_stalled_run("--sleep=20000 -i50000", 4);
	assert_string_equal(written(tw_report_remarks), "");
	new_stalled_run("-i0", 10000);
	assert_string_equal(written(tw_report_remarks), "");
}

/* What the trace tells goes before what the length does. */
static void test_throttling_traced(void **state)
{
	static struct tw_analysis analysis;

	(void)state;
	new_stalled_run("", 20000);
	session.analysis = &analysis;
	assert_string_equal(written(tw_report_remarks), "");
	analysis.lacks = "all";
	assert_string_equal(written(tw_report_remarks), PERHAPS SETTING);
	new_stalled_run("", 5000);
	session.analysis = &analysis;
	analysis.lacks = NULL;
	analysis.throttling = true;
	assert_string_equal(written(tw_report_remarks), PERHAPS SETTING);
}

/* Without a limit, it is the fair server. */
static void test_fair_server(void **state)
{
	(void)state;
	new_stalled_run("", 20000);
	session.throttle.runtime_us = -1;
	assert_string_equal(written(tw_report_remarks), PERHAPS
			    "# (the fair server, debug/sched/fair_server): not this kernel's latency\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_status),
		cmocka_unit_test(test_status_in_ns),
		cmocka_unit_test(test_status_of_nothing),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_verbose),
		cmocka_unit_test(test_dump),
		cmocka_unit_test(test_percentiles),
		cmocka_unit_test(test_percentile_names),
		cmocka_unit_test(test_remarks),
		cmocka_unit_test(test_throttling),
		cmocka_unit_test(test_throttling_phases),
		cmocka_unit_test(test_throttling_traced),
		cmocka_unit_test(test_fair_server),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	drop_run();
	return failed;
}
