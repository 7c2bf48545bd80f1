// SPDX-License-Identifier: GPL-2.0-or-later
/* The JSON's members on load, throttling and steps, to the letter. */
#include "report_ramp.h"

static void test_none(void **state)
{
	(void)state;
	new_finished_run("");
	steps[0].elapsed_ns = INT64_C(1234567000);
	assert_string_equal(written(tw_report_json_load),
		"    \"throttling\": {\n"
		"      \"rt_group_sched\": false,\n"
		"      \"fair_server\": false,\n"
		"      \"stall_us\": 0,\n"
		"      \"possible\": false,\n"
		"      \"kernel_message\": false\n"
		"    },\n"
		"    \"load\": {\n"
		"      \"kind\": \"none\",\n"
		"      \"workers\": 0,\n"
		"      \"work\": 0,\n"
		"      \"work_per_second\": 0.000,\n"
		"      \"work_per_second_and_worker\": 0.000,\n"
		"      \"work_errors\": 0,\n"
		"      \"restarts\": 0,\n"
		"      \"elapsed_s\": 1.234567\n"
		"    },\n");
}

static void set_throttle(void)
{
	session.throttle = (struct tw_throttle) {
		.known = true, .runtime_us = -1, .period_us = 1000000,
		.group = true, .fair_server = true, .stall_ns = 50000000,
	};
	session.throttling_heard = true;
}

static void test_command(void **state)
{
	(void)state;
	new_finished_run("-p80 --load=command:a\"b --load-policy=rr --load-priority=7");
	set_throttle();
	session.load.params.pinned = true;
	CPU_SET(1, &session.load.params.cpus);
	CPU_SET(2, &session.load.params.cpus);
	steps[0].workers = 4;
	steps[0].work = 10;
	steps[0].restarts = 9;
	steps[0].elapsed_ns = INT64_C(2000000000);
	assert_string_equal(written(tw_report_json_load),
		"    \"throttling\": {\n"
		"      \"rt_runtime_us\": -1,\n"
		"      \"rt_period_us\": 1000000,\n"
		"      \"rt_group_sched\": true,\n"
		"      \"fair_server\": true,\n"
		"      \"stall_us\": 50000,\n"
		"      \"possible\": true,\n"
		"      \"kernel_message\": true\n"
		"    },\n"
		"    \"load\": {\n"
		"      \"kind\": \"command\",\n"
		"      \"command\": \"a\\\"b\",\n"
		"      \"arguments\": null,\n"
		"      \"policy\": \"rr\",\n"
		"      \"priority\": 7,\n"
		"      \"cpus\": \"1-2\",\n"
		"      \"work_unit\": \"completed runs\",\n"
		"      \"workers\": 4,\n"
		"      \"work\": 10,\n"
		"      \"work_per_second\": 5.000,\n"
		"      \"work_per_second_and_worker\": 1.250,\n"
		"      \"work_errors\": 0,\n"
		"      \"restarts\": 9,\n"
		"      \"elapsed_s\": 2.000000\n"
		"    },\n");
}

static void contains(const char *text, const char *want)
{
	if (!strstr(text, want))
		fail_msg("%s\nlacks\n%s", text, want);
}

static void test_unpinned(void **state)
{
	(void)state;
	new_finished_run("--load=hackbench --load-args=-T");
	contains(written(tw_report_json_load),
		 "      \"kind\": \"hackbench\",\n"
		 "      \"command\": null,\n"
		 "      \"arguments\": \"-T\",\n"
		 "      \"policy\": \"other\",\n"
		 "      \"priority\": 0,\n"
		 "      \"cpus\": null,\n"
		 "      \"work_unit\": \"messages\",\n"
		 "      \"workers\": 10,\n");
}

/* Throttling is possible if the kernel does it and the load brings it on. */
static void test_possible(void **state)
{
	(void)state;
	new_finished_run("-p80 --load=fft");
	contains(written(tw_report_json_load), "\"possible\": false");
	set_throttle();
	contains(written(tw_report_json_load), "\"possible\": true");
	new_finished_run("-p80 --load=hackbench");
	set_throttle();
	contains(written(tw_report_json_load), "\"possible\": false");
	/* At the height of a ramp counts, not its first step. */
	new_finished_run("-p80 --load=fft --steps=2 -l5");
	set_throttle();
	contains(written(tw_report_json_load), "\"possible\": true");
}

/* All of the ramp: sums, and the workers of the last step there was. */
static void test_sum(void **state)
{
	(void)state;
	new_ramp("--load=fft --steps=5 -l5");
	steps[1].workers = 2;
	contains(written(tw_report_json_load),
		 "      \"workers\": 2,\n"
		 "      \"work\": 10,\n"
		 "      \"work_per_second\": 1.667,\n"
		 "      \"work_per_second_and_worker\": 1.250,\n"
		 "      \"work_errors\": 3,\n"
		 "      \"restarts\": 4,\n"
		 "      \"elapsed_s\": 6.000000\n");
}

#define THREAD(std, cycles, min, max, avg) \
	"  \"thread\": {\n" \
	"    \"0\": {\n" \
	"      \"metric\": \"total\",\n" \
	"      \"label\": \"Total Jitter\",\n" \
	"      \"pair\": 0,\n" \
	"      \"percentiles\": {\"50\": null},\n" \
	"      \"stddev\": " std ",\n" \
	"      \"target\": null,\n" \
	"      \"cycles\": " cycles ",\n" \
	"      \"min\": " min ",\n" \
	"      \"max\": " max ",\n" \
	"      \"avg\": " avg ",\n" \
	"      \"cpu\": -1,\n" \
	"      \"node\": 0\n" \
	"    }\n" \
	"  },\n"

static const char two_steps[] =
	"    \"steps\": [\n"
	"    {\n"
	"      \"step\": 0,\n"
	THREAD("6.364", "2", "30", "39", "34.50")
	"      \"cycles\": 2,\n"
	"      \"missed\": 2,\n"
	"      \"throttled\": 0,\n"
	"      \"workers\": 0,\n"
	"      \"work\": 0,\n"
	"      \"work_per_second\": 0.000,\n"
	"      \"work_per_second_and_worker\": 0.000,\n"
	"      \"work_errors\": 0,\n"
	"      \"restarts\": 0,\n"
	"      \"elapsed_s\": 2.000000\n"
	"    },\n"
	"    {\n"
	"      \"step\": 1,\n"
	THREAD("0.000", "1", "39", "39", "39.00")
	"      \"cycles\": 1,\n"
	"      \"missed\": 0,\n"
	"      \"throttled\": 1,\n"
	"      \"workers\": 1,\n"
	"      \"work\": 10,\n"
	"      \"work_per_second\": 2.500,\n"
	"      \"work_per_second_and_worker\": 2.500,\n"
	"      \"work_errors\": 3,\n"
	"      \"restarts\": 4,\n"
	"      \"elapsed_s\": 4.000000\n"
	"    }\n"
	"    ],\n";

static void test_steps(void **state)
{
	(void)state;
	new_ramp("--load=fft --steps=2 -l5 --metrics=total --percentiles=50");
	assert_string_equal(written(tw_report_json_steps), two_steps);
	session.steps_done = 0;
	assert_string_equal(written(tw_report_json_steps),
			    "    \"steps\": [\n    ],\n");
}

/* A step killed before its first cycle, or its first instant, divides by 0. */
static void test_empty_step(void **state)
{
	(void)state;
	new_run("--load=fft:3 --metrics=total");
	steps[0].work = 5;
	contains(written(tw_report_json_steps),
		 "      \"workers\": 3,\n"
		 "      \"work\": 5,\n"
		 "      \"work_per_second\": 0.000,\n"
		 "      \"work_per_second_and_worker\": 0.000,\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_command),
		cmocka_unit_test(test_unpinned),
		cmocka_unit_test(test_possible),
		cmocka_unit_test(test_sum),
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_empty_step),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	drop_ramp();
	return failed;
}
