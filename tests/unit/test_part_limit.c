// SPDX-License-Identifier: GPL-2.0-or-later
/* --limit: the verdicts, to the letter. */
#include "json.h"
#include "report_ramp.h"
#include "result/tw_part_result.h"

#define ALL \
	"--limit=response:135 --limit=response:134 --limit=total:p50:40 " \
	"--limit=missed:1 --limit=missed:2 --limit=receive:10 " \
	"--limit=throttled:1"

static void test_lines(void **state)
{
	static const char want[] =
		"# Limit response:135: met: 135.000 us in cycle 0\n"
		"# Limit response:134: exceeded: 135.000 us in cycle 0\n"
		"# Limit total:p50:40: undecided: 2 cycles, needed are 20\n"
		"# Limit missed:1: exceeded: 2\n"
		"# Limit missed:2: met: 2\n"
		"# Limit receive:10: met: 10.000 us in cycle 1\n"
		"# Limit throttled:1: met: 0\n";

	(void)state;
	new_finished_run(ALL);
	assert_string_equal(written(tw_part_limit.text), want);
	/* A limit is in us, and so is what is held against it. */
	new_finished_run("-N " ALL);
	assert_string_equal(written(tw_part_limit.text), want);
}

/* 20 cycles decide about a median; it has no cycle of its own. */
static void test_percentile(void **state)
{
	int i;

	(void)state;
	new_run("--limit=send:p50:10 --limit=send:p50:11 --limit=send:10 --limit=send:avg:10 --limit=send:p90:11");
	for (i = 0; i < 20; i++)
		tw_tally_add(pair.tally, &run_cycles[0]);
	assert_string_equal(written(tw_part_limit.text),
		"# Limit send:p50:10: exceeded: 10.500 us\n"
		"# Limit send:p50:11: met: 10.500 us\n"
		"# Limit send:10: exceeded: 10.500 us in cycle 0\n"
		"# Limit send:avg:10: exceeded: 10.500 us\n"
		"# Limit send:p90:11: undecided: 20 cycles, needed are 100\n");
}

/* The client counts what is above a percentile's limit, in every step. */
static void test_marks(void **state)
{
	const struct tw_series *series;

	(void)state;
	new_ramp("--load=fft --steps=2 -l90 --limit=total:9 --limit=send:p50:11 --limit=missed:1 --limit=send:avg:5");
	finish_ramp();
	series = &second.tally->series;
	assert_int_equal(series->mark_count, 1);
	assert_int_equal(series->marks[0].row, TW_SEND);
	assert_int_equal(series->marks[0].bound_ns, 11000);
	assert_int_equal(series->marks[0].above, 0);
	assert_int_equal(merged.tally->series.marks[0].above, 1);
}

static void test_nothing(void **state)
{
	(void)state;
	new_finished_run("");
	assert_string_equal(written(tw_part_limit.text), "");
	assert_false(tw_part_limit.exceeded(&session.run));
	assert_string_equal(written_json(tw_part_limit.json),
			    "    \"limits\": []\n");
	/* Nothing measured is nothing shown. */
	new_run("--limit=missed:9 --limit=total:9");
	assert_string_equal(written(tw_part_limit.text),
		"# Limit missed:9: undecided: 0 cycles, needed are 1\n"
		"# Limit total:9: undecided: 0 cycles, needed are 1\n");
	assert_true(tw_part_limit.exceeded(&session.run));
}

/* One that is not met, wherever it stands, is enough. */
static void test_within(void **state)
{
	static const struct { const char *line; bool within; } rows[] = {
		{ "--limit=total:39", true },
		{ "--limit=total:38", false },
		{ "--limit=missed:2 --limit=total:39", true },
		{ "--limit=missed:1 --limit=total:39", false },
		{ "--limit=total:39 --limit=missed:1", false },
		{ "--limit=total:p50:9999", false },
		{ "--limit=total:39 --limit=total:p50:9999 --limit=send:99",
		  false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		new_finished_run(rows[i].line);
		assert_int_equal(tw_part_limit.exceeded(&session.run),
				 !rows[i].within);
	}
}

/* What a signal or a failure ended has only shown what is exceeded. */
static void test_cut_short(void **state)
{
	static const char want[] =
		"# Limit total:39: undecided: the run was ended before it was complete; so far 39.000 us in cycle 0\n"
		"# Limit total:38: exceeded: 39.000 us in cycle 0\n"
		"# Limit missed:2: undecided: the run was ended before it was complete; so far 2\n"
		"# Limit total:p50:9: undecided: 2 cycles, needed are 20\n";
	static const char *const lines[] = { "-l50", "-D5", "-l50 -D5" };
	char line[200];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		snprintf(line, sizeof(line), "%s --limit=total:39", lines[i]);
		new_finished_run(line);
		assert_false(tw_part_limit.exceeded(&session.run));
		session.run.interrupted = SIGTERM;
		assert_true(tw_part_limit.exceeded(&session.run));
		new_finished_run("-l50 --limit=total:39 --limit=total:38 --limit=missed:2 --limit=total:p50:9");
		session.run.interrupted = SIGINT;
		assert_string_equal(written(tw_part_limit.text), want);
	}
	/* There is no other end than a signal. */
	new_finished_run("--limit=total:39");
	session.run.interrupted = SIGINT;
	assert_false(tw_part_limit.exceeded(&session.run));
	assert_string_equal(written(tw_part_limit.text),
			    "# Limit total:39: met: 39.000 us in cycle 0\n");
	/* A side that died. */
	session.run.interrupted = 0;
	tw_fail(&session.run, -ECONNRESET, "the client stopped");
	assert_true(tw_part_limit.exceeded(&session.run));
	assert_string_equal(written_json(tw_part_limit.json),
		"    \"limits\": [\n"
		"      {\"limit\": \"total:39\", \"metric\": \"total\", \"percentile\": null, \"most_ns\": 39000, \"value_ns\": null, \"pair\": 0, \"verdict\": \"undecided\"}\n"
		"    ]\n");
}

/* Where a maximum was: steps are numbered as their own lines are, from 1. */
static void test_step_of_maximum(void **state)
{
	struct tw_cycle slow = run_cycles[1];

	(void)state;
	new_ramp("--load=fft --steps=2 -l5 --limit=send:12 --limit=sleep:107");
	slow.t2_ns += 50000;
	tw_tally_add(second.tally, &slow);
	finish_ramp();
	assert_string_equal(written(tw_part_limit.text),
		"# Limit send:12: met: 12.000 us in step 1, cycle 1\n"
		"# Limit sleep:107: exceeded: 156.000 us in step 2, cycle 1\n");
}

/* All steps together. */
static void test_ramp(void **state)
{
	(void)state;
	new_ramp("--load=fft --steps=2 -l10 --limit=missed:2 --limit=send:p50:99");
	second.tally->missed = 1;
	finish_ramp();
	assert_string_equal(written(tw_part_limit.text),
		"# Limit missed:2: exceeded: 3\n"
		"# Limit send:p50:99: undecided: 3 cycles, needed are 20\n");
}

static void test_json(void **state)
{
	const char *text;
	int i;

	(void)state;
	new_finished_run(ALL " --limit=planned:p12.5:130");
	for (i = 0; i < 13; i++)
		tw_tally_add(pair.tally, &run_cycles[1]);
	text = written_json(tw_part_limit.json);
	assert_members(text);
	assert_string_equal(text,
		"    \"limits\": [\n"
		"      {\"limit\": \"response:135\", \"metric\": \"response\", \"percentile\": null, \"most_ns\": 135000, \"value_ns\": 135000, \"pair\": 0, \"verdict\": \"met\"},\n"
		"      {\"limit\": \"response:134\", \"metric\": \"response\", \"percentile\": null, \"most_ns\": 134000, \"value_ns\": 135000, \"pair\": 0, \"verdict\": \"exceeded\"},\n"
		"      {\"limit\": \"total:p50:40\", \"metric\": \"total\", \"percentile\": 50, \"most_ns\": 40000, \"value_ns\": null, \"pair\": 0, \"verdict\": \"undecided\"},\n"
		"      {\"limit\": \"missed:1\", \"metric\": \"missed\", \"percentile\": null, \"most\": 1, \"value\": 28, \"pair\": 0, \"verdict\": \"exceeded\"},\n"
		"      {\"limit\": \"missed:2\", \"metric\": \"missed\", \"percentile\": null, \"most\": 2, \"value\": 28, \"pair\": 0, \"verdict\": \"exceeded\"},\n"
		"      {\"limit\": \"receive:10\", \"metric\": \"receive\", \"percentile\": null, \"most_ns\": 10000, \"value_ns\": 10000, \"pair\": 0, \"verdict\": \"met\"},\n"
		"      {\"limit\": \"throttled:1\", \"metric\": \"throttled\", \"percentile\": null, \"most\": 1, \"value\": 0, \"pair\": 0, \"verdict\": \"met\"},\n"
		"      {\"limit\": \"planned:p12.5:130\", \"metric\": \"planned\", \"percentile\": 12.5, \"most_ns\": 130000, \"value_ns\": 130000, \"pair\": 0, \"verdict\": \"met\"}\n"
		"    ]\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_percentile),
		cmocka_unit_test(test_marks),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_within),
		cmocka_unit_test(test_cut_short),
		cmocka_unit_test(test_step_of_maximum),
		cmocka_unit_test(test_ramp),
		cmocka_unit_test(test_json),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	drop_ramp();
	return failed;
}
