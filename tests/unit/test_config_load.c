// SPDX-License-Identifier: GPL-2.0-or-later
/* What the options of the load mean together, and what contradicts them. */
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "parse.h"

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

/* The check itself, without the parser before it. */
static void test_check(void **state)
{
	struct tw_config config = accepted("-p80");
	char error[TW_ERROR_MAX] = "";

	(void)state;
	config.load = &tw_load_fft;
	assert_int_equal(tw_config_check_load(&config, error), 0);
	assert_int_equal(config.load_count, 1);
	assert_int_equal(config.load_policy, SCHED_RR);
	assert_int_equal(config.load_priority, 1);
	config.steps = 3;
	assert_int_equal(tw_config_check_load(&config, error), -EINVAL);
	assert_non_null(strstr(error, "a step must have an end"));
	config.loops = 1;
	assert_int_equal(tw_config_check_load(&config, error), 0);
}

static void test_workers(void **state)
{
	struct tw_config config = accepted("");
	int step;

	(void)state;
	assert_int_equal(tw_config_workers(&config, 0), 0);
	config = accepted("--load=fft:5");
	assert_int_equal(tw_config_workers(&config, 0), 5);
	config = accepted("--load=hackbench");
	assert_int_equal(tw_config_workers(&config, 0), 10);
	config = accepted("--load=hackbench --steps=7 -l5");
	for (step = 0; step < 7; step++)
		assert_int_equal(tw_config_workers(&config, step), step);
}

static void assert_priorities(const char *line, int main, int server,
			      int client, int load)
{
	const struct tw_config config = accepted(line);

	assert_int_equal(tw_config_priority(&config, TW_MAIN), main);
	assert_int_equal(tw_config_priority(&config, TW_SERVER), server);
	assert_int_equal(tw_config_priority(&config, TW_CLIENT), client);
	assert_int_equal(tw_config_priority(&config, TW_LOAD), load);
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

static cpu_set_t cpu_range(int first, int last)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	for (; first <= last; first++)
		CPU_SET(first, &cpus);
	return cpus;
}

static void test_params(void **state)
{
	struct tw_config config = accepted("-m -p80 --load=fft");
	const cpu_set_t two = cpu_range(1, 2);
	struct tw_load_params params = tw_config_load_params(&config);

	(void)state;
	assert_null(params.command);
	assert_null(params.arguments);
	assert_int_equal(params.policy, SCHED_RR);
	assert_int_equal(params.priority, 1);
	assert_true(params.lock_memory);
	assert_false(params.pinned);
	assert_true(CPU_EQUAL(&params.cpus, &config.allowed));

	config = accepted("-m --load=command:x");
	config.role_given[TW_LOAD] = true;
	config.role_set[TW_LOAD] = two;
	params = tw_config_load_params(&config);
	assert_string_equal(params.command, "x");
	assert_int_equal(params.policy, SCHED_OTHER);
	assert_int_equal(params.priority, 0);
	/* It is not ours to lock. */
	assert_false(params.lock_memory);
	assert_true(params.pinned);
	assert_true(CPU_EQUAL(&params.cpus, &two));

	config = accepted("--load=hackbench --load-args=-T");
	assert_string_equal(tw_config_load_params(&config).arguments, "-T");
	config = accepted("--load=fft");
	assert_false(tw_config_load_params(&config).lock_memory);
}

static bool hogs_all(const char *line, int workers, bool pinned, int cpus)
{
	struct tw_config config = accepted(line);

	if (config.steps > 1)
		config.steps = workers + 1;
	else
		config.load_count = workers;
	config.role_given[TW_LOAD] = pinned;
	config.role_set[TW_LOAD] = cpu_range(0, cpus - 1);
	return tw_config_hogs_all(&config);
}

/* A real-time load, at its height, with a worker for each CPU there is. */
static void test_hogs_all(void **state)
{
	const int cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
	struct tw_config none = accepted("-p80");

	(void)state;
	assert_false(tw_config_hogs_all(&none));
	assert_true(hogs_all("-p80 --load=fft", cpus, false, 0));
	assert_true(hogs_all("-p80 --load=fft", cpus, true, cpus));
	assert_true(hogs_all("-p80 --load=fft --steps=2 -l1", cpus, false, 0));
	assert_false(hogs_all("-p80 --load=fft", cpus - 1, false, 0));
	assert_false(hogs_all("-p80 --load=fft --steps=2 -l1", cpus - 1,
			      false, 0));
	if (cpus > 1)
		assert_false(hogs_all("-p80 --load=fft", cpus, true,
				      cpus - 1));
	assert_false(hogs_all("--load=fft", cpus, false, 0));
	assert_false(hogs_all("-p80 --load=hackbench", cpus, false, 0));
	/* One group, one command: nobody knows of how many processes. */
	assert_true(hogs_all("-p80 --load=hackbench --load-policy=rr", 1,
			     false, 0));
	assert_true(hogs_all("-p80 --load=command:x --load-policy=rr", 1,
			     false, 0));
}

static bool may_throttle(const char *line, int workers, int load, int server,
			 int client)
{
	struct tw_config config = accepted(line);

	config.role_given[TW_LOAD] = true;
	config.role_set[TW_LOAD] = cpu_range(load, load);
	config.role_given[TW_SERVER] = true;
	config.role_set[TW_SERVER] = cpu_range(server, server);
	config.role_given[TW_CLIENT] = true;
	config.role_set[TW_CLIENT] = cpu_range(client, client);
	return tw_config_may_throttle(&config, workers);
}

/* Only where real-time tasks may leave a side's CPU no rest. */
static void test_may_throttle(void **state)
{
	(void)state;
	assert_true(may_throttle("-p80 --load=fft", 1, 2, 1, 2));
	assert_true(may_throttle("-p80 --load=fft", 1, 1, 1, 2));
	assert_false(may_throttle("-p80 --load=fft", 1, 3, 1, 2));
	assert_false(may_throttle("-p80 --load=fft", 0, 2, 1, 2));
	assert_false(may_throttle("--load=fft", 1, 2, 1, 2));
	assert_false(may_throttle("-p80 --load=hackbench", 1, 2, 1, 2));
	assert_false(may_throttle("-p80", 0, 2, 1, 2));
	/* Sides that never sleep need no load for that; on one CPU, --force. */
	assert_true(may_throttle("-p80 --wait=busy --force", 0, 3, 1, 2));
	assert_true(may_throttle("-p80 -i0 --sleep=0 --force", 0,
				 3, 1, 2));
	assert_false(may_throttle("-p80 -i0", 0, 3, 1, 2));
	assert_false(may_throttle("--wait=busy", 1, 3, 1, 2));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_contradictions),
		cmocka_unit_test(test_no_contradictions),
		cmocka_unit_test(test_check),
		cmocka_unit_test(test_workers),
		cmocka_unit_test(test_priorities),
		cmocka_unit_test(test_params),
		cmocka_unit_test(test_hogs_all),
		cmocka_unit_test(test_may_throttle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
