// SPDX-License-Identifier: GPL-2.0-or-later
/* The histogram of -h and -H, to the letter. */
#include "report.h"

/* The window of interval begins at 980, those of sleep and response at 100. */
static void test_histogram(void **state)
{
	(void)state;
	new_finished_run("-h40 --metrics=interval,send,sleep,receive,response,total,wakeup,planned");
	assert_string_equal(written(tw_output_remarks),
		"# Histogram\n"
		"000002 000000\t000000\t000000\t000000\t000000\t000000\t000001\t000000\n"
		"000004 000000\t000000\t000000\t000000\t000000\t000000\t000001\t000000\n"
		"000008 000000\t000000\t000000\t000001\t000000\t000000\t000000\t000000\n"
		"000010 000000\t000001\t000000\t000001\t000000\t000000\t000000\t000000\n"
		"000012 000000\t000001\t000000\t000000\t000000\t000000\t000000\t000000\n"
		"000030 000000\t000000\t000000\t000000\t000000\t000001\t000000\t000000\n"
		"000039 000000\t000000\t000000\t000000\t000000\t000001\t000000\t000000\n"
		"000106 000000\t000000\t000001\t000000\t000000\t000000\t000000\t000000\n"
		"000116 000000\t000000\t000001\t000000\t000000\t000000\t000000\t000000\n"
		"000128 000000\t000000\t000000\t000000\t000001\t000000\t000000\t000000\n"
		"000130 000000\t000000\t000000\t000000\t000000\t000000\t000000\t000001\n"
		"000135 000000\t000000\t000000\t000000\t000001\t000000\t000000\t000000\n"
		"000139 000000\t000000\t000000\t000000\t000000\t000000\t000000\t000001\n"
		"000998 000001\t000000\t000000\t000000\t000000\t000000\t000000\t000000\n"
		"001004 000001\t000000\t000000\t000000\t000000\t000000\t000000\t000000\n"
		"# Total: 000000002 000000002 000000002 000000002 000000002 000000002 000000002 000000002\n"
		"# Min Latencies: 00998 00010 00106 00008 00128 00030 00002 00130\n"
		"# Avg Latencies: 01001 00011 00111 00009 00131 00034 00003 00134\n"
		"# Max Latencies: 01004 00012 00116 00010 00135 00039 00004 00139\n"
		"# Histogram Overflows: 00000 00000 00000 00000 00000 00000 00000 00000\n"
		"# Histogram Overflow at cycle number:\n"
		"# Thread 0: \n"
		"# Thread 1: \n"
		"# Thread 2: \n"
		"# Thread 3: \n"
		"# Thread 4: \n"
		"# Thread 5: \n"
		"# Thread 6: \n"
		"# Thread 7: \n"
		"# Std Deviations: 4.5 1.1 17.1 1.1 4.9 6.4 1.4 6.4\n"
		"# Metrics: interval send sleep receive response total wakeup planned\n"
		"# Missed: 00002 00002 00002 00002 00002 00002 00002 00002\n"
		"# Throttled: 00000 00000 00000 00000 00000 00000 00000 00000\n"
		"\n");
}

/* The columns are summed up where that has a meaning. */
static void test_histofall(void **state)
{
	(void)state;
	new_finished_run("-H11 --metrics=receive,send,response");
	assert_string_equal(written(tw_output_remarks),
		"# Histogram\n"
		"000008 000001\t000000\t000000\t000001\n"
		"000010 000001\t000001\t000000\t000002\n"
		"# Total: 000000002 000000001 000000000 000000003\n"
		"# Min Latencies: 00008 00010 00128\n"
		"# Avg Latencies: 00009 00011 00131\n"
		"# Max Latencies: 00010 00012 00135 00135\n"
		"# Histogram Overflows: 00000 00001 00002 00003\n"
		"# Histogram Overflow at cycle number:\n"
		"# Thread 0: \n"
		"# Thread 1: 00001 \n"
		"# Thread 2: 00000 00001 \n"
		"# Std Deviations: 1.1 1.1 4.9\n"
		"# Metrics: receive send response\n"
		"# Missed: 00002 00002 00002\n"
		"# Throttled: 00000 00000 00000\n"
		"\n");
}

/* -N: values in ns, but rows in us. */
static void test_in_ns(void **state)
{
	(void)state;
	new_finished_run("-N -H20 --metrics=send --percentiles");
	session.strangers = 1;
	assert_string_equal(written(tw_output_remarks),
		"# Histogram\n"
		"000010 000001\n"
		"000012 000001\n"
		"# Total: 000000002\n"
		"# Min Latencies: 10500\n"
		"# Avg Latencies: 11250\n"
		"# Max Latencies: 12000\n"
		"# Histogram Overflows: 00000\n"
		"# Histogram Overflow at cycle number:\n"
		"# Thread 0: \n"
		"# Std Deviations: 1060.7\n"
		"# Metrics: send\n"
		"# Missed: 00002\n"
		"# Throttled: 00000\n"
		"# Percentiles send: 50:- 90:- 99:- 99.9:- 99.99:- 99.999:-\n"
		"# Unexpected connections refused: 1\n"
		"\n");
}

/* A window ends where it says, also below a row that another one has. */
static void test_end_of_a_window(void **state)
{
	struct tw_cycle cycle = run_cycles[0];
	const char *text;

	(void)state;
	new_run("-h11 --sleep=5 --metrics=send,sleep");
	cycle.t1_ns = cycle.t0_ns + 2000;
	cycle.t2_ns = cycle.t1_ns + 5000;
	tw_tally_add(pair.tally, &cycle);
	cycle.t2_ns = cycle.t1_ns + 11000;
	tw_tally_add(pair.tally, &cycle);
	text = written(tw_output_remarks);
	assert_non_null(strstr(text, "# Histogram\n"
			       "000002 000002\t000000\n"
			       "000005 000000\t000001\n"
			       "000011 000000\t000001\n"
			       "# Total: 000000002 000000002\n"));
}

static void test_nothing_measured(void **state)
{
	(void)state;
	new_run("-h5 --metrics=send,total");
	assert_string_equal(written(tw_output_remarks),
		"# Histogram\n"
		"# Total: 000000000 000000000\n"
		"# Min Latencies: 00000 00000\n"
		"# Avg Latencies: 00000 00000\n"
		"# Max Latencies: 00000 00000\n"
		"# Histogram Overflows: 00000 00000\n"
		"# Histogram Overflow at cycle number:\n"
		"# Thread 0: \n"
		"# Thread 1: \n"
		"# Std Deviations: 0.0 0.0\n"
		"# Metrics: send total\n"
		"# Missed: 00000 00000\n"
		"# Throttled: 00000 00000\n"
		"\n");
}

/* The list of overflows is cut, and says how many it lacks. */
static void test_many_overflows(void **state)
{
	struct tw_cycle cycle = run_cycles[0];
	const char *line;
	char want[40];
	int i;

	(void)state;
	new_run("-h5 --metrics=send");
	for (i = 0; i < TW_OVERFLOW_CYCLES; i++, cycle.seq++)
		tw_tally_add(pair.tally, &cycle);
	line = strstr(written(tw_output_remarks), "# Thread 0: ");
	assert_non_null(line);
	line += strlen("# Thread 0: ");
	for (i = 0; i < TW_OVERFLOW_CYCLES; i++) {
		snprintf(want, sizeof(want), "%05d ", i);
		assert_int_equal(strncmp(line, want, strlen(want)), 0);
		line += strlen(want);
	}
	assert_int_equal(*line, '\n');

	tw_tally_add(pair.tally, &cycle);
	tw_tally_add(pair.tally, &cycle);
	line = strstr(written(tw_output_remarks), "# 00002 others\n");
	assert_non_null(line);
	assert_non_null(strstr(written(tw_output_remarks),
			       "# Histogram Overflows: 00102\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_histogram),
		cmocka_unit_test(test_histofall),
		cmocka_unit_test(test_in_ns),
		cmocka_unit_test(test_end_of_a_window),
		cmocka_unit_test(test_nothing_measured),
		cmocka_unit_test(test_many_overflows),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	drop_run();
	return failed;
}
