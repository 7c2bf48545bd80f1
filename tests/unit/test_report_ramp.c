// SPDX-License-Identifier: GPL-2.0-or-later
/* What is said of the load and of a ramp, to the letter. */
#include "report_ramp.h"
#include "load/tw_load_report.h"

static const char *step_line(const char *line, int step)
{
	new_ramp(line);
	session.run.step = step;
	return written(tw_load_print_step);
}

static void test_step(void **state)
{
	(void)state;
	assert_string_equal(step_line("--load=fft --steps=2 -l5", 0),
			    "# Step 1/2: load fft, 0 workers\n");
	assert_string_equal(step_line("--load=fft --steps=2 -l5", 1),
			    "# Step 2/2: load fft, 1 worker\n");
	assert_string_equal(step_line("--load=hackbench --steps=20 -l5", 2),
			    "# Step 3/20: load hackbench, 2 groups\n");
	assert_string_equal(step_line("--load=hackbench --steps=20 -l5", 1),
			    "# Step 2/20: load hackbench, 1 group\n");
	assert_string_equal(step_line("--load=command:x --steps=2 -l5", 1),
			    "# Step 2/2: load command, 1 copy\n");
	assert_string_equal(step_line("--load=command:x --steps=2 -l5", 0),
			    "# Step 1/2: load command, 0 copies\n");
}

static void test_ramp(void **state)
{
	(void)state;
	new_ramp("--load=fft --steps=2 -l5 --metrics=send");
	assert_string_equal(written(tw_part_load.text),
		"# Total against load fft, in us; work: transforms a second\n"
		"#   workers      min      avg      max      std   missed throttled     work\n"
		"#         0       30       34       39      6.4        2         0      0.0\n"
		"#         1       39       39       39      0.0        0         1      2.5\n");
	new_ramp("-N --load=command:x --steps=2 -l5");
	assert_string_equal(written(tw_part_load.text),
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
	work_of(0)->elapsed_ns = 0;
	work_of(0)->done = 7;
	assert_string_equal(written(tw_part_load.text),
		"# Total against load hackbench, in us; work: messages a second\n"
		"#    groups      min      avg      max      std   missed throttled     work\n"
		"#         0       30       34       39      6.4        2         0      0.0\n");
	new_run("--load=fft --steps=2 -l5");
	assert_string_equal(written(tw_part_load.text),
		"# Total against load fft, in us; work: transforms a second\n"
		"#   workers      min      avg      max      std   missed throttled     work\n"
		"#         0        -        -        -        -        0         0      0.0\n");
}

/* Without a ramp the load's work is a remark of its own. */
static void test_work(void **state)
{
	(void)state;
	new_run("--load=fft:4");
	work_of(0)->done = 30;
	work_of(0)->elapsed_ns = INT64_C(1500000000);
	assert_string_equal(written(tw_part_load.remarks),
			    "# Load: fft, 4 workers, 20.0 transforms a second, 5.0 a worker\n");
	new_run("--load=fft");
	assert_string_equal(written(tw_part_load.remarks),
			    "# Load: fft, 1 worker, 0.0 transforms a second, 0.0 a worker\n");
	new_run("--load=hackbench");
	work_of(0)->done = 5;
	work_of(0)->elapsed_ns = INT64_C(1000000000);
	assert_string_equal(written(tw_part_load.remarks),
			    "# Load: hackbench, 10 groups, 5.0 messages a second, 0.5 a group\n");
	new_ramp("--load=fft --steps=2 -l5");
	assert_string_equal(written(tw_part_load.remarks), "");
}

/* The display's line on the ramp: @want, and blanks over what stood there. */
static void assert_progress(const char *want)
{
	const char *line = tw_load_progress_text(&session.run);

	assert_int_equal(strncmp(line, want, strlen(want)), 0);
	line += strlen(want);
	assert_int_equal(line[strspn(line, " ")], '\0');
}

static void test_progress(void **state)
{
	struct timespec now;

	(void)state;
	/* 101 cycles of 1 s, one of them done. */
	new_ramp("-i1000000 -l101 --load=fft --steps=2");
	assert_progress("step: 2/2: 1 worker: 100 s left");
	session.pairs = &steps[0];
	session.run.step = 0;
	assert_progress("step: 1/2: 0 workers: 99 s left");

	/* Of cycles and time, what ends first. */
	clock_gettime(CLOCK_MONOTONIC, &now);
	new_ramp("-i1000000 -l101 -D500 --load=hackbench --steps=20");
	session.end_ns = (now.tv_sec + 3000) * INT64_C(1000000000);
	assert_progress("step: 2/20: 1 group: 100 s left");
	session.end_ns = now.tv_sec * INT64_C(1000000000) +
			 INT64_C(60900000000) + now.tv_nsec;
	assert_progress("step: 2/20: 1 group: 60 s left");

	/* Without a ramp there is no such line. */
	new_finished_run("-l101 --load=fft");
	assert_string_equal(tw_load_progress_text(&session.run), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_step),
		cmocka_unit_test(test_ramp),
		cmocka_unit_test(test_ramp_cut_short),
		cmocka_unit_test(test_work),
		cmocka_unit_test(test_progress),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	drop_ramp();
	return failed;
}
