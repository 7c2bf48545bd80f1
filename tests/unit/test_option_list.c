// SPDX-License-Identifier: GPL-2.0-or-later
/* The options that take a list: metrics, percentiles, CPU sets. */
#include <sched.h>
#include <stdlib.h>

#include "chosen.h"
#include "report.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

static void test_metrics(void **state)
{
	static const struct { const char *line, *want; } good[] = {
		{ "", "interval send sleep receive response total wakeup " },
		{ "--interval=0",
		  "interval send sleep receive response total " },
		{ "--metrics=total", "total " },
		{ "--metrics=planned,interval", "planned interval " },
		{ "--metrics=,send,,sleep,", "send sleep " },
		{ "--metrics=send --metrics=total", "total " },
		{ "--metrics=planned,wakeup,total,response,receive,sleep,send,interval",
		  "planned wakeup total response receive sleep send interval " },
	};
	const char *const spaced[] = { "--metrics", " wakeup  total, send ",
				       NULL };
	const struct parsed parsed = parse_words(spaced);
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(good); i++)
		chooses(good[i].line, good[i].want);
	assert_int_equal(parsed.err, 0);
	assert_string_equal(metrics_of(&parsed.config), "wakeup total send ");
}

#define NO_SUCH_METRIC \
	"allowed is one of interval, send, sleep, receive, response, total, " \
	"wakeup, planned, network"

static void test_metrics_refused(void **state)
{
	(void)state;
	refused("--metrics=send,jitter",
		"--metrics=jitter: " NO_SUCH_METRIC);
	refused("--metrics=Send", "--metrics=Send: " NO_SUCH_METRIC);
	refused("--metrics=send;sleep",
		"--metrics=send;sleep: " NO_SUCH_METRIC);
	refused("--metrics=send,sleep,send",
		"--metrics=send,sleep,send: send stands there twice");
	refused("--metrics=", "--metrics=: at least one metric is needed");
	refused("--metrics=,,", "--metrics=,,: at least one metric is needed");
}

/* The percentiles that @line asks for, of a run without a result. */
static void prints_percentiles(const char *line, const char *want)
{
	static const char head[] = "# Percentiles interval: ";
	const char *text;
	size_t len = strlen(want);

	new_run(line);
	text = written(tw_part_percentiles.remarks);
	if (!*want) {
		assert_string_equal(text, "");
		return;
	}
	assert_int_equal(strncmp(text, head, strlen(head)), 0);
	text += strlen(head);
	assert_int_equal(strncmp(text, want, len), 0);
	assert_int_equal(text[len], '\n');
}

#define USUAL	"50:- 90:- 99:- 99.9:- 99.99:- 99.999:-"

static void test_percentiles(void **state)
{
	(void)state;
	prints_percentiles("", "");
	prints_percentiles("--percentiles", USUAL);
	prints_percentiles("--percentiles=7 --percentiles", USUAL);
	prints_percentiles("--percentiles=99.9999,.5,25",
			   "99.9999:- 0.5:- 25:-");
	prints_percentiles("--percentiles --percentiles=7", "7:-");
	drop_run();
}

#define NO_PERCENTILE \
	"allowed are up to 32 numbers between 0 and 100, separated by commas"

static void test_percentiles_refused(void **state)
{
	static const char *const bad[] = {
		"0", "100", "-1", "50,101", "1e1", "0x10", "nan", "inf",
		"99.9.9", ".", "50,x", "50;90", "+50",
	};
	char line[60], want[200];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(bad); i++) {
		snprintf(line, sizeof(line), "--percentiles=%s", bad[i]);
		snprintf(want, sizeof(want), "%s: " NO_PERCENTILE, line);
		refused(line, want);
	}
	refused("--percentiles=",
		"--percentiles=: at least one percentile is needed");
	/* No optional argument of a long option is the next word. */
	refused("--percentiles 50",
		"50: unexpected argument; write --percentiles=50, see --help");
	refused("--percentiles 50 -q",
		"50: unexpected argument; write --percentiles=50, see --help");
	refused("-b5 --trace irq",
		"irq: unexpected argument; write --trace=irq, see --help");
	refused("--percentiles -q 50",
		"50: unexpected argument; all input is given by options, see --help");
}

#define MOST	32

/* --percentiles=1,...,@count */
static const char *many_percentiles(int count)
{
	static char line[300];
	int i;

	strcpy(line, "--percentiles=1");
	for (i = 2; i <= count; i++)
		sprintf(line + strlen(line), ",%d", i);
	return line;
}

static void test_most_percentiles(void **state)
{
	char want[400] = "1:-";
	int i;

	(void)state;
	for (i = 2; i <= MOST; i++)
		sprintf(want + strlen(want), " %d:-", i);
	prints_percentiles(many_percentiles(MOST), want);
	drop_run();
	assert_int_equal(parse(many_percentiles(MOST + 1)).err, -EINVAL);
	assert_non_null(strstr(parse_run.error, NO_PERCENTILE));
}

static cpu_set_t allowed_cpus(void)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	assert_int_equal(sched_getaffinity(0, sizeof(cpus), &cpus), 0);
	return cpus;
}

/* All that it may move to. */
static cpu_set_t reachable_cpus(void)
{
	const cpu_set_t before = allowed_cpus();
	cpu_set_t cpus;

	memset(&cpus, 0xff, sizeof(cpus));
	assert_int_equal(sched_setaffinity(0, sizeof(cpus), &cpus), 0);
	cpus = allowed_cpus();
	assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
	return cpus;
}

static int first_cpu(const cpu_set_t *cpus)
{
	int cpu;

	for (cpu = 0; !CPU_ISSET(cpu, cpus); cpu++)
		;
	return cpu;
}

/* --NAME=CPU for the first allowed CPU. */
static struct tw_config accept_first(const char *format)
{
	const cpu_set_t cpus = allowed_cpus();
	char line[60];

	snprintf(line, sizeof(line), format, first_cpu(&cpus));
	return accepted(line);
}

static void assert_first_only(const cpu_set_t *cpus)
{
	const cpu_set_t allowed = allowed_cpus();

	assert_int_equal(CPU_COUNT(cpus), 1);
	assert_true(CPU_ISSET(first_cpu(&allowed), cpus));
}

static void test_affinity(void **state)
{
	static const char *const lines[] = {
		"-a%d", "-a %d", "--affinity=%d", "--affinity %d",
	};
	const cpu_set_t allowed = allowed_cpus();
	struct tw_config config;
	char line[6100], list[6000];
	const char *words[] = { line, NULL };
	size_t i;

	(void)state;
	assert_int_equal(accepted("").affinity, TW_UNPINNED);
	assert_int_equal(accepted("-a").affinity, TW_PLAN);
	assert_int_equal(accepted("--affinity").affinity, TW_PLAN);
	for (i = 0; i < COUNT(lines); i++) {
		config = accept_first(lines[i]);
		assert_int_equal(config.affinity, TW_SET);
		assert_first_only(&config.affinity_set);
	}
	tw_cpus_format(&allowed, list, sizeof(list));
	if (strlen(list) > 900) {
		print_message("skipped: CPUs too scattered\n");
		skip();
	}
	snprintf(line, sizeof(line), "-a%s", list);
	config = parse_words(words).config;
	assert_true(CPU_EQUAL(&config.affinity_set, &allowed));
}

static void test_roles(void **state)
{
	static const struct { enum tw_role role; const char *format; } rows[] = {
		{ TW_MAIN, "--mainaffinity=%d" },
		{ TW_SERVER, "--server-affinity=%d" },
		{ TW_CLIENT, "--client-affinity=%d" },
	};
	size_t i;
	int role;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		const struct tw_config config = accept_first(rows[i].format);

		for (role = 0; role < TW_ROLES; role++)
			assert_int_equal(CPU_COUNT(&config.role_set[role]) > 0,
					 role == (int)rows[i].role);
		assert_first_only(&config.role_set[rows[i].role]);
		assert_int_equal(config.affinity, TW_UNPINNED);
	}
}

/* None of these is a set of CPUs that a test may use, wherever it runs. */
static void test_sets_refused(void **state)
{
	static const char *const names[] = {
		"affinity", "mainaffinity", "server-affinity",
		"client-affinity",
	};
	static const char *const bad[] = {
		"", "x", "-1", "0-", "1-0", "0,2-1", "0,,x", "1023-1024",
		"999999999999", "!0-99999", "0;1", "0.5", "-0-1", "0--1",
		/* Modulo 2^32 a CPU that is there. */
		"4294967296", "0x100000000", "0-4294967296",
	};
	const cpu_set_t reachable = reachable_cpus();
	char line[100], want[500], list[256];
	size_t i, j;

	(void)state;
	tw_cpus_format(&reachable, list, sizeof(list));
	for (i = 0; i < COUNT(names); i++)
		for (j = 0; j < COUNT(bad); j++) {
			snprintf(line, sizeof(line), "--%s=%s", names[i],
				 bad[j]);
			snprintf(want, sizeof(want),
				 "%s: allowed is a set of CPUs out of %s, such as 0-2,5",
				 line, list);
			refused(line, want);
		}
}

/* As with isolcpus=: the caller does not run there, but may ask for it. */
static void test_isolated_cpu(void **state)
{
	const cpu_set_t allowed = allowed_cpus();
	int first = first_cpu(&allowed);
	struct tw_config config;
	cpu_set_t one, after;
	char line[40];

	(void)state;
	if (!CPU_ISSET(first + 1, &allowed)) {
		print_message("skipped: needs 2 CPUs side by side\n");
		skip();
	}
	CPU_ZERO(&one);
	CPU_SET(first, &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	snprintf(line, sizeof(line), "-a%d", first + 1);
	config = accepted(line);
	after = allowed_cpus();
	assert_int_equal(sched_setaffinity(0, sizeof(allowed), &allowed), 0);
	assert_true(CPU_EQUAL(&after, &one));
	assert_true(CPU_EQUAL(&config.allowed, &one));
	assert_int_equal(CPU_COUNT(&config.affinity_set), 1);
	assert_true(CPU_ISSET(first + 1, &config.affinity_set));
}

/* The @n-th CPU of a set. */
static int nth_cpu(const cpu_set_t *cpus, int n)
{
	int cpu;

	for (cpu = 0; !CPU_ISSET(cpu, cpus) || n--; cpu++)
		;
	return cpu;
}

/* Numbers behind a + count the CPUs that the caller runs on. */
static void check_relative(const cpu_set_t *allowed)
{
	int count = CPU_COUNT(allowed), n;
	struct tw_config config;
	char line[60];

	for (n = 0; n < count; n++) {
		snprintf(line, sizeof(line), "-a+%d", n);
		config = accepted(line);
		assert_int_equal(CPU_COUNT(&config.affinity_set), 1);
		assert_true(CPU_ISSET(nth_cpu(allowed, n),
				      &config.affinity_set));
	}
	/* A range leaves out what the caller does not run on. */
	snprintf(line, sizeof(line), "-a+0-%#x", count - 1);
	config = accepted(line);
	assert_true(CPU_EQUAL(&config.affinity_set, allowed));
	snprintf(line, sizeof(line), "-a+%d", count);
	assert_int_equal(parse(line).err, -EINVAL);
	snprintf(line, sizeof(line), "-a+0-%d", count);
	assert_int_equal(parse(line).err, -EINVAL);
	assert_int_equal(parse("-a+").err, -EINVAL);
	assert_int_equal(parse("-a++0").err, -EINVAL);
	assert_int_equal(parse("-a0,+0").err, -EINVAL);
	if (count == 1) {
		assert_int_equal(parse("-a!+0").err, -EINVAL);
		return;
	}
	config = accepted("-a!+0");
	assert_int_equal(CPU_COUNT(&config.affinity_set), count - 1);
	assert_false(CPU_ISSET(nth_cpu(allowed, 0), &config.affinity_set));
}

/* On each CPU alone; and on the first and last, what is between left out. */
static void test_relative(void **state)
{
	const cpu_set_t allowed = allowed_cpus();
	int last = CPU_COUNT(&allowed) - 1, n;
	cpu_set_t some;

	(void)state;
	check_relative(&allowed);
	for (n = 0; n <= last; n++) {
		CPU_ZERO(&some);
		CPU_SET(nth_cpu(&allowed, n), &some);
		assert_int_equal(sched_setaffinity(0, sizeof(some), &some), 0);
		check_relative(&some);
		CPU_SET(nth_cpu(&allowed, 0), &some);
		CPU_SET(nth_cpu(&allowed, last), &some);
		assert_int_equal(sched_setaffinity(0, sizeof(some), &some), 0);
		check_relative(&some);
	}
	assert_int_equal(sched_setaffinity(0, sizeof(allowed), &allowed), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_metrics),
		cmocka_unit_test(test_metrics_refused),
		cmocka_unit_test(test_percentiles),
		cmocka_unit_test(test_percentiles_refused),
		cmocka_unit_test(test_most_percentiles),
		cmocka_unit_test(test_affinity),
		cmocka_unit_test(test_roles),
		cmocka_unit_test(test_sets_refused),
		cmocka_unit_test(test_isolated_cpu),
		cmocka_unit_test(test_relative),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
