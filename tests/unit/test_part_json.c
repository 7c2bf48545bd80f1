// SPDX-License-Identifier: GPL-2.0-or-later
/* The JSON result: what is in all of it, to the letter. */
#include <errno.h>

#include "check/tw_part_check.h"
#include "cause/tw_trace_own.h"
#include "cause/tw_trace.h"
#include "json.h"
#include "report.h"

static void write_json(FILE *file, const struct tw_run *run)
{
	assert_int_equal(tw_part_json.result->write(run, file), 0);
}

static void assert_whole(const char *text)
{
	const char *end = json_value(text);

	if (!end || *json_blank(end))
		fail_msg("no JSON:\n%s", text);
}

static const char threads[] =
	"  \"num_threads\": 2,\n"
	"  \"resolution_in_ns\": 0,\n"
	"  \"thread\": {\n"
	"    \"0\": {\n"
	"      \"metric\": \"total\",\n"
	"      \"label\": \"Total Jitter\",\n"
	"      \"pair\": 0,\n"
	"      \"histogram\": {\n"
	"        \"30\": 1,\n"
	"        \"39\": 1\n"
	"      },\n"
	"      \"overflows\": 0,\n"
	"      \"percentiles\": {\"50\": null, \"99.9\": null},\n"
	"      \"stddev\": 6.364,\n"
	"      \"target\": null,\n"
	"      \"cycles\": 2,\n"
	"      \"min\": 30,\n"
	"      \"max\": 39,\n"
	"      \"avg\": 34.50,\n"
	"      \"cpu\": -1,\n"
	"      \"node\": 0\n"
	"    },\n"
	"    \"1\": {\n"
	"      \"metric\": \"interval\",\n"
	"      \"label\": \"POSIX Timer Interval Time\",\n"
	"      \"pair\": 0,\n"
	"      \"histogram\": {\n"
	"        \"998\": 1,\n"
	"        \"1004\": 1\n"
	"      },\n"
	"      \"overflows\": 0,\n"
	"      \"percentiles\": {\"50\": null, \"99.9\": null},\n"
	"      \"stddev\": 4.472,\n"
	"      \"target\": 1000,\n"
	"      \"cycles\": 2,\n"
	"      \"min\": 998,\n"
	"      \"max\": 1004,\n"
	"      \"avg\": 1001.00,\n"
	"      \"cpu\": -1,\n"
	"      \"node\": 0\n"
	"    }\n"
	"  },\n";

/* @text begins with @want; returns what follows. */
static const char *take(const char *text, const char *want)
{
	char *begin = strndup(text, strlen(want));

	assert_non_null(begin);
	assert_string_equal(begin, want);
	free(begin);
	return text + strlen(want);
}

/* What rt_write_json() writes before and after is its own. */
static void test_whole(void **state)
{
	const char *text;
	char head[200];

	(void)state;
	new_finished_run("-h60 --metrics=total,interval --percentiles=50,99.9");
	argv_of_run[1] = (char *)"a \"b\" \xff";
	session.run.return_code = 2;
	text = written(write_json);
	assert_whole(text);
	contains(text, "  \"return_code\": 2,\n");
	text = strstr(text, "  \"num_threads\"");
	assert_non_null(text);
	text = take(text, threads);
	snprintf(head, sizeof(head), "  \"twoway\": {\n"
		 "    \"schema\": 1,\n    \"version\": \"%1.2f\",\n"
		 "    \"argv\": [\"twowaytest\", \"a \\\"b\\\" \\ufffd\"],\n"
		 "    \"settings\": {\n", (double)VERSION);
	text = take(text, head);
	text = strstr(text, "    \"interrupted\"");
	assert_non_null(text);
	text = take(text, "    \"interrupted\": false,\n"
		    "    \"error\": null\n  }\n}\n");
	assert_string_equal(text, "");
	argv_of_run[1] = (char *)"-q";
}

/* Every part has a say: here one member of each. */
static void test_parts(void **state)
{
	static const char *const members[] = {
		"      \"interval_us\": 1000,\n", "      \"latency_us\": null,\n",
		"      \"histogram_us\": 60,\n", "      \"break_us\": 5,\n",
		"      \"break_on\": \"response\",\n",
		"      \"tracemark\": false,\n", "      \"trace\": \"irq\",\n",
		"    \"processes\": {\n", "    \"throttling\": {\n",
		"    \"cost\": {\n", "    \"steps\": [\n",
		"    \"not_dumped\": 0,\n", "    \"worst\": {\n",
		"    \"spikes\": null,\n", "    \"break\": null,\n",
		"    \"limits\": [],\n",
	};
	const char *text;
	size_t i;

	(void)state;
	new_finished_run("-h60 -b5 --trace=irq");
	text = written(write_json);
	assert_whole(text);
	for (i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		size_t length = strlen(members[i]);
		char member[60];

		/* Perhaps the last of its object: without the comma. */
		assert_true(length < sizeof(member));
		memcpy(member, members[i], length + 1);
		if (member[length - 2] == ',')
			member[length - 2] = '\0';
		contains(text, member);
	}
	new_finished_run("-b5 --trace");
	contains(written(write_json), "\"trace\": \"" TW_TRACE_EVENTS "\"");
}

/* -N changes the unit of the results, of nothing else. */
static void test_in_ns(void **state)
{
	const char *text;

	(void)state;
	new_finished_run("-N -h60 --metrics=interval");
	text = written(write_json);
	assert_whole(text);
	contains(text, "\"resolution_in_ns\": 1,\n");
	contains(text, "        \"998\": 1,\n        \"1004\": 1\n");
	contains(text, "\"stddev\": 4472.136,\n      \"target\": 1000000,\n");
	contains(text, "\"min\": 998000,\n      \"max\": 1004000,\n");
	contains(text, "\"avg\": 1001000.00,\n");
	contains(text, "\"interval_us\": 1000,\n");
}

static void test_nothing_measured(void **state)
{
	const char *text;

	(void)state;
	new_run("-i0 --metrics=interval,total");
	text = written(write_json);
	assert_whole(text);
	contains(text, "\"stddev\": null,\n      \"target\": null,\n      \"cycles\": 0,\n      \"min\": null,\n      \"max\": null,\n      \"avg\": null,\n");
	/* No histogram asked for: none there, not an empty one. */
	assert_null(strstr(text, "\"histogram\":"));
	assert_null(strstr(text, "\"overflows\":"));
}

static void test_empty_histogram(void **state)
{
	(void)state;
	new_finished_run("-h5 --metrics=send");
	contains(written(write_json),
		 "      \"histogram\": {},\n      \"overflows\": 2,\n");
}

/* The first error of the run, or else of the output. */
static void test_disturbed(void **state)
{
	const char *text;

	(void)state;
	new_finished_run("--metrics=total");
	session.run.interrupted = 15;
	session.run.output.err = -ENOSPC;
	strcpy(session.run.output.error, "the file is full");
	text = written(write_json);
	assert_whole(text);
	contains(text, "    \"interrupted\": true,\n"
		 "    \"error\": \"the file is full\"\n");
	tw_fail(&session.run, -ECONNRESET, "the client stopped");
	contains(written(write_json),
		 "    \"error\": \"the client stopped\"\n");
}

/* Nothing was measured: the state of the system, and no results. */
static void test_instead(void **state)
{
	const char *text;

	(void)state;
	new_run("--check");
	session.run.only = &tw_part_check;
	assert_in_range(tw_part_check.instead(&session.run), 0, 2);
	text = written(write_json);
	assert_whole(text);
	contains(text, "  \"num_threads\": 0,\n  \"resolution_in_ns\": 0,\n  \"thread\": {},\n  \"twoway\": {\n");
	contains(text, "    \"argv\": [\"twowaytest\", \"-q\"],\n"
		 "    \"environment\": {\n");
	contains(text, "    \"error\": null\n");
	assert_null(strstr(text, "\"settings\""));
	assert_null(strstr(text, "\"interrupted\""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_in_ns),
		cmocka_unit_test(test_nothing_measured),
		cmocka_unit_test(test_empty_histogram),
		cmocka_unit_test(test_disturbed),
		cmocka_unit_test(test_instead),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	drop_run();
	return failed;
}
