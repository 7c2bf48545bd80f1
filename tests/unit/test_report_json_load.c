// SPDX-License-Identifier: GPL-2.0-or-later
/* The JSON's members on the load and its steps, to the letter. */
#include "report_ramp.h"

/* Begins with @want. */
static void assert_json(const char *want)
{
	const char *text = written_json(tw_part_load.json);

	if (strncmp(text, want, strlen(want)))
		fail_msg("%s\nlacks at its start\n%s", text, want);
}

static void test_none(void **state)
{
	(void)state;
	new_finished_run("");
	work_of(0)->elapsed_ns = INT64_C(1234567000);
	assert_json(
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

static void test_command(void **state)
{
	cpu_set_t *cpus;

	(void)state;
	new_finished_run("-p80 --load=command:a\"b --load-policy=rr --load-priority=7");
	cpus = (cpu_set_t *)set_by("load-affinity");
	CPU_SET(1, cpus);
	CPU_SET(2, cpus);
	*work_of(0) = (struct tw_work) {
		.done = 10, .restarts = 9, .elapsed_ns = INT64_C(2000000000),
	};
	assert_json(
		"    \"load\": {\n"
		"      \"kind\": \"command\",\n"
		"      \"command\": \"a\\\"b\",\n"
		"      \"arguments\": null,\n"
		"      \"policy\": \"rr\",\n"
		"      \"priority\": 7,\n"
		"      \"cpus\": \"1-2\",\n"
		"      \"work_unit\": \"completed runs\",\n"
		"      \"workers\": 1,\n"
		"      \"work\": 10,\n"
		"      \"work_per_second\": 5.000,\n"
		"      \"work_per_second_and_worker\": 5.000,\n"
		"      \"work_errors\": 0,\n"
		"      \"restarts\": 9,\n"
		"      \"elapsed_s\": 2.000000\n"
		"    },\n");
}

static void test_unpinned(void **state)
{
	(void)state;
	new_finished_run("--load=hackbench --load-args=-T");
	contains(written_json(tw_part_load.json),
		 "      \"kind\": \"hackbench\",\n"
		 "      \"command\": null,\n"
		 "      \"arguments\": \"-T\",\n"
		 "      \"policy\": \"other\",\n"
		 "      \"priority\": 0,\n"
		 "      \"cpus\": null,\n"
		 "      \"work_unit\": \"messages\",\n"
		 "      \"workers\": 10,\n");
}

/* All of the ramp: sums, and the workers of the last step there was. */
static void test_sum(void **state)
{
	(void)state;
	new_ramp("--load=fft --steps=5 -l5");
	steps[2] = steps[1];
	*work_of(2) = *work_of(1);
	*work_of(1) = *work_of(0);
	work_of(1)->restarts = 5;
	work_of(0)->elapsed_ns = 0;
	session.steps_done = 3;
	contains(written_json(tw_part_load.json),
		 "      \"workers\": 2,\n"
		 "      \"work\": 10,\n"
		 "      \"work_per_second\": 1.667,\n"
		 "      \"work_per_second_and_worker\": 1.000,\n"
		 "      \"work_errors\": 3,\n"
		 "      \"restarts\": 9,\n"
		 "      \"elapsed_s\": 6.000000\n");
}

#define THREAD(std, cycles, min, max, avg) \
	"        \"thread\": {\n" \
	"          \"0\": {\n" \
	"            \"metric\": \"total\",\n" \
	"            \"label\": \"Total Jitter\",\n" \
	"            \"pair\": 0,\n" \
	"            \"percentiles\": {\"50\": null},\n" \
	"            \"stddev\": " std ",\n" \
	"            \"target\": null,\n" \
	"            \"cycles\": " cycles ",\n" \
	"            \"min\": " min ",\n" \
	"            \"max\": " max ",\n" \
	"            \"avg\": " avg ",\n" \
	"            \"cpu\": -1,\n" \
	"            \"node\": 0\n" \
	"          }\n" \
	"        },\n"

static const char two_steps[] =
	"    \"steps\": [\n"
	"      {\n"
	"        \"step\": 0,\n"
	"        \"pairs\": 1,\n"
	THREAD("6.364", "2", "30", "39", "34.50")
	"        \"cycles\": 2,\n"
	"        \"missed\": 2,\n"
	"        \"throttled\": 0,\n"
	"        \"inversions\": 0,\n"
	"        \"workers\": 0,\n"
	"        \"work\": 0,\n"
	"        \"work_per_second\": 0.000,\n"
	"        \"work_per_second_and_worker\": 0.000,\n"
	"        \"work_errors\": 0,\n"
	"        \"restarts\": 0,\n"
	"        \"elapsed_s\": 2.000000\n"
	"      },\n"
	"      {\n"
	"        \"step\": 1,\n"
	"        \"pairs\": 1,\n"
	THREAD("0.000", "1", "39", "39", "39.00")
	"        \"cycles\": 1,\n"
	"        \"missed\": 0,\n"
	"        \"throttled\": 1,\n"
	"        \"inversions\": 0,\n"
	"        \"workers\": 1,\n"
	"        \"work\": 10,\n"
	"        \"work_per_second\": 2.500,\n"
	"        \"work_per_second_and_worker\": 2.500,\n"
	"        \"work_errors\": 3,\n"
	"        \"restarts\": 4,\n"
	"        \"elapsed_s\": 4.000000\n"
	"      }\n"
	"    ]\n";

/* The steps come last. */
static const char *json_steps(void)
{
	const char *steps_at = strstr(written_json(tw_part_load.json),
				      "    \"steps\": [");

	assert_non_null(steps_at);
	return steps_at;
}

static void test_steps(void **state)
{
	(void)state;
	new_ramp("--load=fft --steps=2 -l5 --metrics=total --percentiles=50");
	assert_string_equal(json_steps(), two_steps);
	session.steps_done = 0;
	assert_string_equal(json_steps(), "    \"steps\": []\n");
}

/* A step killed before its first cycle, or its first instant, divides by 0. */
static void test_empty_step(void **state)
{
	(void)state;
	new_run("--load=fft:3 --metrics=total");
	work_of(0)->done = 5;
	contains(json_steps(),
		 "        \"workers\": 3,\n"
		 "        \"work\": 5,\n"
		 "        \"work_per_second\": 0.000,\n"
		 "        \"work_per_second_and_worker\": 0.000,\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_command),
		cmocka_unit_test(test_unpinned),
		cmocka_unit_test(test_sum),
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_empty_step),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	drop_ramp();
	return failed;
}
