// SPDX-License-Identifier: GPL-2.0-or-later
/* --check: what a configuration means for the checks, and when they are made. */
#include <unistd.h>

#include "check/tw_part_check.h"
#include "check/tw_check.h"
#include "check/tw_report_environ.h"
#include "report.h"

static struct tw_environ_params told;
static char release[TW_FACT_MAX];
static int calls, found;
static bool has_device;

/* In place of the checks: notes what they would judge. */
int tw_check(const struct tw_environ *env,
	     const struct tw_environ_params *params,
	     struct tw_finding findings[TW_CHECKS])
{
	int i;

	calls++;
	told = *params;
	strcpy(release, env->release);
	for (i = 0; i < TW_CHECKS; i++)
		findings[i] = (struct tw_finding) {
			.name = "name", .read = "read", .where = "where",
			.why = "why", .metrics = "send", .fix = "fix",
			.result = i < found ? TW_CHECK_FINDING : TW_CHECK_OK,
		};
	return found;
}

int access(const char *path, int mode)
{
	assert_string_equal(path, "/dev/cpu_dma_latency");
	assert_int_equal(mode, W_OK);
	return has_device ? 0 : -1;
}

static const struct tw_environ_params *check(void)
{
	memset(&told, 0x5a, sizeof(told));
	calls = 0;
	assert_ptr_equal(session.run.only, &tw_part_check);
	assert_int_equal(tw_part_check.instead(&session.run),
			 found ? TW_EXIT_EXCEEDED : 0);
	assert_int_equal(calls, 1);
	return &told;
}

static const struct tw_environ_params *params_of(const char *line)
{
	char whole[200];

	snprintf(whole, sizeof(whole), "--check %s", line);
	new_run(*line ? whole : "--check");
	return check();
}

static void test_priorities(void **state)
{
	static const struct {
		const char *line;
		bool realtime;
		int timer_prio;		/* 0: no timer of a softirq */
	} rows[] = {
		{ "", false, 0 }, { "-x", false, 0 },
		{ "-p80 --timer=nanosleep", true, 0 },
		{ "-p80 -x", true, 80 }, { "-p80 --timer=timerfd", true, 80 },
		{ "-p80 -i0", true, 0 }, { "--policy=rr -x", true, 3 },
		{ "--policy=batch -x", false, 0 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct tw_environ_params *params =
			params_of(rows[i].line);

		assert_int_equal(params->realtime, rows[i].realtime);
		assert_int_equal(params->timer_prio, rows[i].timer_prio);
	}
}

/* Real-time load, unpinned as the sides are, and a limit for it. */
static void test_load(void **state)
{
	static const struct { const char *line; bool fills; } rows[] = {
		{ "-p80", false }, { "-p80 --load=fft", true },
		{ "--load=fft", false },
		{ "-p80 --load=fft --load-policy=other", false },
		{ "-p80 --load=fft --rt-runtime=950000", true },
		{ "-p80 --load=fft --rt-runtime=1", true },
		{ "-p80 --load=fft --rt-runtime=0", false },
		{ "-p80 --load=fft --rt-runtime=-1", false },
		/* The first step of a ramp has no load, the last has. */
		{ "-p80 --load=fft --steps=3 -l100", true },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (params_of(rows[i].line)->rt_load != rows[i].fills)
			fail_msg("\"%s\"", rows[i].line);
}

static cpu_set_t one_cpu(int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	return cpus;
}

/* Pinned are both or none; each side has its own CPUs. */
static void test_cpus(void **state)
{
	const cpu_set_t two = one_cpu(2), five = one_cpu(5);

	(void)state;
	assert_false(params_of("")->pinned);
	config.role_set[TW_SERVER] = two;
	assert_false(check()->pinned);
	config.role_set[TW_CLIENT] = five;
	assert_true(check()->pinned);
	assert_true(CPU_EQUAL(&told.server, &two));
	assert_true(CPU_EQUAL(&told.client, &five));
	CPU_ZERO(&config.role_set[TW_SERVER]);
	assert_false(check()->pinned);
}

/* All that any pair uses; and if one is not pinned, they are not. */
static void test_cpus_of_pairs(void **state)
{
	static const int cpus[] = { 2, 5, 8, 11 };
	size_t i;

	(void)state;
	params_of("-t3");
	config.affinity = TW_SET;
	for (i = 0; i < 4; i++)
		CPU_SET(cpus[i], &config.affinity_set);
	assert_true(check()->pinned);
	assert_int_equal(CPU_COUNT(&told.server), 2);
	assert_true(CPU_ISSET(2, &told.server));
	assert_true(CPU_ISSET(8, &told.server));
	assert_int_equal(CPU_COUNT(&told.client), 2);
	assert_true(CPU_ISSET(5, &told.client));
	assert_true(CPU_ISSET(11, &told.client));
	assert_false(params_of("-t3")->pinned);
	config.role_set[TW_SERVER] = one_cpu(2);
	assert_false(check()->pinned);
}

/* What is asked for counts only if the device can be had. */
static void test_latency(void **state)
{
	(void)state;
	has_device = true;
	assert_int_equal(params_of("")->latency_us, 0);
	assert_int_equal(params_of("--latency=50")->latency_us, 50);
	assert_int_equal(params_of("--default-system")->latency_us, -1);
	has_device = false;
	assert_int_equal(params_of("")->latency_us, -1);
	assert_int_equal(params_of("--latency=50")->latency_us, -1);
}

/* A run has it, or has not: it is open already. */
static void test_latency_of_a_run(void **state)
{
	(void)state;
	has_device = true;
	new_run("--latency=50 --json=f");
	assert_null(session.run.only);
	assert_int_equal(tw_part_check.open(&session.run), 0);
	assert_int_equal(told.latency_us, -1);
	/* Only root may have it. */
	assert_int_equal(tw_part_latency.open(&session.run), 0);
	assert_int_equal(tw_part_check.open(&session.run), 0);
	assert_int_equal(told.latency_us, tw_latency_us(&session.run));
	tw_part_latency.close(&session.run);
}

#define FINDINGS \
	"      \"findings\": [\n        {\n          \"name\": \"name\",\n"

/* Only the JSON of a run has the state of the system. */
static void test_run(void **state)
{
	(void)state;
	found = 1;
	calls = 0;
	new_run("");
	assert_int_equal(tw_part_check.open(&session.run), 0);
	assert_int_equal(calls, 0);
	assert_string_equal(written_json(tw_part_check.json), "\n");
	new_run("--json=f");
	assert_int_equal(tw_part_check.open(&session.run), 0);
	assert_int_equal(calls, 1);
	assert_string_not_equal(release, "");
	contains(written_json(tw_part_check.json), release);
	contains(written_json(tw_part_check.json), FINDINGS);
	assert_string_equal(written(tw_part_check.text), "");
}

static void test_check(void **state)
{
	(void)state;
	for (found = 0; found < 3; found++) {
		params_of("");
		contains(written(tw_part_check.text),
			 found == 2 ? ", 2 findings, " :
			 found ? ", 1 finding, " : ", 0 findings, ");
		contains(written_json(tw_part_check.json),
			 found ? FINDINGS : "      \"findings\": []\n");
	}
	found = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_priorities),
		cmocka_unit_test(test_load),
		cmocka_unit_test(test_cpus),
		cmocka_unit_test(test_cpus_of_pairs),
		cmocka_unit_test(test_latency),
		cmocka_unit_test(test_latency_of_a_run),
		cmocka_unit_test(test_run),
		cmocka_unit_test(test_check),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	drop_run();
	return failed;
}
