// SPDX-License-Identifier: GPL-2.0-or-later
/* Reports the state of the system: in the JSON, and as the table of --check. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <time.h>

#include "rt-utils.h"
#include "tw_json.h"
#include "tw_place.h"
#include "tw_report.h"

static void write_text(FILE *file, const void *fact)
{
	const char *text = fact;

	tw_json_string(file, *text ? text : NULL);
}

static void write_flag(FILE *file, const void *fact)
{
	const int *flag = fact;

	fprintf(file, "%s", *flag == TW_NO_FLAG ? "null" :
			    tw_json_bool(*flag));
}

static void write_number(FILE *file, const void *fact)
{
	const int64_t *number = fact;

	if (*number == TW_NO_NUMBER)
		fprintf(file, "null");
	else
		fprintf(file, "%" PRId64, *number);
}

static void write_cpus(FILE *file, const void *fact)
{
	const struct tw_cpus *cpus = fact;
	char list[4096];

	tw_place_format(&cpus->set, list, sizeof(list));
	tw_json_string(file, cpus->known ? list : NULL);
}

static void write_throttle(FILE *file, const void *fact)
{
	const struct tw_throttle *throttle = fact;

	if (!throttle->known) {
		fprintf(file, "null");
		return;
	}
	fprintf(file, "{\"rt_runtime_us\": %" PRId64 ", \"rt_period_us\": %"
		PRId64 ", \"rt_group_sched\": %s, \"fair_server\": %s}",
		throttle->runtime_us, throttle->period_us,
		tw_json_bool(throttle->group),
		tw_json_bool(throttle->fair_server));
}

static const struct {
	const char *name;
	void (*write)(FILE *file, const void *fact);
	size_t offset;
} facts[] = {
#define FACT(name, kind, member) \
	{ name, write_##kind, offsetof(struct tw_environ, member) }
	FACT("release", text, release),
	FACT("preemption", text, preemption),
	FACT("preempt_mode", text, preempt_mode),
	FACT("preempt_lazy", flag, lazy),
	FACT("realtime", flag, realtime),
	FACT("boot_command_line", text, command_line),
	FACT("boot_preempt", text, preempt),
	FACT("boot_isolcpus", text, isolcpus),
	FACT("boot_nohz_full", text, nohz_full),
	FACT("boot_rcu_nocbs", text, rcu_nocbs),
	FACT("boot_idle", text, idle),
	FACT("boot_mitigations", text, mitigations),
	FACT("boot_skew_tick", text, skew_tick),
	FACT("boot_threadirqs", flag, threadirqs),
	FACT("online_cpus", cpus, online),
	FACT("isolated_cpus", cpus, isolated),
	FACT("nohz_full_cpus", cpus, tickless),
	FACT("rcu_nocbs_cpus", cpus, no_callbacks),
	FACT("clocksource", text, clocksource),
	FACT("clocksources", text, clocksources),
	FACT("governor", text, governor),
	FACT("not_performance_cpus", cpus, not_performance),
	FACT("idle_driver", text, idle_driver),
	FACT("idle_governor", text, idle_governor),
	FACT("idle_state", text, idle_state),
	FACT("idle_latency_us", number, idle_latency_us),
	FACT("cpu_dma_latency_us", number, dma_latency_us),
	FACT("smt", flag, smt),
	FACT("sibling_cpus", cpus, siblings),
	FACT("numa_nodes", number, nodes),
	FACT("client_node", number, client_node),
	FACT("server_node", number, server_node),
	FACT("numa_balancing", flag, numa_balancing),
	FACT("huge_pages", text, huge_pages),
	FACT("throttling", throttle, throttle),
	FACT("cgroup_rt_runtime_us", number, cgroup.runtime_us),
	FACT("cgroup_rt_period_us", number, cgroup.period_us),
	FACT("timer_slack_ns", number, timer_slack_ns),
	FACT("timer_migration", flag, timer_migration),
	FACT("timer_thread_priority", number, timer_thread_prio),
	FACT("virtual", flag, is_virtual),
	FACT("machine_vendor", text, vendor),
	FACT("machine_product", text, product),
	FACT("machine_model", text, model),
	FACT("microcode", text, microcode),
	FACT("firmware_vendor", text, firmware_vendor),
	FACT("firmware_version", text, firmware_version),
	FACT("firmware_date", text, firmware_date),
	FACT("hypervisor", text, hypervisor),
	FACT("steal_ppm", number, steal_ppm),
	FACT("irqbalance", flag, irqbalance),
	FACT("irqs", number, irqs),
	FACT("irq_names", text, irq_names),
	FACT("watchdog", flag, watchdog),
	FACT("nmi_watchdog", flag, nmi_watchdog),
	FACT("watchdog_cpus", cpus, watched),
	FACT("tracing", flag, tracing),
	FACT("tracer", text, tracer),
	FACT("trace_events", flag, trace_events),
	FACT("trace_instances", text, trace_instances),
#undef FACT
};

static void write_member(FILE *file, const char *name, const char *text)
{
	fprintf(file, "          \"%s\": ", name);
	tw_json_string(file, text);
	fprintf(file, ",\n");
}

static void write_metrics(FILE *file, unsigned int metrics, const char *quote,
			  const char *between)
{
	const char *before = "";
	int i;

	for (i = 0; i < TW_METRICS; i++) {
		if (!(metrics & 1u << i))
			continue;
		fprintf(file, "%s%s%s%s", before, quote, tw_metrics[i].token,
			quote);
		before = between;
	}
}

static void write_finding(FILE *file, const struct tw_finding *finding)
{
	fprintf(file, "        {\n");
	write_member(file, "name", finding->name);
	write_member(file, "read", finding->read);
	write_member(file, "where", finding->where);
	write_member(file, "why", finding->why);
	fprintf(file, "          \"metrics\": [");
	write_metrics(file, finding->metrics, "\"", ", ");
	fprintf(file, "],\n          \"fix\": ");
	tw_json_string(file, finding->fix);
	/* As it was called at first. */
	fprintf(file, ",\n          \"mend\": ");
	tw_json_string(file, finding->fix);
	fprintf(file, "\n        }");
}

void tw_report_json_environ(FILE *file, const struct tw_environ *env,
			    const struct tw_finding findings[TW_CHECKS])
{
	const char *before = "\n";
	size_t i;

	fprintf(file, "    \"environment\": {\n");
	for (i = 0; i < ARRAY_SIZE(facts); i++) {
		fprintf(file, "      \"%s\": ", facts[i].name);
		facts[i].write(file, (const char *)env + facts[i].offset);
		fprintf(file, ",\n");
	}
	fprintf(file, "      \"findings\": [");
	for (i = 0; i < TW_CHECKS; i++) {
		if (findings[i].result != TW_CHECK_FINDING)
			continue;
		fprintf(file, "%s", before);
		write_finding(file, &findings[i]);
		before = ",\n";
	}
	fprintf(file, "\n      ]\n    },\n");
}

void tw_report_check(FILE *file, const struct tw_finding findings[TW_CHECKS])
{
	static const char *const results[] = {
		[TW_CHECK_UNREAD] = "?", [TW_CHECK_OK] = "ok",
		[TW_CHECK_FINDING] = "FINDING",
	};
	int counts[ARRAY_SIZE(results)] = { 0 };
	int i;

	for (i = 0; i < TW_CHECKS; i++) {
		const struct tw_finding *finding = &findings[i];

		counts[finding->result]++;
		fprintf(file, "%-7s  %-15s  %s  (%s)\n",
			results[finding->result], finding->name,
			*finding->read ? finding->read : "cannot be read",
			finding->where);
		if (finding->result != TW_CHECK_FINDING)
			continue;
		fprintf(file, "         why:      %s\n", finding->why);
		fprintf(file, "         disturbs: ");
		if (finding->metrics == TW_CHECK_ALL)
			fprintf(file, "all metrics");
		else
			write_metrics(file, finding->metrics, "", " ");
		fprintf(file, "\n         fix:      %s\n", finding->fix);
	}
	fprintf(file, "# %d checks: %d ok, %d %s, %d not readable\n", TW_CHECKS,
		counts[TW_CHECK_OK], counts[TW_CHECK_FINDING],
		counts[TW_CHECK_FINDING] == 1 ? "finding" : "findings",
		counts[TW_CHECK_UNREAD]);
}
