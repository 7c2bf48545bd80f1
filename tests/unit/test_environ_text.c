// SPDX-License-Identifier: GPL-2.0-or-later
/* The state of the system, as JSON and as --check's table. */
#include "tree.h"
#include "check/tw_report_environ.h"

static struct tw_finding findings[TW_CHECKS];

/* The member "environment" of a system; until the next call. */
static const char *json_of(const char *root)
{
	const struct tw_environ_params params = usual_params();
	static struct tw_environ env;
	struct tw_json json;
	static char *text;
	size_t size;
	FILE *file;

	free(text);
	file = open_memstream(&text, &size);
	assert_non_null(file);
	tw_environ_read(&env, root, &params);
	tw_check(&env, &params, findings);
	tw_json_open(&json, file, 2);
	tw_report_json_environ(&json, &env, findings);
	tw_json_close(&json);
	assert_int_equal(fclose(file), 0);
	return text;
}

/* The table of the same findings. */
static const char *table(void)
{
	static char *text;
	size_t size;
	FILE *file;

	free(text);
	file = open_memstream(&text, &size);
	assert_non_null(file);
	tw_report_check(file, findings);
	assert_int_equal(fclose(file), 0);
	return text;
}

static void contains(const char *text, const char *want)
{
	if (!text || !strstr(text, want))
		fail_msg("%s\nlacks\n%s", text ? text : "nothing", want);
}

/* A parser that knows what JSON is and nothing more: what follows a value. */
static const char *skip_value(const char *at);

static const char *skip_space(const char *at)
{
	return at + strspn(at, " \n");
}

static const char *skip_string(const char *at)
{
	assert_int_equal(*at, '"');
	for (at++; *at != '"'; at++) {
		assert_in_range((unsigned char)*at, 0x20, 0x7e);
		if (*at == '\\')
			assert_non_null(strchr("\"\\u", *++at));
	}
	return at + 1;
}

static const char *skip_members(const char *at, char end, bool named)
{
	at = skip_space(at + 1);
	while (*at != end) {
		if (named) {
			at = skip_space(skip_string(at));
			assert_int_equal(*at, ':');
			at = skip_space(at + 1);
		}
		at = skip_space(skip_value(at));
		if (*at == end)
			break;
		assert_int_equal(*at, ',');
		at = skip_space(at + 1);
		assert_int_not_equal(*at, end);
	}
	return at + 1;
}

static const char *skip_value(const char *at)
{
	static const char *const words[] = { "null", "true", "false" };
	size_t i, len;

	if (*at == '"')
		return skip_string(at);
	if (*at == '{')
		return skip_members(at, '}', true);
	if (*at == '[')
		return skip_members(at, ']', false);
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strncmp(at, words[i], strlen(words[i])))
			return at + strlen(words[i]);
	at += *at == '-';
	len = strspn(at, "0123456789");
	if (!len || (len > 1 && *at == '0'))
		fail_msg("no JSON value: %.40s", at);
	return at + len;
}

/* One member, and nothing else. */
static void valid_member(const char *json)
{
	const char *at = skip_space(json);

	at = skip_string(at);
	assert_int_equal(*at, ':');
	at = skip_value(skip_space(at + 1));
	assert_string_equal(at, "\n");
}

static void test_unknown(void **state)
{
	const char *json = json_of(tree_root);
	const char *const nothing[] = {
		"true", "0", "1", "2",
	};
	size_t i;

	(void)state;
	valid_member(json);
	contains(json, "    \"environment\": {\n      \"release\": null,\n");
	contains(json, "      \"realtime\": false,\n");
	contains(json, "      \"throttling\": null,\n");
	contains(json, "      \"trace_instances\": null,\n      \"findings\": []\n    }\n");
	for (i = 0; i < sizeof(nothing) / sizeof(nothing[0]); i++)
		assert_null(strstr(json, nothing[i]));
	contains(table(), "?        preemption       cannot be read  (/proc/version)\n");
	contains(table(), "# 20 checks: 0 ok, 0 findings, 20 not readable\n");
}

static void test_facts(void **state)
{
	static const struct tree_file files[] = {
		{ "/proc/sys/kernel/osrelease", "6.12.0-\"x\"\\\n" },
		{ "/proc/sys/kernel/timer_migration", "1\n" },
		{ "/proc/sys/kernel/sched_rt_runtime_us", "-1\n" },
		{ "/proc/sys/kernel/sched_rt_period_us", "1000000\n" },
		{ "/sys/devices/system/cpu/online", "0-3,6\n" },
		{ "/sys/devices/system/cpu/isolated", "\n" },
		{ "/proc/self/timerslack_ns", "50000\n" },
	};
	const char *json;

	(void)state;
	tree_fill(files, sizeof(files) / sizeof(files[0]));
	json = json_of(tree_root);
	valid_member(json);
	contains(json, "      \"release\": \"6.12.0-\\\"x\\\"\\\\\",\n");
	contains(json, "      \"timer_migration\": true,\n");
	contains(json, "      \"online_cpus\": \"0-3,6\",\n      \"isolated_cpus\": \"\",\n");
	contains(json, "      \"throttling\": {\"rt_runtime_us\": -1, \"rt_period_us\": 1000000, \"rt_group_sched\": false, \"fair_server\": true},\n");
	contains(json, "      \"timer_slack_ns\": 50000,\n");
}

/* What is in the boot command line, the boot loader's user has typed. */
static void test_any_command_line(void **state)
{
	const char *json;

	(void)state;
	tree_add("/proc/cmdline",
		 "BOOT_IMAGE=/a\\b x=\"y z\" \001\t\x7f\xff {[,]} 'q' %s\nmore\n");
	json = json_of(tree_root);
	valid_member(json);
	contains(json, "      \"boot_command_line\": \"BOOT_IMAGE=/a\\\\b x=\\\"y z\\\" ? ?? {[,]} 'q' %s\",\n");
}

/* Longer than any other fact. */
static void test_long_command_line(void **state)
{
	static char line[4200], cut[4096 + 64];

	(void)state;
	memset(line, 'a', sizeof(line) - 1);
	tree_add("/proc/cmdline", line);
	snprintf(cut, sizeof(cut), "\"boot_command_line\": \"%.4095s\",\n", line);
	contains(json_of(tree_root), cut);
	valid_member(json_of(tree_root));
}

/* The reason of each finding, in both. */
static void contains_why(const char *json, const char *text)
{
	char want[512];
	int i;

	for (i = 0; i < TW_CHECKS; i++) {
		if (findings[i].result != TW_CHECK_FINDING)
			continue;
		snprintf(want, sizeof(want), "          \"why\": \"%s\",\n",
			 findings[i].why);
		contains(json, want);
		snprintf(want, sizeof(want), "         why:      %s\n",
			 findings[i].why);
		contains(text, want);
	}
}

static void test_findings(void **state)
{
	const char *json;

	(void)state;
	tree_add("/proc/sys/kernel/numa_balancing", "1\n");
	tree_add("/proc/sys/kernel/watchdog", "0\n");
	tree_add("/sys/devices/system/cpu/cpu2/cpufreq/scaling_governor",
		 "powersave\n");
	json = json_of(tree_root);
	valid_member(json);
	contains(json, "      \"findings\": [\n"
		 "        {\n"
		 "          \"name\": \"governor\",\n"
		 "          \"read\": \"powersave on CPU 2\",\n"
		 "          \"where\": \"/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor\",\n"
		 "          \"why\": \"");
	contains(json, "\",\n          \"metrics\": [\"interval\", \"send\", \"receive\", \"response\", \"total\", \"wakeup\", \"planned\", \"network\"],\n"
		 "          \"fix\": \"for f in /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor; do echo performance >$f; done\",\n"
		 "          \"mend\": \"for f in /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor; do echo performance >$f; done\"\n"
		 "        },\n        {\n          \"name\": \"numa_balancing\",\n");
	contains(json, "          \"fix\": \"sysctl kernel.numa_balancing=0\",\n          \"mend\": \"sysctl kernel.numa_balancing=0\"\n        }\n      ]\n    }\n");

	contains(table(), "FINDING  governor         powersave on CPU 2  (/sys/");
	contains(table(), "\n         disturbs: interval send receive response total wakeup planned network\n"
		 "         fix:      for f in ");
	contains(table(), "\n         disturbs: all metrics\n         fix:      sysctl");
	contains_why(json, table());
	contains(table(), "ok       watchdog         off  (/proc/sys/kernel/watchdog, /proc/sys/kernel/nmi_watchdog)\n?        timer_migration");
	contains(table(), "# 20 checks: 1 ok, 2 findings, 17 not readable\n");
	tree_add("/proc/sys/kernel/numa_balancing", "0\n");
	json_of(tree_root);
	contains(table(), "# 20 checks: 2 ok, 1 finding, 17 not readable\n");
}

/* Files that are read, each of which may hold anything. */
static const char *const paths[] = {
	"/proc/version", "/proc/cmdline", "/proc/interrupts", "/proc/stat",
	"/proc/cpuinfo", "/proc/self/cgroup", "/proc/7/comm",
	"/proc/self/timerslack_ns", "/proc/irq/7/smp_affinity_list",
	"/proc/sys/kernel/osrelease", "/proc/sys/kernel/watchdog",
	"/proc/sys/kernel/watchdog_cpumask",
	"/proc/sys/kernel/sched_rt_runtime_us",
	"/proc/sys/kernel/sched_rt_period_us",
	"/sys/kernel/realtime", "/sys/kernel/debug/sched/preempt",
	"/sys/kernel/mm/transparent_hugepage/enabled",
	"/sys/kernel/tracing/tracing_on", "/sys/kernel/tracing/events/enable",
	"/sys/kernel/tracing/current_tracer", "/sys/hypervisor/type",
	"/sys/class/dmi/id/sys_vendor", "/sys/class/dmi/id/product_name",
	"/sys/devices/system/clocksource/clocksource0/current_clocksource",
	"/sys/devices/system/clocksource/clocksource0/available_clocksource",
	"/sys/devices/system/cpu/possible", "/sys/devices/system/cpu/online",
	"/sys/devices/system/cpu/isolated", "/sys/devices/system/cpu/nohz_full",
	"/sys/devices/system/cpu/smt/active",
	"/sys/devices/system/cpu/cpuidle/current_driver",
	"/sys/devices/system/cpu/cpu2/cpuidle/state0/latency",
	"/sys/devices/system/cpu/cpu2/cpuidle/state0/name",
	"/sys/devices/system/cpu/cpu3/cpufreq/scaling_governor",
	"/sys/devices/system/cpu/cpu3/topology/thread_siblings_list",
	"/sys/devices/system/node/online",
	"/sys/devices/system/node/node0/cpulist",
	"/sys/fs/cgroup/cpuset.cpus.isolated",
	"/sys/fs/cgroup/cpu/cpu.rt_runtime_us",
	"/sys/fs/cgroup/cpu/cpu.rt_period_us", "/dev/cpu_dma_latency",
};

#define PATHS	(sizeof(paths) / sizeof(paths[0]))

static void all_hold(const char *bytes, size_t len)
{
	const char *at;
	size_t i;

	for (i = 0; i < PATHS; i++)
		tree_bytes(paths[i], bytes, len);
	valid_member(json_of(tree_root));
	/* A terminal shows it as it is: no control characters. */
	for (at = table(); *at; at++)
		assert_true(*at == '\n' || (*at >= ' ' && *at <= '~'));
}

static void test_hostile(void **state)
{
	static const char *const texts[] = {
		"", "\n", "0", "0-", "5-3", "-1\n", "%s%n%s%n", "[", "()", "(",
		"all\n", "0-1023\n", "9223372036854775807\n",
		"-9223372036854775808\n", "1 2 3\n4 5 6\n", ":::\n", "\"\\\"",
		"\033[2J\a\b", "CPU0\n 7: 1  X  \"\\\033\xff\n",
		"cpu2 1 1 1 1 1 1 1 1\ncpu3 9\n", "\"quoted never ends",
		"isolcpus=all rcu_nocbs=0- nohz_full=9999999999\n",
	};
	char *large = malloc(100000), binary[256];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		all_hold(texts[i], strlen(texts[i]));
	for (i = 0; i < sizeof(binary); i++)
		binary[i] = (char)i;
	all_hold(binary, sizeof(binary));
	assert_non_null(large);
	memset(large, '9', 100000);
	all_hold(large, 100000);
	memset(large, '\0', 100000);
	all_hold(large, 100000);
	for (i = 0; i < 100000; i++)
		large[i] = "0,CPU 7: \n"[i % 10];
	all_hold(large, 100000);
	free(large);
}

/* Random text of the characters that mean something somewhere. */
static void test_random(void **state)
{
	static const char some[] = "0123456789,-: \n()[]CPU=N/\"cpu\t%x";
	uint64_t seed = 88172645463325252;
	char text[200];
	size_t len, at;
	int i;

	(void)state;
	for (i = 0; i < 200; i++) {
		len = unit_between(&seed, 0, sizeof(text));
		for (at = 0; at < len; at++)
			text[at] = some[unit_between(&seed, 0,
						     sizeof(some) - 2)];
		all_hold(text, len);
	}
}

static void test_real_system(void **state)
{
	(void)state;
	valid_member(json_of(""));
	contains(table(), "\n# 20 checks: ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		tree_test(test_unknown),
		tree_test(test_facts),
		tree_test(test_any_command_line),
		tree_test(test_long_command_line),
		tree_test(test_findings),
		tree_test(test_hostile),
		tree_test(test_random),
		cmocka_unit_test(test_real_system),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
