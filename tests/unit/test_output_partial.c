// SPDX-License-Identifier: GPL-2.0-or-later
/* The JSON that a long run writes so far. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report.h"
#include "tw_output.h"

static char home[] = "/tmp/test_output_partial.XXXXXX";
static struct tw_output output;
static struct tw_watch watch;

static int enter(void **state)
{
	(void)state;
	strcpy(home + sizeof(home) - 7, "XXXXXX");
	return !mkdtemp(home) || chdir(home);
}

static int leave(void **state)
{
	(void)state;
	tw_output_close(&output);
	unlink("json");
	return chdir("/") || rmdir(home);
}

static void begin(void)
{
	report.session = &session;
	assert_int_equal(tw_output_open(&output, &report), 0);
	tw_output_watch(&output, &watch);
}

static void tick(void)
{
	assert_non_null(watch.tick);
	assert_int_equal(watch.tick(watch.arg), 0);
}

static bool is_there(const char *name)
{
	return !access(name, F_OK);
}

/* Until the next call. */
static const char *content(const char *name)
{
	static char text[200000];
	FILE *file = fopen(name, "r");
	size_t len;

	assert_non_null(file);
	len = fread(text, 1, sizeof(text) - 1, file);
	assert_int_equal(fclose(file), 0);
	text[len] = '\0';
	return text;
}

static void assert_holds(const char *text, const char *what)
{
	if (!strstr(text, what))
		fail_msg("\"%s\" is not in: %s", what, text ? text : "");
}

/* Which runs have one. */
static void test_long_runs(void **state)
{
	static const struct {
		const char *line;
		bool has;
	} runs[] = {
		{ "-q --json=json", true },
		{ "-q --json=json -D 121", true },
		{ "-q --json=json -D 120", false },
		{ "-q --json=json -D 1h -l 100", false },
		{ "-q --json=json -l 120001 -i 1000", true },
		{ "-q --json=json -l 120000 -i 1000", false },
		{ "-q --json=json -i 0 --sleep=500 -l 240001", true },
		{ "-q --json=json -D 61 --steps=2 --load=fft", true },
		{ "-q --json=json -D 60 --steps=2 --load=fft", false },
		{ "-q --json=/dev/null", false },
		{ "-q", false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		new_run(runs[i].line);
		begin();
		if ((output.partial_ms == 60000) != runs[i].has)
			fail_msg("%s", runs[i].line);
		/* Nothing else keeps main awake. */
		assert_int_equal(watch.tick_ms, output.partial_ms);
		assert_true(!!watch.tick == runs[i].has);
		tw_output_close(&output);
	}
}

static void test_written(void **state)
{
	const char *text;

	(void)state;
	new_finished_run("-q --json=json");
	begin();
	/* A minute has not passed. */
	tick();
	assert_false(is_there("json.partial"));
	output.partial_ns = 0;
	tick();
	assert_false(is_there("json"));
	text = content("json.partial");
	assert_holds(text, "    \"partial\": true,\n");
	assert_holds(text, "  \"return_code\": 1,\n");
	assert_holds(text, "    \"cycles\": 2,\n");
	assert_holds(text, "    \"error\": \"these are partial results: the test had not ended when they were written\"\n");
	/* The next is due in a minute, and replaces it. */
	tw_tally_add(pair.tally, &run_cycles[1]);
	tick();
	assert_holds(content("json.partial"), "    \"cycles\": 2,\n");
	output.partial_ns = 0;
	tick();
	assert_holds(content("json.partial"), "    \"cycles\": 3,\n");
	/* What is reported in the end is not touched by it. */
	assert_false(report.partial);
	assert_int_equal(report.return_code, 0);
	assert_ptr_equal(session.pair, &pair);
	assert_int_equal(pair.tally->cycles, 3);

	fputs("{}\n", output.json.flow.stream);
	assert_int_equal(tw_file_commit(&output.json, -1), 0);
	assert_false(is_there("json.partial"));
	assert_string_equal(content("json"), "{}\n");
}

/* The whole of the ramp, of which one step is over. */
static void test_ramp(void **state)
{
	(void)state;
	new_finished_run("-q --json=json --load=fft --steps=2 -D 3600");
	steps[1].pair = &pair;
	session.steps_done = 2;
	session.step = 1;
	begin();
	output.partial_ns = 0;
	tick();
	assert_holds(content("json.partial"), "    \"cycles\": 4,\n");
	unlink("json.partial");
}

/* Nothing measured yet, or nowhere to write to: the run goes on. */
static void test_not_written(void **state)
{
	(void)state;
	new_run("-q --json=json");
	begin();
	output.partial_ns = 0;
	tick();
	assert_false(is_there("json.partial"));
	tw_output_close(&output);

	new_finished_run("-q --json=json");
	begin();
	assert_int_equal(mkdir("json.partial", 0700), 0);
	output.partial_ns = 0;
	tick();
	assert_int_equal(output.err, 0);
	/* What is not ours is not removed. */
	assert_int_equal(tw_file_commit(&output.json, -1), 0);
	assert_int_equal(rmdir("json.partial"), 0);
}

/* A killed run's, of which a short one knows nothing. */
static void test_short_run(void **state)
{
	FILE *old = fopen("json.partial", "w");

	(void)state;
	assert_non_null(old);
	fclose(old);
	new_finished_run("-q --json=json -l 2");
	begin();
	assert_int_equal(tw_file_commit(&output.json, -1), 0);
	assert_true(is_there("json.partial"));
	unlink("json.partial");
}

#define IN_HOME(test) cmocka_unit_test_setup_teardown(test, enter, leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_HOME(test_long_runs),
		IN_HOME(test_written),
		IN_HOME(test_ramp),
		IN_HOME(test_not_written),
		IN_HOME(test_short_run),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	drop_run();
	return failed;
}
