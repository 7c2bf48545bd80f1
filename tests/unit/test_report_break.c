// SPDX-License-Identifier: GPL-2.0-or-later
/* What is said of the cycle that ended a run, to the letter. */
#include <errno.h>

#include "json.h"
#include "report_ramp.h"

static struct tw_break broken;
static struct tw_analysis analysis;

/* Broken at the second cycle, whose total is 30 us, with the first's means. */
static void new_broken_run(const char *line)
{
	new_run(line);
	tw_tally_add(pair.tally, &run_cycles[0]);
	memset(&broken, 0, sizeof(broken));
	broken.limit_ns = config.break_us * 1000;
	broken.metric = config.break_on;
	broken.broken = true;
	broken.kept.cycle = run_cycles[1];
	broken.kept.ahead_ns = -RUN_WALL_NS;
	broken.number = 1;
	broken.value_ns = tw_metrics[broken.metric].value_ns(&run_cycles[1],
						       &pair.tally->params);
	tw_report_means(pair.tally, broken.means_ns);
	tw_tally_add(pair.tally, &run_cycles[1]);
	session.broken = &broken;
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
	session.analysis = &analysis;
}

#define HEAD \
	"# Break thread: 1234\n" \
	"# Break value: 30\n" \
	"# Break: total 30 > 29: cycle 1, 0.000998 s after start, 05:30:00.003002: interval 998 (1004), wakeup 2 (4), send 12 (10), sleep 106 (116), receive 10 (8), response 128 (135), total 30 (39); excess: send 0 %, sleep 0 %, receive 0 %, interval 0 %; CPU client 5, server 4; missed 2\n"

static void test_none(void **state)
{
	(void)state;
	new_finished_run("-b29");
	assert_string_equal(written(tw_report_break), "");
	assert_string_equal(written(tw_report_json_break),
			    "    \"break\": null,\n");
}

static void test_break(void **state)
{
	(void)state;
	new_broken_run("-b29 --break-on=total");
	assert_string_equal(written(tw_report_break), HEAD);
	new_broken_run("-b29 --break-on=total --tracemark");
	broken.mark_err = -ENOSPC;
	assert_string_equal(written(tw_report_break), HEAD
		"# Break: could not mark and stop the trace: No space left on device\n");
	broken.mark_err = -EBADF;
	assert_string_equal(written(tw_report_break), HEAD
		"# Break: no mark: the kernel's tracing is off (tracing_on)\n");
}

static void test_break_on(void **state)
{
	(void)state;
	new_broken_run("-N -i0 -b9 --break-on=receive");
	broken.kept.throttled = true;
	assert_string_equal(written(tw_report_break),
		"# Break thread: 1234\n"
		"# Break value: 10000\n"
		"# Break: receive 10000 > 9000: cycle 1, 0.000998 s after start, 05:30:00.003002: interval 998000 (1004000), send 12000 (10500), sleep 106000 (116000), receive 10000 (8500), response 128000 (135000), total 28000 (35000); excess: receive 100 %; CPU client 5, server 4; missed 2, throttled\n");
}

/* In the second step; the report is of both. */
static void test_break_in_ramp(void **state)
{
	(void)state;
	new_ramp("--load=fft --steps=3 -l5 -b38 --break-on=total");
	broken.limit_ns = 38000;
	broken.metric = TW_TOTAL;
	broken.kept = second.tally->worst[TW_TOTAL];
	broken.number = 0;
	broken.value_ns = 39000;
	/* Of the first cycle of a step: means of nothing. */
	memset(broken.means_ns, 0, sizeof(broken.means_ns));
	broken.means_ns[TW_INTERVAL] = 1000000;
	broken.means_ns[TW_SLEEP] = 100000;
	broken.mark_err = 0;
	session.broken = &broken;
	finish_ramp();
	assert_string_equal(written(tw_report_break),
		"# Break thread: 1234\n"
		"# Break value: 39\n"
		"# Break: total 39 > 38: step 2, cycle 0, 0.000000 s after start, 05:30:00.002004: interval 1004 (-), wakeup 4 (-), send 10 (-), sleep 116 (-), receive 8 (-), response 135 (-), total 39 (-); CPU client 3, server 2; missed 0\n");
}

static void test_no_analysis(void **state)
{
	static char empty[] = "";

	(void)state;
	new_broken_run("-b29 --break-on=total --trace");
	assert_string_equal(written(tw_report_break), HEAD
		"# Cause: unknown, as the trace could not be read\n");
	analyse();
	analysis.lacks = "the trace lost events";
	session.trace_text = empty;
	assert_string_equal(written(tw_report_break), HEAD
		"# Cause: unknown, as the trace lost events\n"
		"# Trace: twowaytest-trace.txt\n");
}

#define TIME_LINE \
	"# Time line of send: 12.0 us, on average 10.5\n" \
	"#      at us     for us  CPU  server             who had the CPU\n" \
	"#        0.0        2.0    0  peer runs          client \"a\\b\", priority 80\n" \
	"#        2.0        8.4    1  runnable           cat\n" \
	"#       10.4        1.1    1  runnable           irq 9: \x01\n" \
	"#       11.5        0.5   -1  unknown            unknown\n"

static void test_analysis(void **state)
{
	static char text[] = "one line\n";

	(void)state;
	new_broken_run("-b29 --break-on=total --trace --trace-file=f");
	analyse();
	/* No half: which way that goes is the printer's affair. */
	analysis.spans[1].for_ns = 8440;
	analysis.spans[2].at_ns = 10440;
	analysis.spans[2].for_ns = 1060;
	session.trace_text = text;
	assert_string_equal(written(tw_report_break), HEAD
		"# Cause: it was \"cat\"\n"
		"# Wake-up of the server: 9.5 us from sched_waking to sched_switch\n"
		TIME_LINE "# Trace: f\n");
	/* The first cycle: there is no average yet. */
	broken.number = 0;
	assert_non_null(strstr(written(tw_report_break),
			       "# Time line of send: 12.0 us, on average -\n"));
	broken.number = 1;
	/* A wait that ended without a wake-up. */
	analysis.running_ns = -1;
	analysis.waking_ns = -1;
	assert_string_equal(written(tw_report_break), HEAD
		"# Cause: it was \"cat\"\n" TIME_LINE "# Trace: f\n");
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
	new_broken_run("-b29 --break-on=total --trace");
	analyse();
	for (i = 0; i < 100; i++) {
		span(&analysis.spans[i], at_ns, length_of(i), TW_RUNNABLE,
		     "somebody");
		at_ns += length_of(i);
	}
	analysis.count = 100;
	text = written(tw_report_break);
	for (line = text; (line = strstr(line, "  runnable")); line++)
		shown++;
	assert_int_equal(shown, 40);
	/* 60 * 1000 + 0 + 1 + ... + 59 ns */
	assert_non_null(strstr(text,
		"\n#                  61.8       in shorter pieces\n"));
	assert_null(strstr(text, "       1.0    1  runnable"));

	/* 40 are not too many, however short. */
	analysis.count = 40;
	text = written(tw_report_break);
	assert_null(strstr(text, "in shorter pieces"));
	assert_non_null(strstr(text, "       1.0    1  runnable"));
}

#define LINE(cpu, time) \
	"            cat-77      [00" #cpu "] d..1.   " time \
	": local_timer_entry: vector=236\n"

/* Each stamp is among the events where its time is; headers stay first. */
static void test_trace(void **state)
{
	static char text[] =
		"# tracer: nop\n"
		"#\n"
		LINE(1, "6.002999") LINE(1, "6.003002") LINE(1, "6.003014")
		"CPU:1 [LOST 3 EVENTS]\n"
		LINE(0, "6.003115") LINE(0, "6.003140");

	(void)state;
	new_broken_run("-b29 --break-on=total --trace");
	session.trace_text = text;
	/* The measuring clock was 6 s behind, so to speak. */
	broken.ahead_ns = INT64_C(-6000000000);
	broken.kept.cycle.t0_ns = 3002001;
	broken.number = 4711;
	assert_string_equal(written(tw_report_trace),
		"# tracer: nop\n"
		"#\n"
		LINE(1, "6.002999")
		"# 6.003000000: twowaytest: cycle 4711: planned: the timer is to expire\n"
		LINE(1, "6.003002")
		"# 6.003002001: twowaytest: cycle 4711: t0: the client is awake, about to send\n"
		"# 6.003014000: twowaytest: cycle 4711: t1: the server has read the request\n"
		LINE(1, "6.003014")
		"CPU:1 [LOST 3 EVENTS]\n"
		LINE(0, "6.003115")
		"# 6.003120000: twowaytest: cycle 4711: t2: the server has slept, about to reply\n"
		"# 6.003130000: twowaytest: cycle 4711: t3: the client has read the reply\n"
		LINE(0, "6.003140"));
}

/* No event at all, or all before: the stamps are there even so. */
static void test_trace_without_events(void **state)
{
	static char none[] = "# tracer: nop\n";

	(void)state;
	new_broken_run("-b29 --break-on=total --trace");
	session.trace_text = none;
	assert_string_equal(written(tw_report_trace),
		"# tracer: nop\n"
		"# 0.003000000: twowaytest: cycle 1: planned: the timer is to expire\n"
		"# 0.003002000: twowaytest: cycle 1: t0: the client is awake, about to send\n"
		"# 0.003014000: twowaytest: cycle 1: t1: the server has read the request\n"
		"# 0.003120000: twowaytest: cycle 1: t2: the server has slept, about to reply\n"
		"# 0.003130000: twowaytest: cycle 1: t3: the client has read the reply\n");
}

/* There is no timer then, and nothing that was planned. */
static void test_trace_of_closed_loop(void **state)
{
	static char none[] = "";
	const char *text;

	(void)state;
	new_broken_run("-i0 -b9 --trace");
	broken.kept.cycle.planned_ns = broken.kept.cycle.t0_ns;
	session.trace_text = none;
	text = written(tw_report_trace);
	assert_null(strstr(text, "planned"));
	assert_int_equal(strncmp(text, "# 0.003002000: twowaytest: cycle 1: t0: ",
				 40), 0);
}

#define JSON_HEAD(metric, limit, value) \
	"    \"break\": {\n" \
	"      \"metric\": \"" metric "\", \"limit_ns\": " limit ", \"value_ns\": " value ",\n" \
	"      \"cycle\": 1, \"step\": 0, \"since_start_ns\": 998000, \"time\": \"2026-01-01T05:30:00.003002+0530\", \"missed\": 2, \"throttled\": false, \"client_cpu\": 5, \"server_cpu\": 4, \"interval_ns\": 998000, \"wakeup_ns\": 2000, \"send_ns\": 12000, \"sleep_ns\": 106000, \"receive_ns\": 10000, \"response_ns\": 128000, \"total_ns\": 30000,\n"

static void assert_json(const char *want)
{
	const char *text = written(tw_report_json_break);

	assert_members(text, LAST);
	assert_string_equal(text, want);
}

static void test_json(void **state)
{
	static char text[] = "one line\n";

	(void)state;
	/* There was nothing to mark ... */
	new_broken_run("-N -b29 --break-on=total");
	assert_json(JSON_HEAD("total", "29000", "30000")
		    "      \"marked\": false, \"trace_file\": null,\n"
		    "      \"analysis\": null\n    },\n");
	/* ... or there was, and it could not be done, or it could. */
	new_broken_run("-b11 --break-on=send --tracemark");
	broken.mark_err = -EBADF;
	assert_json(JSON_HEAD("send", "11000", "12000")
		    "      \"marked\": false, \"trace_file\": null,\n"
		    "      \"analysis\": null\n    },\n");
	new_broken_run("-b29 --break-on=total --trace --trace-file=a\"b");
	analyse();
	analysis.lacks = "the trace lost events";
	session.trace_text = text;
	assert_json(JSON_HEAD("total", "29000", "30000")
		    "      \"marked\": true, \"trace_file\": \"a\\\"b\",\n"
		    "      \"analysis\": null\n    },\n");
}

#define CAT \
	"\"state\": \"runnable\", \"cpu\": 1, \"who\": \"cat\", \"pid\": 77, \"prio\": 120, \"interrupt\": false}"
#define JSON_ANALYSIS(wakeup) \
	"      \"marked\": true, \"trace_file\": null,\n" \
	"      \"analysis\": {\n" \
	"        \"phase\": \"send\", \"side\": \"server\", \"pid\": 1233, \"ns\": 12000, \"mean_ns\": 10540.0, \"wakeup_ns\": " wakeup ",\n" \
	"        \"cause\": \"it was \\\"cat\\\"\",\n" \
	"        \"contributors\": [\n" \
	"          {\"at_ns\": 2000, \"ns\": 8450, " CAT ",\n" \
	"          {\"at_ns\": 0, \"ns\": 3550, \"state\": \"peer runs\", \"cpu\": 1, \"who\": \"the rest\", \"pid\": 77, \"prio\": 120, \"interrupt\": false}],\n" \
	"        \"timeline\": [\n" \
	"          {\"at_ns\": 0, \"ns\": 2000, \"state\": \"peer runs\", \"cpu\": 0, \"who\": \"client \\\"a\\\\b\\\"\", \"pid\": 77, \"prio\": 19, \"interrupt\": false},\n" \
	"          {\"at_ns\": 2000, \"ns\": 8450, " CAT ",\n" \
	"          {\"at_ns\": 10450, \"ns\": 1050, \"state\": \"runnable\", \"cpu\": 1, \"who\": \"irq 9: \\u0001\", \"pid\": 77, \"prio\": 0, \"interrupt\": true},\n" \
	"          {\"at_ns\": 11500, \"ns\": 500, \"state\": \"unknown\", \"cpu\": -1, \"who\": \"unknown\", \"pid\": -1, \"prio\": -1, \"interrupt\": false}]\n" \
	"      }\n    },\n"

static void test_json_analysis(void **state)
{
	(void)state;
	new_broken_run("-b29 --break-on=total --trace");
	analyse();
	assert_json(JSON_HEAD("total", "29000", "30000")
		    JSON_ANALYSIS("9500"));
	analysis.running_ns = -1;
	analysis.waking_ns = -1;
	assert_json(JSON_HEAD("total", "29000", "30000")
		    JSON_ANALYSIS("null"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_break),
		cmocka_unit_test(test_break_on),
		cmocka_unit_test(test_break_in_ramp),
		cmocka_unit_test(test_no_analysis),
		cmocka_unit_test(test_analysis),
		cmocka_unit_test(test_long_time_line),
		cmocka_unit_test(test_trace),
		cmocka_unit_test(test_trace_without_events),
		cmocka_unit_test(test_trace_of_closed_loop),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_json_analysis),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	drop_ramp();
	return failed;
}
