// SPDX-License-Identifier: GPL-2.0-or-later
/* Each fact of the environment in the JSON: under its name, with its value. */
#include "tree.h"
#include "check/tw_report_environ.h"

static struct tw_finding findings[TW_CHECKS];

/* What is written about @env; until the next call. */
static const char *json_of(const struct tw_environ *env)
{
	struct tw_json json;
	static char *text;
	size_t size;
	FILE *file;

	free(text);
	file = open_memstream(&text, &size);
	assert_non_null(file);
	tw_json_open(&json, file, 2);
	tw_report_json_environ(&json, env, findings);
	tw_json_close(&json);
	assert_int_equal(fclose(file), 0);
	return text;
}

/* No two members alike, so that none can be taken for another. */
static struct tw_environ all_different(void)
{
	struct tw_environ env = {
		.release = "release", .preemption = "preemption",
		.preempt_mode = "mode", .lazy = 1, .realtime = 0,
		.command_line = "line", .preempt = "preempt",
		.isolcpus = "isolcpus", .nohz_full = "nohz",
		.rcu_nocbs = "nocbs", .idle = "idle", .mitigations = "mit",
		.skew_tick = "skew", .threadirqs = TW_NO_FLAG,
		.online = { true, one_cpu(1) },
		.isolated = { true, one_cpu(2) },
		.tickless = { true, one_cpu(3) },
		.no_callbacks = { true, one_cpu(4) },
		.clocksource = "clock", .clocksources = "clocks",
		.governor = "governor", .not_performance = { true, one_cpu(5) },
		.idle_driver = "driver", .idle_governor = "menu",
		.idle_state = "C6", .idle_latency_us = 11,
		.dma_latency_us = -1, .smt = 1,
		.siblings = { true, one_cpu(6) }, .nodes = 13,
		.client_node = 14, .server_node = 15, .numa_balancing = 0,
		.huge_pages = "huge", .throttle = {
			.known = true, .runtime_us = 16, .period_us = 17,
			.group = true, .fair_server = false,
		},
		.cgroup = { .runtime_us = 18, .period_us = 19 },
		.timer_slack_ns = 20000000000, .timer_migration = TW_NO_FLAG,
		.timer_thread_prio = 21, .is_virtual = 1, .vendor = "vendor",
		.product = "product", .model = "model",
		.microcode = "microcode", .firmware_vendor = "fvendor",
		.firmware_version = "fversion", .firmware_date = "fdate",
		.hypervisor = "hypervisor", .steal_ppm = 22, .irqbalance = 0,
		.irqs = 23, .irq_names = "names", .watchdog = 1,
		.nmi_watchdog = 0, .watched = { true, one_cpu(7) },
		.tracing = 1, .tracer = "tracer", .trace_events = TW_NO_FLAG,
		.trace_instances = "instances",
	};

	return env;
}

static const char all[] =
	"    \"environment\": {\n"
	"      \"release\": \"release\",\n"
	"      \"preemption\": \"preemption\",\n"
	"      \"preempt_mode\": \"mode\",\n"
	"      \"preempt_lazy\": true,\n"
	"      \"realtime\": false,\n"
	"      \"boot_command_line\": \"line\",\n"
	"      \"boot_preempt\": \"preempt\",\n"
	"      \"boot_isolcpus\": \"isolcpus\",\n"
	"      \"boot_nohz_full\": \"nohz\",\n"
	"      \"boot_rcu_nocbs\": \"nocbs\",\n"
	"      \"boot_idle\": \"idle\",\n"
	"      \"boot_mitigations\": \"mit\",\n"
	"      \"boot_skew_tick\": \"skew\",\n"
	"      \"boot_threadirqs\": null,\n"
	"      \"online_cpus\": \"1\",\n"
	"      \"isolated_cpus\": \"2\",\n"
	"      \"nohz_full_cpus\": \"3\",\n"
	"      \"rcu_nocbs_cpus\": \"4\",\n"
	"      \"clocksource\": \"clock\",\n"
	"      \"clocksources\": \"clocks\",\n"
	"      \"governor\": \"governor\",\n"
	"      \"not_performance_cpus\": \"5\",\n"
	"      \"idle_driver\": \"driver\",\n"
	"      \"idle_governor\": \"menu\",\n"
	"      \"idle_state\": \"C6\",\n"
	"      \"idle_latency_us\": 11,\n"
	"      \"cpu_dma_latency_us\": -1,\n"
	"      \"smt\": true,\n"
	"      \"sibling_cpus\": \"6\",\n"
	"      \"numa_nodes\": 13,\n"
	"      \"client_node\": 14,\n"
	"      \"server_node\": 15,\n"
	"      \"numa_balancing\": false,\n"
	"      \"huge_pages\": \"huge\",\n"
	"      \"throttling\": {\"rt_runtime_us\": 16, \"rt_period_us\": 17, \"rt_group_sched\": true, \"fair_server\": false},\n"
	"      \"cgroup_rt_runtime_us\": 18,\n"
	"      \"cgroup_rt_period_us\": 19,\n"
	"      \"timer_slack_ns\": 20000000000,\n"
	"      \"timer_migration\": null,\n"
	"      \"timer_thread_priority\": 21,\n"
	"      \"virtual\": true,\n"
	"      \"machine_vendor\": \"vendor\",\n"
	"      \"machine_product\": \"product\",\n"
	"      \"machine_model\": \"model\",\n"
	"      \"microcode\": \"microcode\",\n"
	"      \"firmware_vendor\": \"fvendor\",\n"
	"      \"firmware_version\": \"fversion\",\n"
	"      \"firmware_date\": \"fdate\",\n"
	"      \"hypervisor\": \"hypervisor\",\n"
	"      \"steal_ppm\": 22,\n"
	"      \"irqbalance\": false,\n"
	"      \"irqs\": 23,\n"
	"      \"irq_names\": \"names\",\n"
	"      \"watchdog\": true,\n"
	"      \"nmi_watchdog\": false,\n"
	"      \"watchdog_cpus\": \"7\",\n"
	"      \"tracing\": true,\n"
	"      \"tracer\": \"tracer\",\n"
	"      \"trace_events\": null,\n"
	"      \"trace_instances\": \"instances\",\n"
	"      \"findings\": []\n"
	"    }\n";

static void test_all(void **state)
{
	const struct tw_environ env = all_different();

	(void)state;
	assert_string_equal(json_of(&env), all);
}

/* One value for each line; a kernel without the file is not real-time. */
static void test_none(void **state)
{
	const char *line = strchr(json_of(read_tree()), '\n') + 1;
	int facts = 0;

	(void)state;
	while (strncmp(line, "      \"findings\"", 16)) {
		const char *value = strchr(line, ':') + 2;
		const char *want = strncmp(line, "      \"realtime\"", 16) ?
				   "null,\n" : "false,\n";

		assert_memory_equal(value, want, strlen(want));
		line = strchr(line, '\n') + 1;
		facts++;
	}
	assert_int_equal(facts, 60);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		tree_test(test_all),
		tree_test(test_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
