// SPDX-License-Identifier: GPL-2.0-or-later
/* A ramp of pairs: the words of --orb, and what is told of each step. */
#include "report.h"
#include "load/tw_load_report.h"
#include "load/tw_part_load.h"
#include "result/tw_part_result.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))
#define STEPS		3

/* Pair k of step s; a step has one more than the one before. */
static struct tw_pair grown[STEPS][STEPS];

static void drop_grown(void)
{
	int step, k;

	for (step = 0; step < STEPS; step++)
		for (k = 0; k < STEPS; k++) {
			free(grown[step][k].tally);
			grown[step][k].tally = NULL;
		}
	drop_run();
}

/* So many steps, with no cycle yet. */
static void new_ramp(const char *line, int done)
{
	const struct tw_metric_params params = {
		.period_ns = 1000000, .sleep_ns = 100000,
	};
	int step, k;

	drop_grown();
	new_run(line);
	for (step = 0; step < done; step++) {
		steps[step].count = step + 1;
		for (k = 0; k <= step; k++) {
			struct tw_pair *new = &grown[step][k];

			new->number = k;
			new->tally = calloc(1, tw_tally_size(0));
			assert_non_null(new->tally);
			tw_tally_init(new->tally, &params, 0);
			steps[step].pair[k] = new;
		}
	}
	session.steps_done = done;
	session.pairs = &steps[done - 1];
	session.run.step = done - 1;
}

static void measure(int step, int k, int which, int64_t late_ns)
{
	struct tw_cycle cycle = run_cycles[which];

	cycle.t3_ns += late_ns;
	cycle.inversions = (uint32_t)(10 * step + which + 1);
	tw_tally_add(grown[step][k].tally, &cycle);
}

#define RAMP	"--ramp=pairs --steps=3 -l5 -d0"

static void test_options(void **state)
{
	struct tw_config parsed;
	int k;

	(void)state;
	parsed = accepted("");
	assert_false(parsed.ramp_of_pairs);
	assert_int_equal(tw_config_pairs_in(&parsed, 0), 1);
	parsed = accepted("-t3 --ramp=load");
	assert_false(parsed.ramp_of_pairs);
	assert_int_equal(tw_config_pairs_in(&parsed, 0), 3);
	assert_int_equal(tw_config_pairs_in(&parsed, 2), 3);
	parsed = accepted("--steps=7 --ramp=pairs -D5");
	assert_true(parsed.ramp_of_pairs);
	assert_int_equal(parsed.pairs.count, 7);
	for (k = 0; k < 7; k++)
		assert_int_equal(tw_config_pairs_in(&parsed, k), k + 1);
	parsed = accepted("--ramp=pairs --ramp=load -t2");
	assert_false(parsed.ramp_of_pairs);
	assert_int_equal(parsed.pairs.count, 2);
	assert_false(accepted("-q").ramp_of_pairs);
}

static void test_refused(void **state)
{
	static const struct { const char *line, *want; } rows[] = {
		{ "--ramp=up", "--ramp=up: allowed is one of load, pairs" },
		{ "--ramp=pairs", "--ramp=pairs: there is one step only; give --steps=N, for 1 to N pairs" },
		{ "--ramp=pairs --steps=1", "--ramp=pairs: there is one step only; give --steps=N, for 1 to N pairs" },
		{ "--ramp=pairs --steps=2", "--steps=2: a step must have an end; give --loops or --duration" },
		{ "--ramp=pairs --steps=2 -t2 -l5", "--threads: contradicts --ramp=pairs, where --steps sets the number of pairs; leave it out" },
		{ "-S --ramp=pairs --steps=2 -l5", "-S: contradicts --ramp=pairs, where --steps sets the number of pairs; give -a instead" },
		{ "--ramp=pairs --steps=257 -l5", "--steps=257: with --ramp=pairs, allowed are up to 256" },
		{ "--orb=0", "--orb=0: allowed is a whole number from 1 to 95" },
		{ "--orb=96", "--orb=96: allowed is a whole number from 1 to 95" },
		{ "--orb -t4", "--threads: contradicts --ramp=pairs, where --steps sets the number of pairs; leave it out" },
		{ "--orb --ramp=load -i5000", "--steps=9: a ramp needs a load; give --load too" },
		{ "--orb --ramp=load", "--interval: has 2 values for 1 pair; allowed is one for each pair, and the last is also that of the pairs after it; see --threads" },
		{ "--orb -D0", "--steps=9: a step must have an end; give --loops or --duration" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++)
		refused(rows[i].line, rows[i].want);
}

static void assert_orb(const char *line, int pairs)
{
	const struct tw_config parsed = accepted(line);
	int k;

	assert_true(parsed.mlockall);
	assert_int_equal(parsed.priority, 98);
	assert_int_equal(parsed.policy, SCHED_FIFO);
	assert_int_equal(parsed.affinity, TW_PLAN);
	assert_int_equal(tw_config_interval_us(&parsed, 0), 50000);
	for (k = 1; k < pairs; k++)
		assert_int_equal(tw_config_interval_us(&parsed, k), 100000);
	assert_true(parsed.pairs.priospread);
	assert_true(parsed.serving.one);
	assert_true(parsed.ramp_of_pairs);
	assert_int_equal(parsed.duration_s, 60);
	assert_int_equal(parsed.loops, 0);
	assert_int_equal(parsed.pairs.count, pairs);
	assert_int_equal(parse_run.steps, pairs);
}

static void test_orb(void **state)
{
	(void)state;
	assert_orb("--orb", 9);
	assert_orb("--orb=1", 2);
	assert_orb("--orb=20", 21);
	assert_orb("--orb=3 --orb=4", 5);
	/* What comes before it does not stand. */
	assert_orb("-p50 -i700 -D9 --servers=each --ramp=load --steps=3 --orb",
		   9);
}

/* Later options do. */
static void test_orb_overridden(void **state)
{
	struct tw_config parsed;

	(void)state;
	parsed = accepted("--orb -p50 -i700 -D9 -l77 --servers=each --steps=3");
	assert_int_equal(parsed.priority, 50);
	assert_int_equal(tw_config_interval_us(&parsed, 0), 700);
	assert_int_equal(tw_config_interval_us(&parsed, 2), 1700);
	assert_int_equal(parsed.duration_s, 9);
	assert_int_equal(parsed.loops, 77);
	assert_false(parsed.serving.one);
	assert_int_equal(parsed.pairs.count, 3);
	assert_true(parsed.mlockall);
	parsed = accepted("--orb --ramp=load --load=fft -t2");
	assert_false(parsed.ramp_of_pairs);
	assert_int_equal(parsed.pairs.count, 2);
	assert_int_equal(parse_run.steps, 9);
}

/* What has been written when begin() returns: the reader waits for it. */
static void assert_begins(const char *line, int step, const char *want)
{
	struct tw_flow *flow = &session.run.output.text.flow;
	char *text = NULL;
	size_t size;

	new_ramp(line, 1);
	session.run.step = step;
	flow->stream = open_memstream(&text, &size);
	assert_non_null(flow->stream);
	fflush(flow->stream);
	assert_int_equal(tw_part_ramp.begin(&session.run), 0);
	/* Only what is pushed makes it longer. */
	assert_int_equal(size, strlen(want));
	assert_string_equal(text, want);
	assert_int_equal(fclose(flow->stream), 0);
	flow->stream = NULL;
	free(text);
}

static void test_begin(void **state)
{
	(void)state;
	assert_begins(RAMP, 0, "# Step 1/3: 0 other clients\n");
	assert_begins(RAMP, 1, "# Step 2/3: 1 other client\n");
	assert_begins(RAMP, 2, "# Step 3/3: 2 other clients\n");
	assert_begins("-t2", 0, "");
	assert_begins("--load=fft --steps=2 -l5", 1, "");
}

#define HEADER(unit) \
	"# Pair 0 against the number of other clients, in " unit "; the others: the one whose response took longest\n" \
	"#                          response                      total         response of others                    \n" \
	"# others      min      avg      max      min      avg      max      min      avg      max inversions   missed\n"
#define ONE \
	"#      0      128      131      135       30       34       39        -        -        -          3        2\n"
#define TWO \
	"#      1      145      145      145       49       49       49      130      135      141         11        2\n"

/* Pair 0 alone with both cycles; then one of them, 10 us later, beside 1. */
static void grow(const char *line, int done)
{
	new_ramp(line, done);
	measure(0, 0, 0, 0);
	measure(0, 0, 1, 0);
	if (done < 2)
		return;
	measure(1, 0, 0, 10000);
	measure(1, 1, 0, 6000);
	measure(1, 1, 1, 2000);
}

static void test_table(void **state)
{
	(void)state;
	grow(RAMP, 1);
	assert_string_equal(written(tw_part_ramp.text), HEADER("us") ONE);
	grow(RAMP, 2);
	assert_string_equal(written(tw_part_ramp.text), HEADER("us") ONE TWO);
	new_ramp("--ramp=load -t2", 1);
	assert_string_equal(written(tw_part_ramp.text), "");
}

static void test_nanoseconds(void **state)
{
	(void)state;
	grow(RAMP " -N", 2);
	assert_string_equal(written(tw_part_ramp.text),
		HEADER("ns")
		"#      0   128000   131500   135000    30000    34500    39000        -        -        -          3        2\n"
		"#      1   145000   145000   145000    49000    49000    49000   130000   135500   141000         11        2\n");
}

/* Of the others, the one that took longest, wherever it stands. */
static void test_worst_other(void **state)
{
	int worst;

	(void)state;
	for (worst = 1; worst < STEPS; worst++) {
		grow(RAMP, 3);
		/* The first does not count, though it took longest of all. */
		measure(2, 0, 0, 90000);
		measure(2, worst, 0, 7000);
		measure(2, STEPS - worst, 0, 6000);
		measure(2, STEPS - worst, 0, 6000);
		assert_string_equal(written(tw_part_ramp.text),
			HEADER("us") ONE TWO
			"#      2      225      225      225      129      129      129      142      142      142         21        0\n");
	}
	/* One that has no cycle is not the worst, nor is its the best. */
	grow(RAMP, 3);
	measure(2, 2, 0, 7000);
	contains(written(tw_part_ramp.text),
		"#      2        -        -        -        -        -        -      142      142      142          0        0\n");
	grow(RAMP, 3);
	measure(2, 0, 1, 0);
	contains(written(tw_part_ramp.text),
		"#      2      128      128      128       30       30       30        -        -        -         22        2\n");
}

static void test_json_settings(void **state)
{
	(void)state;
	new_run("-t2");
	assert_string_equal(written_json(tw_part_ramp.json_settings),
			    "    \"ramp\": \"load\"\n");
	new_run(RAMP);
	assert_string_equal(written_json(tw_part_ramp.json_settings),
			    "    \"ramp\": \"pairs\"\n");
}

/* The display counts the pairs of the step; the load stays as it is. */
static void assert_progress(const char *line, int step, const char *want)
{
	const char *text;

	new_ramp(line, step + 1);
	text = tw_load_progress_text(&session.run);
	assert_int_equal(strncmp(text, want, strlen(want)), 0);
	text += strlen(want);
	assert_int_equal(text[strspn(text, " ")], '\0');
}

static void test_progress(void **state)
{
	(void)state;
	assert_progress("--ramp=pairs --steps=3 -l101 -d0 -i1000000", 0,
			"step: 1/3: 1 pair: 101 s left");
	assert_progress("--ramp=pairs --steps=3 -l101 -d0 -i1000000", 2,
			"step: 3/3: 3 pairs: 101 s left");
	assert_progress("--ramp=pairs --steps=3 -l101 -i1000000 --load=fft:5",
			1, "step: 2/3: 2 pairs: 101 s left");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_orb),
		cmocka_unit_test(test_orb_overridden),
		cmocka_unit_test(test_begin),
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_nanoseconds),
		cmocka_unit_test(test_worst_other),
		cmocka_unit_test(test_json_settings),
		cmocka_unit_test(test_progress),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	drop_grown();
	return failed;
}
