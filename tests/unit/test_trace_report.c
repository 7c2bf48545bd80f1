// SPDX-License-Identifier: GPL-2.0-or-later
/* What is printed and written of the trace of a run. */
#include "clocks.h"
#include "json.h"
#include "trace_part.h"

static void trace_text(FILE *file, const struct tw_run *run)
{
	assert_int_equal(tw_part_trace.result->write(run, file), 0);
}

static void test_text(void **state)
{
	(void)state;
	break_run("-b9 --trace --trace-file=f");
	assert_string_equal(written(tw_part_trace.text),
		"# Cause: it was \"cat\"\n"
		"# Time line of send: 0.0 us, on average 0.0\n"
		"#      at us     for us  CPU  server             who had the CPU\n"
		"# Trace: f\n");
	/* The first cycle: there is no average yet. */
	pair.brk->number = 0;
	assert_non_null(strstr(written(tw_part_trace.text),
			       " 0.0 us, on average -\n"));
	tw_part_trace.close(&session.run);
	world.found.lacks = "the trace lost events";
	break_run("-b9 --trace");
	assert_string_equal(written(tw_part_trace.text),
		"# Cause: unknown, as the trace lost events\n"
		"# Trace: twowaytest-trace.txt\n");
}

static void json_break(struct tw_json *json, const struct tw_run *run)
{
	(void)run;
	pair.brk->json(json, pair.brk);
}

static void check_json(const char *line, int mark_err, const char *want)
{
	const char *text;

	break_run(line);
	pair.brk->mark_err = mark_err;
	text = written_json(json_break);
	assert_members(text);
	assert_string_equal(text, want);
	tw_part_trace.close(&session.run);
}

#define JSON(marked, file) \
	"    \"marked\": " marked ",\n" \
	"    \"trace_file\": " file ",\n" \
	"    \"analysis\": "

static void test_json(void **state)
{
	(void)state;
	/* There was nothing to mark ... */
	check_json("-b9", 0, JSON("false", "null") "null\n");
	/* ... or there was, and it could not be done, or it could. */
	check_json("-b9 --tracemark", -EBADF, JSON("false", "null") "null\n");
	check_json("-b9 --tracemark", 0, JSON("true", "null") "null\n");
	world.found.lacks = "the trace lost events";
	check_json("-b9 --trace --trace-file=a\"b", 0,
		   JSON("true", "\"a\\\"b\"") "null\n");
	world.found.lacks = NULL;
	check_json("-b9 --trace --trace-file=f", 0, JSON("true", "\"f\"") "{\n"
		   "      \"phase\": \"send\",\n"
		   "      \"side\": \"server\",\n"
		   "      \"pid\": 0,\n"
		   "      \"ns\": 0,\n"
		   "      \"mean_ns\": 0.0,\n"
		   "      \"wakeup_ns\": null,\n"
		   "      \"cause\": \"it was \\\"cat\\\"\",\n"
		   "      \"contributors\": [],\n"
		   "      \"timeline\": []\n"
		   "    }\n");
	/* None was read. */
	world.collect_err = -EIO;
	check_json("-b9 --trace --trace-file=f", 0,
		   JSON("true", "null") "null\n");
	/* Also in the object itself. */
	break_run("-b9 --trace");
	assert_non_null(strstr(written_json(tw_part_break.json),
			       "      \"marked\": true,\n"));
}

#define LINE(cpu, time) \
	"            cat-77      [00" #cpu "] d..1.   " time \
	": local_timer_entry: vector=236\n"

/* Each stamp is among the events where its time is; headers stay first. */
static void test_file(void **state)
{
	(void)state;
	world.collects = "# tracer: nop\n"
		"#\n"
		LINE(1, "6.002999") LINE(1, "6.003002") LINE(1, "6.003014")
		"CPU:1 [LOST 3 EVENTS]\n"
		LINE(0, "6.003115") LINE(0, "6.003140");
	break_run("-b29 --trace");
	/* The measuring clock was 6 s behind, so to speak. */
	pair.brk->ahead_ns = INT64_C(-6000000000);
	pair.brk->kept.cycle.t0_ns = 3002001;
	pair.brk->number = 4711;
	assert_true(has_trace());
	assert_string_equal(written(trace_text),
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
static void test_file_without_events(void **state)
{
	(void)state;
	world.collects = "# tracer: nop\n";
	break_run("-b29 --trace");
	pair.brk->ahead_ns = 0;
	assert_string_equal(written(trace_text),
		"# tracer: nop\n"
		"# 0.003000000: twowaytest: cycle 1: planned: the timer is to expire\n"
		"# 0.003002000: twowaytest: cycle 1: t0: the client is awake, about to send\n"
		"# 0.003014000: twowaytest: cycle 1: t1: the server has read the request\n"
		"# 0.003120000: twowaytest: cycle 1: t2: the server has slept, about to reply\n"
		"# 0.003130000: twowaytest: cycle 1: t3: the client has read the reply\n");
}

/* There is no timer then, and nothing that was planned. */
static void test_file_of_closed_loop(void **state)
{
	const char *text;

	(void)state;
	world.collects = "";
	break_run("-i0 -b9 --trace");
	pair.brk->ahead_ns = 0;
	pair.brk->kept.cycle.planned_ns = pair.brk->kept.cycle.t0_ns;
	text = written(trace_text);
	assert_null(strstr(text, "planned"));
	assert_int_equal(strncmp(text, "# 0.003002000: twowaytest: cycle 1: t0: ",
				 40), 0);
}

/* The server's stamps are of no time that the trace knows. */
static void test_file_of_two_clocks(void **state)
{
	(void)state;
	world.collects = "";
	use_clocks(2);
	break_run("-b29 --trace");
	use_clocks(1);
	pair.brk->ahead_ns = 0;
	pair.brk->kept.cycle = on_two_clocks(&run_cycles[1], 0);
	assert_string_equal(written(trace_text),
		"# 0.003000000: twowaytest: cycle 1: planned: the timer is to expire\n"
		"# 0.003002000: twowaytest: cycle 1: t0: the client is awake, about to send\n"
		"# 0.003130000: twowaytest: cycle 1: t3: the client has read the reply\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCRIPTED(test_text),
		SCRIPTED(test_json),
		SCRIPTED(test_file),
		SCRIPTED(test_file_without_events),
		SCRIPTED(test_file_of_closed_loop),
		SCRIPTED(test_file_of_two_clocks),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	drop_run();
	return failed;
}
