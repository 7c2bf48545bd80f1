// SPDX-License-Identifier: GPL-2.0-or-later
/* The JSON that a long run writes so far. */
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "report.h"
#include "base/tw_time.h"

#define MINUTE_NS	(60 * TW_NS_PER_S)

static char home[] = "/tmp/test_part_json_partial.XXXXXX";
static int64_t ahead_ns;

/* Time passes as the test wants it to. */
int clock_gettime(clockid_t clockid, struct timespec *ts)
{
	int err = (int)syscall(SYS_clock_gettime, clockid, ts);

	*ts = tw_ns_to_ts(tw_ts_to_ns(ts) + ahead_ns);
	return err;
}

static int enter(void **state)
{
	(void)state;
	strcpy(home + sizeof(home) - 7, "XXXXXX");
	return !mkdtemp(home) || chdir(home);
}

static int leave(void **state)
{
	(void)state;
	tw_output_close(&session.run);
	unlink("json");
	return chdir("/") || rmdir(home);
}

static void begin(void)
{
	assert_int_equal(tw_output_open(&session.run), 0);
	assert_int_equal(tw_part_json.open(&session.run), 0);
}

static void tick(void)
{
	assert_int_equal(tw_part_json.tick(&session.run), 0);
}

static struct tw_file *json_file(void)
{
	return tw_part_json.result->file;
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
		/* Nothing else keeps main awake. */
		if (session.run.tick_ms != (runs[i].has ? 60000 : 0))
			fail_msg("%s", runs[i].line);
		tw_output_close(&session.run);
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
	ahead_ns += MINUTE_NS - 10 * TW_NS_PER_S;
	tick();
	assert_false(is_there("json.partial"));
	ahead_ns += 10 * TW_NS_PER_S;
	tick();
	assert_false(is_there("json"));
	text = content("json.partial");
	assert_holds(text, "    \"partial\": true,\n");
	assert_holds(text, "  \"return_code\": 1,\n");
	assert_holds(text, "    \"cycles\": 2,\n");
	assert_holds(text, "    \"error\": \"these are partial results: the test had not ended when they were written\"\n");
	/* The next is due in a minute or a little less, and replaces it. */
	tw_tally_add(pair.tally, &run_cycles[1]);
	ahead_ns += MINUTE_NS / 2;
	tick();
	assert_holds(content("json.partial"), "    \"cycles\": 2,\n");
	ahead_ns += MINUTE_NS / 2;
	tick();
	assert_holds(content("json.partial"), "    \"cycles\": 3,\n");
	/* What is reported in the end is not touched by it. */
	assert_false(session.run.partial);
	assert_int_equal(session.run.return_code, 0);
	assert_ptr_equal(session.pairs, &steps[0]);
	assert_int_equal(pair.tally->cycles, 3);

	fputs("{}\n", json_file()->flow.stream);
	assert_int_equal(tw_file_commit(json_file(), -1), 0);
	assert_false(is_there("json.partial"));
	assert_string_equal(content("json"), "{}\n");
}

/* The whole of the ramp, of which one step is over. */
static void test_ramp(void **state)
{
	(void)state;
	new_finished_run("-q --json=json --load=fft --steps=2 -D 3600");
	steps[1] = steps[0];
	session.steps_done = 2;
	session.run.step = 1;
	begin();
	ahead_ns += MINUTE_NS;
	tick();
	assert_holds(content("json.partial"), "    \"cycles\": 4,\n");
	unlink("json.partial");
}

/* Each pair, with what it has so far; the pairs of the run go on. */
static void test_pairs(void **state)
{
	const char *text;

	(void)state;
	new_finished_run("-t2 -d0 -q --json=json --metrics=total");
	measure_late(1, 1, 1000);
	begin();
	ahead_ns += MINUTE_NS;
	tick();
	text = content("json.partial");
	assert_holds(text, "    \"partial\": true,\n");
	assert_holds(text, "    \"cycles\": 5,\n");
	assert_holds(text, "        \"pair\": 0,\n");
	assert_holds(text, "        \"cycles\": 2,\n");
	assert_holds(text, "        \"pair\": 1,\n");
	assert_holds(text, "        \"cycles\": 3,\n");
	assert_null(strstr(text, "\"pair\": 2"));
	measure_late(0, 1, 0);
	ahead_ns += MINUTE_NS;
	tick();
	text = content("json.partial");
	assert_holds(text, "    \"cycles\": 6,\n");
	assert_ptr_equal(session.pairs, &steps[0]);
	assert_int_equal(session.pairs->count, 2);
	assert_ptr_equal(tw_session_pair(&session, 1), run_pair(1));
	assert_int_equal(session.merged.count, 0);
	unlink("json.partial");
}

/* Nothing measured yet, or nowhere to write to: the run goes on. */
static void test_not_written(void **state)
{
	(void)state;
	new_run("-q --json=json");
	begin();
	ahead_ns += MINUTE_NS;
	tick();
	assert_false(is_there("json.partial"));
	tw_output_close(&session.run);

	new_finished_run("-q --json=json");
	begin();
	assert_int_equal(mkdir("json.partial", 0700), 0);
	ahead_ns += MINUTE_NS;
	tick();
	assert_int_equal(session.run.output.err, 0);
	/* What is not ours is not removed. */
	assert_int_equal(tw_file_commit(json_file(), -1), 0);
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
	assert_int_equal(tw_file_commit(json_file(), -1), 0);
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
		IN_HOME(test_pairs),
		IN_HOME(test_not_written),
		IN_HOME(test_short_run),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	drop_run();
	return failed;
}
