// SPDX-License-Identifier: GPL-2.0-or-later
/* What is said of the load, of throttling and of a ramp, to the letter. */
#include "report_ramp.h"

static const char *step_line(const char *line, int step, int workers)
{
	new_ramp(line);
	session.step = step;
	steps[step].workers = workers;
	return written(tw_report_step);
}

static void test_step(void **state)
{
	(void)state;
	assert_string_equal(step_line("--load=fft --steps=2 -l5", 0, 0),
			    "# Step 1/2: load fft, 0 workers\n");
	assert_string_equal(step_line("--load=fft --steps=2 -l5", 1, 1),
			    "# Step 2/2: load fft, 1 worker\n");
	assert_string_equal(step_line("--load=hackbench --steps=20 -l5", 1, 2),
			    "# Step 2/20: load hackbench, 2 groups\n");
	assert_string_equal(step_line("--load=hackbench --steps=20 -l5", 1, 1),
			    "# Step 2/20: load hackbench, 1 group\n");
	assert_string_equal(step_line("--load=command:x --steps=2 -l5", 1, 1),
			    "# Step 2/2: load command, 1 copy\n");
	assert_string_equal(step_line("--load=command:x --steps=2 -l5", 0, 0),
			    "# Step 1/2: load command, 0 copies\n");
}

static void test_ramp(void **state)
{
	(void)state;
	new_ramp("--load=fft --steps=2 -l5 --metrics=send");
	assert_string_equal(written(tw_report_ramp),
		"# Total against load fft, in us; work: transforms a second\n"
		"#   workers      min      avg      max      std   missed throttled     work\n"
		"#         0       30       34       39      6.4        2         0      0.0\n"
		"#         1       39       39       39      0.0        0         1      2.5\n");
	new_ramp("-N --load=command:x --steps=2 -l5");
	assert_string_equal(written(tw_report_ramp),
		"# Total against load command, in ns; work: completed runs a second\n"
		"#    copies      min      avg      max      std   missed throttled     work\n"
		"#         0    30000    34500    39000   6364.0        2         0      0.0\n"
		"#         1    39000    39000    39000      0.0        0         1      2.5\n");
}

/* Interrupted in its first step, or before it measured anything. */
static void test_ramp_cut_short(void **state)
{
	(void)state;
	new_ramp("--load=hackbench --steps=9 -l5");
	session.steps_done = 1;
	steps[0].elapsed_ns = 0;
	steps[0].work = 7;
	assert_string_equal(written(tw_report_ramp),
		"# Total against load hackbench, in us; work: messages a second\n"
		"#    groups      min      avg      max      std   missed throttled     work\n"
		"#         0       30       34       39      6.4        2         0      0.0\n");
	new_run("--load=fft --steps=2 -l5");
	assert_string_equal(written(tw_report_ramp),
		"# Total against load fft, in us; work: transforms a second\n"
		"#   workers      min      avg      max      std   missed throttled     work\n"
		"#         0        -        -        -        -        0         0      0.0\n");
}

/* Without a ramp the load's work is a remark of its own. */
static void test_work(void **state)
{
	(void)state;
	new_run("--load=fft:4");
	steps[0].work = 30;
	steps[0].elapsed_ns = INT64_C(1500000000);
	assert_string_equal(written(tw_report_remarks),
			    "# Load: fft, 4 workers, 20.0 transforms a second, 5.0 a worker\n");
	new_run("--load=fft");
	assert_string_equal(written(tw_report_remarks),
			    "# Load: fft, 1 worker, 0.0 transforms a second, 0.0 a worker\n");
	new_run("--load=hackbench");
	steps[0].work = 5;
	steps[0].elapsed_ns = INT64_C(1000000000);
	assert_string_equal(written(tw_report_remarks),
			    "# Load: hackbench, 10 groups, 5.0 messages a second, 0.5 a group\n");
	new_ramp("--load=fft --steps=2 -l5");
	second.tally->throttled = 0;
	assert_string_equal(written(tw_report_remarks), "");
}

static void set_throttle(int64_t runtime_us, bool group, bool fair_server)
{
	session.throttle = (struct tw_throttle) {
		.known = true, .runtime_us = runtime_us, .period_us = 1000000,
		.group = group, .fair_server = fair_server,
		.stall_ns = 50000000,
	};
}

#define STOPPED \
	"# Throttling stopped real-time tasks for 50000 us at a time, as the load left its CPU no rest\n"
#define BY_LIMIT \
	"# (sched_rt_runtime_us 950000 of 1000000): not this kernel's latency; --rt-runtime=-1 lifts it for a run\n"
#define BY_SERVER \
	"# (the fair server, debug/sched/fair_server): not this kernel's latency\n"

static void test_throttling(void **state)
{
	(void)state;
	new_run("");
	pair.tally->throttled = 17;
	set_throttle(950000, false, false);
	assert_string_equal(written(tw_report_remarks),
			    "# Throttled: 17\n" STOPPED BY_LIMIT);
	set_throttle(950000, true, true);
	assert_string_equal(written(tw_report_remarks),
			    "# Throttled: 17\n" STOPPED BY_LIMIT);
	set_throttle(-1, false, true);
	assert_string_equal(written(tw_report_remarks),
			    "# Throttled: 17\n" STOPPED BY_SERVER);
	pair.tally->throttled = 0;
	assert_string_equal(written(tw_report_remarks), "");
	/* The histogram has a line of its own for the count. */
	new_run("-h5");
	pair.tally->throttled = 17;
	set_throttle(-1, false, true);
	assert_string_equal(written(tw_report_remarks), STOPPED BY_SERVER);
	assert_non_null(strstr(written(tw_report_histogram),
			       "\n# Throttled: 00017 00017 00017 00017 00017 00017 00017\n"
			       STOPPED BY_SERVER));
}

static uint64_t bins[2][TW_TRLTP_SIZE / sizeof(uint64_t)];

#define METRIC(label, min, avg, max, std, count) \
	"\n" label " (Micro Sec)\nMinimum," min "\nAverage," avg \
	"\nMaximum," max "\nStandard Deviation," std "\nCount," count \
	"\nLower Bound,Count\n"

static const char log_of_two[] =
	"Workers,0\n"
	METRIC("POSIX Timer Interval Time",
	       "998.0", "1001.0", "1004.0", "4.5", "2") "990,1\n1000,1\n"
	METRIC("Send Time", "10.5", "11.2", "12.0", "1.1", "2") "10,2\n"
	METRIC("nanosleep Time",
	       "106.0", "111.0", "116.0", "17.1", "2") "100,1\n110,1\n"
	METRIC("Receive Time", "8.5", "9.2", "10.0", "1.1", "2")
	"0,1\n10,1\n"
	METRIC("Response Time", "128.0", "131.5", "135.0", "4.9", "2")
	"120,1\n130,1\n"
	METRIC("Total Jitter", "30.0", "34.5", "39.0", "6.4", "2") "30,2\n"
	"\nWorkers,1\n"
	METRIC("POSIX Timer Interval Time",
	       "1004.0", "1004.0", "1004.0", "0.0", "1") "1000,1\n"
	METRIC("Send Time", "10.5", "10.5", "10.5", "0.0", "1") "10,1\n"
	METRIC("nanosleep Time",
	       "116.0", "116.0", "116.0", "0.0", "1") "110,1\n"
	METRIC("Receive Time", "8.5", "8.5", "8.5", "0.0", "1")
	"below,1\n0,1\nabove,2\n"
	METRIC("Response Time", "135.0", "135.0", "135.0", "0.0", "1")
	"130,1\n"
	METRIC("Total Jitter", "39.0", "39.0", "39.0", "0.0", "1") "30,1\n";

/* In us whatever -N says, and all its metrics whatever --metrics says. */
static void test_trltp(void **state)
{
	(void)state;
	memset(bins, 0, sizeof(bins));
	drop_ramp();
	new_run("-N --load=fft --steps=2 -l5 --metrics=wakeup --trltp-log=f");
	tw_tally_attach_trltp(pair.tally, bins[0]);
	tw_tally_add(pair.tally, &run_cycles[0]);
	tw_tally_add(pair.tally, &run_cycles[1]);
	second = pair;
	second.tally = calloc(1, tw_tally_size(0));
	assert_non_null(second.tally);
	tw_tally_init(second.tally, &pair.tally->params, 0);
	tw_tally_attach_trltp(second.tally, bins[1]);
	tw_tally_add(second.tally, &run_cycles[0]);
	second.tally->trltp[TW_RECEIVE].below = 1;
	second.tally->trltp[TW_RECEIVE].above = 2;
	steps[1] = (struct tw_step_result) { .pair = &second, .workers = 1 };
	session.steps_done = 2;
	assert_string_equal(written(tw_report_trltp), log_of_two);
	session.steps_done = 0;
	assert_string_equal(written(tw_report_trltp), "");
}

static struct tw_live live;

static void draw(FILE *file, const struct tw_report *to_report)
{
	tw_live_draw(&live, file, to_report, true);
}

/* The display's second line: @want, and blanks over what stood there. */
static void assert_second_line(const char *want)
{
	const char *line;

	tw_live_open(&live, -1);
	line = strchr(written(draw), '\n');
	tw_live_close(&live);
	assert_non_null(line);
	assert_int_equal(strncmp(line + 1, want, strlen(want)), 0);
	line += 1 + strlen(want);
	assert_int_equal(line[strspn(line, " ")], '\n');
}

static void test_live(void **state)
{
	struct timespec now;

	(void)state;
	/* 101 cycles of 1 s, one of them done. */
	new_ramp("-i1000000 -l101 --load=fft --steps=2");
	assert_second_line("step: 2/2: 1 worker: 100 s left");
	session.pair = &pair;
	session.step = 0;
	assert_second_line("step: 1/2: 0 workers: 99 s left");

	/* Of cycles and time, what ends first. */
	clock_gettime(CLOCK_MONOTONIC, &now);
	new_ramp("-i1000000 -l101 -D500 --load=hackbench --steps=20");
	session.end_ns = (now.tv_sec + 3000) * INT64_C(1000000000);
	assert_second_line("step: 2/20: 1 group: 100 s left");
	session.end_ns = now.tv_sec * INT64_C(1000000000) +
			 INT64_C(60900000000) + now.tv_nsec;
	assert_second_line("step: 2/20: 1 group: 60 s left");

	/* Without a ramp there is no such line. */
	new_finished_run("-l101 --load=fft");
	assert_second_line("");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_step),
		cmocka_unit_test(test_ramp),
		cmocka_unit_test(test_ramp_cut_short),
		cmocka_unit_test(test_work),
		cmocka_unit_test(test_throttling),
		cmocka_unit_test(test_trltp),
		cmocka_unit_test(test_live),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	drop_ramp();
	return failed;
}
