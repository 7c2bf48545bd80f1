// SPDX-License-Identifier: GPL-2.0-or-later
/* What is printed of several pairs, to the letter. */
#include "three.h"
#include "result/tw_part_result.h"
#include "run/tw_session.h"

static void print_status(FILE *file, const struct tw_run *run)
{
	const struct tw_columns shown = tw_session_columns(run);

	tw_status_print(file, &shown);
}

/* The line's number is the pair's times the metrics, plus the metric's. */
static void test_status(void **state)
{
	(void)state;
	new_three("-t3 -d0 -p80 --metrics=send,total");
	assert_string_equal(written(print_status),
		"T: 0 ( 1234) P:80 I:1000 C:      2 Min:     10 Act:   12 Avg:   11 Max:      12 Std:     1.1 send 0\n"
		"T: 1 ( 1234) P:80 I:1000 C:      2 Min:     30 Act:   30 Avg:   34 Max:      39 Std:     6.4 total 0\n"
		"T: 2 ( 1235) P:80 I:1000 C:      2 Min:     10 Act:   12 Avg:   11 Max:      12 Std:     1.1 send 1\n"
		"T: 3 ( 1235) P:80 I:1000 C:      2 Min:     31 Act:   31 Avg:   45 Max:      59 Std:    19.8 total 1\n"
		"T: 4 ( 1236) P:80 I:1000 C:      1 Min:     12 Act:   12 Avg:   12 Max:      12 Std:     0.0 send 2\n"
		"T: 5 ( 1236) P:80 I:1000 C:      1 Min:     35 Act:   35 Avg:   35 Max:      35 Std:     0.0 total 2\n");
	/* Each has a period and a priority of its own. */
	new_three("-t3 -p80 --priospread --metrics=receive");
	assert_string_equal(written(print_status),
		"T: 0 ( 1234) P:80 I:1000 C:      2 Min:      8 Act:   10 Avg:    9 Max:      10 Std:     1.1 receive 0\n"
		"T: 1 ( 1235) P:78 I:1500 C:      2 Min:     11 Act:   11 Avg:   19 Max:      28 Std:    12.4 receive 1\n"
		"T: 2 ( 1236) P:76 I:2000 C:      1 Min:     15 Act:   15 Avg:   15 Max:      15 Std:     0.0 receive 2\n");
}

static void test_one_pair(void **state)
{
	(void)state;
	new_finished_run("-t1 --metrics=receive");
	assert_string_equal(written(print_status),
		"T: 0 ( 1234) P: 0 I:1000 C:      2 Min:      8 Act:   10 Avg:    9 Max:      10 Std:     1.1 receive\n");
}

static void test_histogram(void **state)
{
	(void)state;
	new_three("-t3 -h20 --metrics=send,receive");
	assert_string_equal(written(tw_part_histogram.remarks),
		"# Histogram\n"
		"000008 000000\t000001\t000000\t000000\t000000\t000000\n"
		"000010 000001\t000001\t000001\t000000\t000000\t000000\n"
		"000011 000000\t000000\t000000\t000001\t000000\t000000\n"
		"000012 000001\t000000\t000001\t000000\t000001\t000000\n"
		"000015 000000\t000000\t000000\t000000\t000000\t000001\n"
		"# Total: 000000002 000000002 000000002 000000001 000000001 000000001\n"
		"# Min Latencies: 00010 00008 00010 00011 00012 00015\n"
		"# Avg Latencies: 00011 00009 00011 00019 00012 00015\n"
		"# Max Latencies: 00012 00010 00012 00028 00012 00015\n"
		"# Histogram Overflows: 00000 00000 00000 00001 00000 00000\n"
		"# Histogram Overflow at cycle number:\n"
		"# Thread 0: \n# Thread 1: \n# Thread 2: \n"
		"# Thread 3: 00000 \n"
		"# Thread 4: \n# Thread 5: \n"
		"# Std Deviations: 1.1 1.1 1.1 12.4 0.0 0.0\n"
		"# Metrics: send.0 receive.0 send.1 receive.1 send.2 receive.2\n"
		"# Missed: 00002 00002 00002 00002 00002 00002\n"
		"# Throttled: 00000 00000 00000 00000 00000 00000\n");
}

static void test_percentiles(void **state)
{
	int i;

	(void)state;
	new_three("-t3 -d0 --percentiles=50,20 --metrics=send,receive");
	for (i = 0; i < 20; i++)
		measure_late(2, 1, 5000);
	assert_string_equal(written(tw_part_percentiles.remarks),
		"# Percentiles send.0: 50:- 20:-\n"
		"# Percentiles receive.0: 50:- 20:-\n"
		"# Percentiles send.1: 50:- 20:-\n"
		"# Percentiles receive.1: 50:- 20:-\n"
		"# Percentiles send.2: 50:12.0 20:12.0\n"
		"# Percentiles receive.2: 50:15.0 20:15.0\n");
}

/* Of each metric the worst of all pairs, against the means of its own. */
static void test_worst(void **state)
{
	(void)state;
	new_three("-t3 -d0 --worst --metrics=sleep,total,receive");
	assert_string_equal(written(tw_part_kept.text),
		"# Worst sleep.0: 116 (mean 111): pair 0, cycle 0, 0.000000 s after start, 05:30:00.002004: interval 1004 (1001), wakeup 4 (3), send 10 (11), sleep 116 (111), receive 8 (9), response 135 (131), total 39 (34); excess: sleep 100 %; CPU client 3, server 2; missed 0\n"
		"# Worst total.1: 59 (mean 45): pair 1, cycle 0, 0.000000 s after start, 05:30:00.002004: interval 1004 (1001), wakeup 4 (3), send 10 (11), sleep 116 (111), receive 28 (19), response 155 (142), total 59 (45); excess: send -5 %, sleep 36 %, receive 63 %, interval 7 %; CPU client 3, server 2; missed 0\n"
		"# Worst receive.1: 28 (mean 19): pair 1, cycle 0, 0.000000 s after start, 05:30:00.002004: interval 1004 (1001), wakeup 4 (3), send 10 (11), sleep 116 (111), receive 28 (19), response 155 (142), total 59 (45); excess: receive 100 %; CPU client 3, server 2; missed 0\n");
	/* One that has no cycle yet has no worst. */
	new_run("-t3 -d0 --worst --metrics=receive");
	measure_late(2, 1, 5000);
	assert_string_equal(written(tw_part_kept.text),
		"# Worst receive.2: 15 (mean 15): pair 2, cycle 0, 0.000000 s after start, 05:30:00.003002: interval 998 (998), wakeup 2 (2), send 12 (12), sleep 106 (106), receive 15 (15), response 133 (133), total 35 (35); excess: receive 0 %; CPU client 5, server 4; missed 2\n");
	new_run("-t3 --worst");
	assert_string_equal(written(tw_part_kept.text), "");
}

static void test_spikes(void **state)
{
	(void)state;
	new_three("-t3 -d0 --spike=total:32 --metrics=send,total");
	assert_string_equal(written(tw_part_kept.text),
		"# Spikes: cycles whose total exceeds 32\n"
		"T: 1 Spike:      39: TS:         2004 C:       0 interval 1004 wakeup 4 send 10 sleep 116 receive 8\n"
		"T: 3 Spike:      59: TS:         2004 C:       0 interval 1004 wakeup 4 send 10 sleep 116 receive 28\n"
		"T: 5 Spike:      35: TS:         3002 C:       0 interval 998 wakeup 2 send 12 sleep 106 receive 15\n"
		"spikes = 3\n");
	/* Each pair keeps as many. */
	new_three("-t3 -d0 --spike=receive:9 --spike-nodes=1 --metrics=send");
	assert_string_equal(written(tw_part_kept.text),
		"# Spikes: cycles whose receive exceeds 9\n"
		"T: 1 Spike:      10: TS:         3002 C:       1 interval 998 wakeup 2 send 12 sleep 106 receive 10\n"
		"T: 2 Spike:      28: TS:         2004 C:       0 interval 1004 wakeup 4 send 10 sleep 116 receive 28\n"
		"T: 3 Spike:      15: TS:         3002 C:       0 interval 998 wakeup 2 send 12 sleep 106 receive 15\n"
		"spikes = 4\n"
		"# Spikes not kept: 1; give more --spike-nodes\n");
}

/* A limit is for all pairs, or for those of its list: the worst is named. */
static void test_limits(void **state)
{
	(void)state;
	new_three("-t3 -d0 --limit=total:58 --limit=total:59 --limit=total@0,2:39 --limit=total@2:34 --limit=missed:1 --limit=missed@2:2 --limit=receive@1-2:avg:19 --limit=receive@0,2:avg:15 --limit=total@0:38");
	assert_string_equal(written(tw_part_limit.text),
		"# Limit total:58: exceeded: pair 1: 59.000 us in cycle 0\n"
		"# Limit total:59: met: pair 1: 59.000 us in cycle 0\n"
		"# Limit total@0,2:39: met: pair 0: 39.000 us in cycle 0\n"
		"# Limit total@2:34: exceeded: pair 2: 35.000 us in cycle 0\n"
		"# Limit missed:1: exceeded: pair 0: 2\n"
		"# Limit missed@2:2: met: pair 2: 2\n"
		"# Limit receive@1-2:avg:19: exceeded: pair 1: 19.750 us\n"
		"# Limit receive@0,2:avg:15: met: pair 2: 15.000 us\n"
		"# Limit total@0:38: exceeded: pair 0: 39.000 us in cycle 0\n");
}

static bool exceeds(const char *limit)
{
	char line[80];

	snprintf(line, sizeof(line), "-t3 -d0 --limit=%s", limit);
	new_three(line);
	return tw_part_limit.exceeded(&session.run);
}

/* One pair is enough to fail a run, if it is one of those that count. */
static void test_exceeded(void **state)
{
	(void)state;
	assert_true(exceeds("total:58"));
	assert_false(exceeds("total:59"));
	assert_false(exceeds("total@0:39"));
	assert_true(exceeds("total@0:38"));
	assert_false(exceeds("total@0,2:39"));
	assert_true(exceeds("total@0-1:39"));
	assert_true(exceeds("total@1:39"));
	assert_false(exceeds("throttled@2:0"));
	assert_true(exceeds("missed@0-2:1"));
}

/* One has too few cycles: undecided is worse than met, not than exceeded. */
static void test_undecided(void **state)
{
	int i;

	(void)state;
	new_three("-t3 -d0 --limit=total:p50:40 --limit=total@0,2:p50:38 --limit=total@2:p50:34");
	for (i = 0; i < 20; i++) {
		measure_late(0, 1, 0);
		measure_late(2, 1, 5000);
	}
	assert_string_equal(written(tw_part_limit.text),
		"# Limit total:p50:40: undecided: pair 1: 2 cycles, needed are 20\n"
		"# Limit total@0,2:p50:38: met: pair 2: 35.000 us\n"
		"# Limit total@2:p50:34: exceeded: pair 2: 35.000 us\n");
	new_three("-t3 -d0 --limit=total:p50:34");
	for (i = 0; i < 20; i++)
		measure_late(2, 1, 5000);
	assert_string_equal(written(tw_part_limit.text),
		"# Limit total:p50:34: exceeded: pair 2: 35.000 us\n");
}

static void test_cut_short(void **state)
{
	(void)state;
	new_three("-t3 -d0 -l9 --limit=total:59 --limit=total:58 --limit=total@2:35");
	session.run.interrupted = 15;
	assert_string_equal(written(tw_part_limit.text),
		"# Limit total:59: undecided: the run was ended before it was complete; so far pair 1: 59.000 us in cycle 0\n"
		"# Limit total:58: exceeded: pair 1: 59.000 us in cycle 0\n"
		"# Limit total@2:35: undecided: the run was ended before it was complete; so far pair 2: 35.000 us in cycle 0\n");
}

/* Sums, but where it is of one process. */
static void test_remarks(void **state)
{
	struct tw_side *side;

	(void)state;
	new_three("-t3");
	assert_string_equal(written(tw_session_remarks), "# Missed: 6\n");
	run_pair(1)->side[TW_CLIENT].child.stops = 3;
	side = &run_pair(2)->side[TW_SERVER];
	side->settings.policy = SCHED_FIFO;
	side->settings.priority = 9;
	CPU_SET(1, &side->settings.cpus);
	side->left = side->settings;
	side->left.priority = 8;
	assert_string_equal(written(tw_session_remarks),
		"# Missed: 6\n"
		"# Stopped by a signal, and continued: client 3, server 0 times of pair 1; that time is in the results\n"
		"# Changed while it ran: server of pair 2, from CPU 1, policy fifo, priority 9 to CPU 1, policy fifo, priority 8\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_status),
		cmocka_unit_test(test_one_pair),
		cmocka_unit_test(test_histogram),
		cmocka_unit_test(test_percentiles),
		cmocka_unit_test(test_worst),
		cmocka_unit_test(test_spikes),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_exceeded),
		cmocka_unit_test(test_undecided),
		cmocka_unit_test(test_cut_short),
		cmocka_unit_test(test_remarks),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	drop_run();
	return failed;
}
