// SPDX-License-Identifier: GPL-2.0-or-later
/* What the options of the load mean together, and what contradicts them. */
#include <sched.h>
#include <stdlib.h>

#include "parse_load.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

#define NO_LOAD ": there is no load; give --load too"
#define OUTRANKS \
	": the load would outrank client and server, which are not real-time; give --priority too"

static const struct { const char *line, *want; } contradictions[] = {
	{ "--load-args=-T",
	  "--load-args=-T: only --load=hackbench takes them" },
	{ "--load=fft --load-args=x",
	  "--load-args=x: only --load=hackbench takes them" },
	{ "--load=command:x --load-args=x",
	  "--load-args=x: only --load=hackbench takes them" },
	{ "--load-policy=rr", "--load-policy" NO_LOAD },
	{ "--load-policy=other", "--load-policy" NO_LOAD },
	{ "--load-priority=4", "--load-priority" NO_LOAD },
	{ "--load-affinity=0", "--load-affinity" NO_LOAD },
	{ "--load=none --load-affinity=0", "--load-affinity" NO_LOAD },
	{ "--load=fft --load-priority=4",
	  "--load-priority=4: policy other has no priorities; give --load-policy=fifo or rr too" },
	{ "-p80 --load=hackbench --load-priority=4",
	  "--load-priority=4: policy other has no priorities; give --load-policy=fifo or rr too" },
	{ "-p80 --load=fft --load-policy=batch --load-priority=4",
	  "--load-priority=4: policy batch has no priorities; give --load-policy=fifo or rr too" },
	{ "--load=fft --load-policy=rr", "--load-policy=rr" OUTRANKS },
	{ "--load=command:x --load-policy=fifo",
	  "--load-policy=fifo" OUTRANKS },
	{ "-p80 --load=fft --load-priority=78",
	  "--load-priority=78: allowed is less than the parent process's priority, 78, which must end the load; give a higher --priority, or --load-policy=other" },
	{ "-p3 --load=fft",
	  "--load-priority=1: allowed is less than the parent process's priority, 1, which must end the load; give a higher --priority, or --load-policy=other" },
	{ "--trltp --load-priority=99",
	  "--load-priority=99: allowed is less than the parent process's priority, 99, which must end the load; give a higher --priority, or --load-policy=other" },
	{ "--steps=2 -l5", "--steps=2: a ramp needs a load; give --load too" },
	{ "--trltp --load=none",
	  "--steps=16: a ramp needs a load; give --load too" },
	{ "--load=fft:3 --steps=4 -l5",
	  "--load=fft:3: contradicts --steps=4, which sets the number of workers" },
	{ "--trltp --load=hackbench:3",
	  "--load=hackbench:3: contradicts --steps=16, which sets the number of groups" },
	{ "--load=fft --steps=2",
	  "--steps=2: a step must have an end; give --loops or --duration" },
	{ "--trltp -l0",
	  "--steps=16: a step must have an end; give --loops or --duration" },
};

static void test_contradictions(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(contradictions); i++)
		refused(contradictions[i].line, contradictions[i].want);
}

/* Next to the contradictions, but none. */
static void test_no_contradictions(void **state)
{
	static const char *const lines[] = {
		"--load=hackbench --load-args=-T", "-p80 --load=fft",
		"--load=fft --load-policy=other", "-p4 --load=fft",
		"-p80 --load=fft --load-priority=77", "--steps=1",
		"--trltp --load-priority=98", "--load=fft:3 --steps=1",
		"--load=fft --steps=2 -l1", "--load=fft --steps=2 -D1",
		"--load=command:x --steps=2 -l1", "--load=fft",
		"-p80 --load=command:x --load-policy=rr --load-priority=9",
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(lines); i++)
		accepted(lines[i]);
}

static int check(void)
{
	parse_run.err = 0;
	return tw_part_load.check(&parse_run);
}

/* The check itself, without the parser before it. */
static void test_check(void **state)
{
	(void)state;
	run_of("-p80");
	*(const struct tw_load_ops **)set_by("load") = &tw_load_fft;
	assert_int_equal(check(), 0);
	assert_int_equal(tw_load_workers(&session.run, 0), 1);
	assert_int_equal(tw_load_settings(&session.run).policy, SCHED_RR);
	assert_int_equal(tw_load_settings(&session.run).priority, 1);
	parse_run.steps = 3;
	assert_int_equal(check(), -EINVAL);
	assert_non_null(strstr(parse_run.error, "a step must have an end"));
	*(int64_t *)set_by("loops") = 1;
	assert_int_equal(check(), 0);
}

static void test_workers(void **state)
{
	const struct tw_run *run;
	int step;

	(void)state;
	run = run_of("");
	assert_int_equal(tw_load_workers(run, 0), 0);
	assert_int_equal(tw_load_most(run), 0);
	run = run_of("--load=fft:5");
	assert_int_equal(tw_load_workers(run, 0), 5);
	assert_int_equal(tw_load_most(run), 5);
	run = run_of("--load=hackbench");
	assert_int_equal(tw_load_workers(run, 0), 10);
	run = run_of("--load=hackbench --steps=7 -l5");
	for (step = 0; step < 7; step++)
		assert_int_equal(tw_load_workers(run, step), step);
	assert_int_equal(tw_load_most(run), 6);
}

/* Each step's pair has it too, for whoever is below the load. */
static void test_workers_of_pair(void **state)
{
	struct tw_pair pair = { .workers = 77 };
	struct tw_run *run = run_of("--load=fft --steps=7 -l5");

	(void)state;
	run->step = 3;
	tw_part_load.attach(run, &pair, NULL);
	assert_int_equal(pair.workers, 3);
	tw_part_load.attach(run_of("--load=fft:5"), &pair, NULL);
	assert_int_equal(pair.workers, 5);
	tw_part_load.attach(run_of(""), &pair, NULL);
	assert_int_equal(pair.workers, 0);
}

static void assert_priorities(const char *line, int main, int server,
			      int client, int load)
{
	const struct tw_config config = accepted(line);

	assert_int_equal(tw_config_priority(&config, TW_MAIN, 0), main);
	assert_int_equal(tw_config_priority(&config, TW_SERVER, 0), server);
	assert_int_equal(tw_config_priority(&config, TW_CLIENT, 0), client);
	assert_int_equal(settings_of(line).priority, load);
}

static void test_priorities(void **state)
{
	(void)state;
	assert_priorities("", 0, 0, 0, 0);
	assert_priorities("--load=fft", 0, 0, 0, 0);
	assert_priorities("-p80", 78, 79, 80, 0);
	assert_priorities("-p80 --load=fft", 78, 79, 80, 1);
	assert_priorities("-p80 --load=fft --load-priority=9", 78, 79, 80, 9);
	/* As in the reference program, main is above all. */
	assert_priorities("--trltp", 99, 97, 98, 1);
	assert_priorities("--trltp -p50", 99, 49, 50, 1);
}

static void test_params(void **state)
{
	struct tw_load_params params = settings_of("-m -p80 --load=fft");
	cpu_set_t two, plan;

	(void)state;
	assert_null(params.command);
	assert_null(params.arguments);
	assert_int_equal(params.policy, SCHED_RR);
	assert_int_equal(params.priority, 1);
	assert_true(params.lock_memory);
	assert_false(params.pinned);
	assert_true(CPU_EQUAL(&params.cpus, &session.run.allowed));

	run_of("-a -m --load=command:x");
	CPU_ZERO(&two);
	CPU_SET(1, &two);
	CPU_SET(2, &two);
	*(cpu_set_t *)set_by("load-affinity") = two;
	params = tw_load_settings(&session.run);
	assert_string_equal(params.command, "x");
	assert_int_equal(params.policy, SCHED_OTHER);
	assert_int_equal(params.priority, 0);
	/* It is not ours to lock. */
	assert_false(params.lock_memory);
	assert_true(params.pinned);
	assert_true(CPU_EQUAL(&params.cpus, &two));

	params = settings_of("-a --load=fft");
	tw_place_plan(&session.run.allowed, TW_LOAD, 0, &plan);
	assert_true(params.pinned);
	assert_true(CPU_EQUAL(&params.cpus, &plan));
	assert_string_equal(settings_of("--load=hackbench --load-args=-T")
			    .arguments, "-T");
	assert_false(settings_of("--load=fft").lock_memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_contradictions),
		cmocka_unit_test(test_no_contradictions),
		cmocka_unit_test(test_check),
		cmocka_unit_test(test_workers),
		cmocka_unit_test(test_workers_of_pair),
		cmocka_unit_test(test_priorities),
		cmocka_unit_test(test_params),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
