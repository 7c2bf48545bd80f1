// SPDX-License-Identifier: GPL-2.0-or-later
/* What the options together mean, and which contradict each other. */
#include <sched.h>
#include <stdlib.h>

#include "parse.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

static const struct { const char *line, *want; } contradictions[] = {
	{ "--sleep=2000",
	  "--sleep=2000: too long for the default --interval=1000; give an interval that is longer than the sleep, or 0 for a closed loop" },
	{ "-i100",
	  "--interval=100: too short for the default --sleep=100; allowed is more than the sleep, or 0 for a closed loop; or give --sleep=20" },
	{ "-i1000 --sleep=2000",
	  "--interval=1000: too short for --sleep=2000; allowed is more than the sleep, or 0 for a closed loop; or give --sleep=200" },
	{ "-i0 -x",
	  "--interval=0: a closed loop has no timer; leave out --timer and -x" },
	{ "-i0 --timer=timerfd",
	  "--interval=0: a closed loop has no timer; leave out --timer and -x" },
	{ "-i0 --total=trltp3",
	  "--interval=0: --total=trltp3 needs a rate, and a closed loop has none" },
	{ "-i0 --metrics=send,wakeup",
	  "--metrics=wakeup: with --interval=0 there is no timer, so there is no such metric" },
	{ "-i0 --metrics=planned",
	  "--metrics=planned: with --interval=0 there is no timer, so there is no such metric" },
	{ "--policy=other -p80",
	  "--policy=other: has no priorities, so it contradicts --priority=80; only fifo and rr have them" },
	{ "-p80 --policy=batch",
	  "--policy=batch: has no priorities, so it contradicts --priority=80; only fifo and rr have them" },
	{ "-p3 --policy=idle",
	  "--policy=idle: has no priorities, so it contradicts --priority=3; only fifo and rr have them" },
	{ "--histfile=f",
	  "--histfile=f: there is no histogram to write; give -h or -H too" },
	{ "--latency=5 --default-system",
	  "--latency=5: contradicts --default-system; give one of them" },
};

static void test_contradictions(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(contradictions); i++)
		refused(contradictions[i].line, contradictions[i].want);
}

/* Only JSON is written to standard output by that name. */
static void test_dash(void **state)
{
	(void)state;
	accepted("--json=-");
	assert_string_equal(text_of("json"), "-");
	refused("--dump=-", "--dump=-: only --json can go to standard output; name a file");
	refused("-h5 --histfile=-", "--histfile=-: only --json can go to standard output; name a file");
	refused("--trltp-log=-", "--trltp-log=-: only --json can go to standard output; name a file");
}

/* Next to the contradictions, but none. */
static void test_no_contradictions(void **state)
{
	static const char *const lines[] = {
		"-i101", "-i1 --sleep=0", "-i0", "-i0 --sleep=10000000",
		"-i0 --total=documented", "-x --timer=posix", "-x --timer=nanosleep",
		"--timer=timerfd -x",
		"--policy=fifo", "--latency=5", "--latency=0 --default-system",
		"-h5 --histfile=f --json=g --dump=h --trltp-log=i",
		"-i0 --metrics=interval,send,sleep,receive,response,total",
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(lines); i++)
		accepted(lines[i]);
}

static void test_closed_loop(void **state)
{
	(void)state;
	assert_ptr_equal(accepted("-i0").timer, &tw_timer_none);
	assert_ptr_not_equal(accepted("-i200").timer, &tw_timer_none);
}

static void test_lowest_priority(void **state)
{
	(void)state;
	assert_int_equal(accepted("--policy=fifo").priority, TW_PRIORITY_MIN);
	assert_int_equal(accepted("--policy=rr").priority, TW_PRIORITY_MIN);
	assert_int_equal(accepted("--policy=batch").priority, 0);
	assert_int_equal(accepted("-p50 --policy=rr").priority, 50);
}

static void test_metric_params(void **state)
{
	const struct tw_config config = accepted("-i250 --sleep=20");
	const struct tw_config trltp3 = accepted("--total=trltp3");
	const struct tw_metric_params params =
		tw_config_metric_params(&config, 0);

	(void)state;
	assert_int_equal(params.period_ns, 250000);
	assert_int_equal(params.sleep_ns, 20000);
	assert_false(params.total_trltp3);
	assert_true(tw_config_metric_params(&trltp3, 0).total_trltp3);
}

static cpu_set_t one_cpu(int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	return cpus;
}

static bool pinned_to(const struct tw_config *config, enum tw_role role,
		      unsigned int pair, const cpu_set_t *want)
{
	cpu_set_t got;

	return tw_config_cpus(config, role, pair, &got) &&
	       CPU_EQUAL(&got, want);
}

/* Role by role: its own option, the set of -a, the plan, or no pinning. */
static void test_cpus_of_roles(void **state)
{
	struct tw_config config = accepted("");
	const cpu_set_t two = one_cpu(2), five = one_cpu(5);
	cpu_set_t cpus;
	int role;

	(void)state;
	for (role = 0; role < TW_ROLES; role++)
		assert_false(tw_config_cpus(&config, role, 0, &cpus));

	config.affinity = TW_SET;
	config.affinity_set = two;
	CPU_SET(5, &config.affinity_set);
	assert_false(tw_config_cpus(&config, TW_MAIN, 0, &cpus));
	assert_false(tw_config_cpus(&config, TW_LOAD, 0, &cpus));
	assert_true(pinned_to(&config, TW_SERVER, 0, &two));
	assert_true(pinned_to(&config, TW_CLIENT, 0, &five));
	assert_true(pinned_to(&config, TW_SERVER, 1, &two));

	config.role_set[TW_CLIENT] = two;
	config.role_set[TW_MAIN] = five;
	assert_true(pinned_to(&config, TW_CLIENT, 0, &two));
	assert_true(pinned_to(&config, TW_MAIN, 0, &five));
	assert_true(pinned_to(&config, TW_SERVER, 0, &two));
}

static void test_cpus_of_plan(void **state)
{
	struct tw_config config = accepted("-a");
	cpu_set_t allowed, want, got;
	int role;

	(void)state;
	CPU_ZERO(&allowed);
	assert_int_equal(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
	for (role = 0; role < TW_ROLES; role++) {
		tw_place_plan(&allowed, role, 0, &want);
		assert_true(tw_config_cpus(&config, role, 0, &got));
		assert_true(CPU_EQUAL(&got, &want));
	}
}

#define STARVED_BY_BUSY \
	"--wait=busy: at a real-time priority the server leaves the parent process no time on CPU 0, the only one that it may use, so neither --duration nor a signal could end the test; give "
#define STARVED_BY_BOTH \
	"--interval=0 with --sleep=0" BOTH
#define STARVED_BY_SHORT \
	"--interval=999 with --sleep=0" BOTH
#define BOTH \
	": at a real-time priority client and server may leave the parent process no time on CPU 0, the only one that it may use, so neither --duration nor a signal could end the test; give "
#define ELSEWHERE "--mainaffinity=1, --loops, or --force"
#define NOWHERE "--loops, or --force"

/* Priority 80 or none, on two CPUs; whether they never sleep, and where. */
struct starving {
	bool realtime, busy, closed;
	int main, server, client;
	const char *want;
};

static struct tw_config starving(const struct starving *row)
{
	struct tw_config config = accepted("");

	CPU_ZERO(&config.reachable);
	CPU_SET(0, &config.reachable);
	CPU_SET(1, &config.reachable);
	config.priority = row->realtime ? 80 : 0;
	config.wait = tw_wait_kinds[row->busy ? 4 : 0];
	config.metric_count = 1;
	config.metrics[0] = TW_TOTAL;
	if (row->closed) {
		config.timer = NULL;
		config.interval_us = 0;
		config.sleep_us = 0;
	}
	config.role_set[TW_MAIN] = one_cpu(row->main);
	config.role_set[TW_SERVER] = one_cpu(row->server);
	config.role_set[TW_CLIENT] = one_cpu(row->client);
	return config;
}

static void checked(struct tw_config config, const char *want)
{
	int err;

	parse_run.err = 0;
	parse_run.error[0] = '\0';
	err = tw_config_check(&config, &parse_run);
	assert_string_equal(parse_run.error, want);
	assert_int_equal(err, *want ? -EINVAL : 0);
}

/* Main alone with a side that never sleeps could not end the test. */
static void test_starving(void **state)
{
	static const struct starving rows[] = {
		{ true, true, false, 0, 0, 1, STARVED_BY_BUSY ELSEWHERE },
		{ true, true, false, 0, 1, 0, "" },
		{ true, true, true, 0, 0, 0, STARVED_BY_BUSY ELSEWHERE },
		{ false, true, true, 0, 0, 0, "" },
		{ true, false, true, 0, 0, 0, STARVED_BY_BOTH ELSEWHERE },
		{ true, false, true, 1, 0, 0, "" },
		{ true, false, true, 0, 1, 0, "" },
		{ true, false, true, 0, 0, 1, "" },
		{ true, false, false, 0, 0, 0, "" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++)
		checked(starving(&rows[i]), rows[i].want);
}

/* As a closed loop, if no CPU is that fast. */
static void test_starving_by_a_short_period(void **state)
{
	static const struct starving both = { true, false, true, 0, 0, 0, "" };
	struct tw_config config = starving(&both);

	(void)state;
	config.interval_us = 999;
	checked(config, STARVED_BY_SHORT ELSEWHERE);
	config.loops = 1;
	checked(config, "");
	config.loops = 0;
	config.sleep_us = 1;
	checked(config, "");
	config.sleep_us = 0;
	config.interval_us = 1000;
	checked(config, "");
}

/* What helps: an end of its own, or the user's word; another CPU, if any. */
static void test_what_helps_against_starving(void **state)
{
	static const struct starving busy = { true, true, false, 0, 0, 1, "" },
				     both = { true, false, true, 0, 0, 0, "" };
	static const struct starving *const rows[] = { &busy, &both };
	struct tw_config config;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		config = starving(rows[i]);
		config.loops = 1;
		checked(config, "");
		config.loops = 0;
		config.force = true;
		checked(config, "");
		config.force = false;
		config.role_set[TW_MAIN] = one_cpu(1);
		checked(config, "");
		/* --trltp: main outranks them. */
		config.role_set[TW_MAIN] = one_cpu(0);
		config.main_highest = true;
		checked(config, "");
		/* Main would not get to look at the time. */
		config.main_highest = false;
		config.duration_s = 1;
		checked(config, i ? STARVED_BY_BOTH ELSEWHERE :
				    STARVED_BY_BUSY ELSEWHERE);
		CPU_CLR(1, &config.reachable);
		checked(config, i ? STARVED_BY_BOTH NOWHERE :
				    STARVED_BY_BUSY NOWHERE);
	}
}

/* At the priority of main, the client may keep it from running. */
static void test_starving_at_the_highest_priority(void **state)
{
	static const struct starving both = { true, false, true, 0, 0, 0, "" };
	struct tw_config config = starving(&both);

	(void)state;
	config.main_highest = true;
	config.priority = 98;
	checked(config, "");
	config.priority = 99;
	checked(config, STARVED_BY_BOTH ELSEWHERE);
}

/* The scheduler moves main to the CPU that is left. */
static void test_two_cpus_for_all(void **state)
{
	static const struct starving busy = { true, true, true, 0, 0, 0, "" };
	struct tw_config config = starving(&busy);
	int role;

	(void)state;
	for (role = TW_MAIN; role <= TW_CLIENT; role++)
		CPU_SET(1, &config.role_set[role]);
	checked(config, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_contradictions),
		cmocka_unit_test(test_dash),
		cmocka_unit_test(test_no_contradictions),
		cmocka_unit_test(test_closed_loop),
		cmocka_unit_test(test_lowest_priority),
		cmocka_unit_test(test_metric_params),
		cmocka_unit_test(test_cpus_of_roles),
		cmocka_unit_test(test_cpus_of_plan),
		cmocka_unit_test(test_starving),
		cmocka_unit_test(test_starving_by_a_short_period),
		cmocka_unit_test(test_what_helps_against_starving),
		cmocka_unit_test(test_starving_at_the_highest_priority),
		cmocka_unit_test(test_two_cpus_for_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
