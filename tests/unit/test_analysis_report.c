// SPDX-License-Identifier: GPL-2.0-or-later
/* What is printed of an analysis, to the letter. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "base/tw_json.h"
#include "cause/tw_analysis_phase.h"

static struct tw_analysis analysis;
static char *report;

/* Until the next call. */
static const char *printed(bool has_mean)
{
	size_t size;
	FILE *file;

	free(report);
	file = open_memstream(&report, &size);
	assert_non_null(file);
	tw_analysis_print(file, &analysis, has_mean);
	assert_int_equal(fclose(file), 0);
	return report;
}

static const char *printed_json(const struct tw_analysis *of)
{
	struct tw_json json;
	size_t size;
	FILE *file;

	free(report);
	file = open_memstream(&report, &size);
	assert_non_null(file);
	tw_json_open(&json, file, 2);
	tw_analysis_json(&json, "analysis", of);
	tw_json_close(&json);
	assert_int_equal(fclose(file), 0);
	assert_members(report);
	return report;
}

static void span(struct tw_span *at, int64_t at_ns, int64_t for_ns,
		 enum tw_blame blame, const char *who)
{
	*at = (struct tw_span) {
		.at_ns = at_ns, .for_ns = for_ns, .blame = blame, .cpu = 1,
		.pid = 77, .prio = 120,
	};
	strcpy(at->who, who);
}

/* Of its send, 12 us: the server was woken late, then lacked a CPU. */
static void analyse(void)
{
	struct tw_span *spans = analysis.spans;

	memset(&analysis, 0, sizeof(analysis));
	analysis.phase = TW_SEND;
	analysis.side = TW_SERVER;
	analysis.names = tw_analysis_names(TW_SEND, TW_SERVER);
	analysis.side_pid = 1233;
	analysis.value_ns = 12000;
	analysis.mean_ns = 10540;
	analysis.waking_ns = 2000;
	analysis.running_ns = 11500;
	span(&spans[0], 0, 2000, TW_PEER_RUNS, "client \"a\\b\"");
	spans[0].prio = 19;
	spans[0].cpu = 0;
	span(&spans[1], 2000, 8450, TW_RUNNABLE, "cat");
	span(&spans[2], 10450, 1050, TW_RUNNABLE, "irq 9: \x01");
	spans[2].interrupt = true;
	spans[2].prio = 0;
	span(&spans[3], 11500, 500, TW_UNKNOWN, "unknown");
	spans[3].prio = -1;
	spans[3].pid = -1;
	spans[3].cpu = -1;
	analysis.count = 4;
	span(&analysis.sums[0], 2000, 8450, TW_RUNNABLE, "cat");
	span(&analysis.sums[1], 0, 3550, TW_PEER_RUNS, "the rest");
	analysis.sum_count = 2;
	strcpy(analysis.sentence, "it was \"cat\"");
}

static void test_lacks(void **state)
{
	(void)state;
	analyse();
	analysis.lacks = "the trace lost events";
	assert_string_equal(printed(true),
			    "# Cause: unknown, as the trace lost events\n");
	assert_string_equal(printed_json(&analysis),
			    "    \"analysis\": null\n");
	assert_string_equal(printed_json(NULL), "    \"analysis\": null\n");
}

#define TIME_LINE \
	"# Time line of send: 12.0 us, on average 10.5\n" \
	"#      at us     for us  CPU  server             who had the CPU\n" \
	"#        0.0        2.0    0  peer runs          client \"a\\b\", priority 80\n" \
	"#        2.0        8.4    1  runnable           cat\n" \
	"#       10.4        1.1    1  runnable           irq 9: \x01\n" \
	"#       11.5        0.5   -1  unknown            unknown\n"

static void test_text(void **state)
{
	(void)state;
	analyse();
	/* No half: which way that goes is the printer's affair. */
	analysis.spans[1].for_ns = 8440;
	analysis.spans[2].at_ns = 10440;
	analysis.spans[2].for_ns = 1060;
	assert_string_equal(printed(true),
		"# Cause: it was \"cat\"\n"
		"# Wake-up of the server: 9.5 us from sched_waking to sched_switch\n"
		TIME_LINE);
	/* The first cycle: there is no average yet. */
	assert_non_null(strstr(printed(false),
			       "# Time line of send: 12.0 us, on average -\n"));
	analysis.switch_unseen = true;
	assert_non_null(strstr(printed(true),
			       " 9.5 us from sched_waking to its first event\n"));
	/* A wait that ended without a wake-up. */
	analysis.running_ns = -1;
	analysis.waking_ns = -1;
	assert_string_equal(printed(true),
			    "# Cause: it was \"cat\"\n" TIME_LINE);
}

/* 100 spans: 60 of less than 2 us, 10 from there on, 30 above. */
static int64_t length_of(int number)
{
	return number < 60 ? 1000 + number : number < 70 ? 2000 : 5000;
}

/* Of too many the shortest are left out, and told of; none is lost. */
static void test_long_time_line(void **state)
{
	const char *text, *line;
	int64_t at_ns = 0;
	int i, shown = 0;

	(void)state;
	analyse();
	for (i = 0; i < 100; i++) {
		span(&analysis.spans[i], at_ns, length_of(i), TW_RUNNABLE,
		     "somebody");
		at_ns += length_of(i);
	}
	analysis.count = 100;
	text = printed(true);
	for (line = text; (line = strstr(line, "  runnable")); line++)
		shown++;
	assert_int_equal(shown, 40);
	/* 60 * 1000 + 0 + 1 + ... + 59 ns */
	assert_non_null(strstr(text,
		"\n#                  61.8       in shorter pieces\n"));
	assert_null(strstr(text, "       1.0    1  runnable"));

	analysis.count = 41;
	assert_non_null(strstr(printed(true), "in shorter pieces"));
	/* 40 are not too many, however short. */
	analysis.count = 40;
	text = printed(true);
	assert_null(strstr(text, "in shorter pieces"));
	assert_non_null(strstr(text, "       1.0    1  runnable"));
}

#define CAT \
	"\"state\": \"runnable\", \"cpu\": 1, \"who\": \"cat\", \"pid\": 77, \"prio\": 120, \"interrupt\": false}"
#define JSON(wakeup) \
	"    \"analysis\": {\n" \
	"      \"phase\": \"send\",\n" \
	"      \"side\": \"server\",\n" \
	"      \"pid\": 1233,\n" \
	"      \"ns\": 12000,\n" \
	"      \"mean_ns\": 10540.0,\n" \
	"      \"wakeup_ns\": " wakeup ",\n" \
	"      \"cause\": \"it was \\\"cat\\\"\",\n" \
	"      \"contributors\": [\n" \
	"        {\"at_ns\": 2000, \"ns\": 8450, " CAT ",\n" \
	"        {\"at_ns\": 0, \"ns\": 3550, \"state\": \"peer runs\", \"cpu\": 1, \"who\": \"the rest\", \"pid\": 77, \"prio\": 120, \"interrupt\": false}\n" \
	"      ],\n" \
	"      \"timeline\": [\n" \
	"        {\"at_ns\": 0, \"ns\": 2000, \"state\": \"peer runs\", \"cpu\": 0, \"who\": \"client \\\"a\\\\b\\\"\", \"pid\": 77, \"prio\": 19, \"interrupt\": false},\n" \
	"        {\"at_ns\": 2000, \"ns\": 8450, " CAT ",\n" \
	"        {\"at_ns\": 10450, \"ns\": 1050, \"state\": \"runnable\", \"cpu\": 1, \"who\": \"irq 9: \\u0001\", \"pid\": 77, \"prio\": 0, \"interrupt\": true},\n" \
	"        {\"at_ns\": 11500, \"ns\": 500, \"state\": \"unknown\", \"cpu\": -1, \"who\": \"unknown\", \"pid\": -1, \"prio\": -1, \"interrupt\": false}\n" \
	"      ]\n" \
	"    }\n"

static void test_json(void **state)
{
	(void)state;
	analyse();
	assert_string_equal(printed_json(&analysis), JSON("9500"));
	analysis.running_ns = -1;
	analysis.waking_ns = -1;
	assert_string_equal(printed_json(&analysis), JSON("null"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lacks),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_long_time_line),
		cmocka_unit_test(test_json),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	free(report);
	return failed;
}
