// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "rt-utils.h"
#include "base/tw_kfile.h"
#include "check/tw_environ.h"

#define SYSCTL		"/proc/sys/kernel/"
#define CPU_DIR		"/sys/devices/system/cpu/"
#define CLOCK_DIR	"/sys/devices/system/clocksource/clocksource0/"
#define DMI_DIR		"/sys/class/dmi/id/"
#define TRACE_DIR	"/sys/kernel/tracing/"
#define INSTANCE	"twowaytest-"	/* begins the name of one of ours */

const struct tw_fact tw_facts[] = {
#define FACT(name, kind, member, source) \
	{ name, TW_FACT_##kind, offsetof(struct tw_environ, member), \
	  sizeof(((struct tw_environ *)0)->member), source }
	FACT("release", TEXT, release, SYSCTL "osrelease"),
	FACT("preemption", TEXT, preemption, NULL),
	FACT("preempt_mode", TEXT, preempt_mode, NULL),
	FACT("preempt_lazy", FLAG, lazy, NULL),
	FACT("realtime", FLAG, realtime, NULL),
	FACT("boot_command_line", TEXT, command_line, NULL),
	FACT("boot_preempt", TEXT, preempt, "preempt"),
	FACT("boot_isolcpus", TEXT, isolcpus, "isolcpus"),
	FACT("boot_nohz_full", TEXT, nohz_full, "nohz_full"),
	FACT("boot_rcu_nocbs", TEXT, rcu_nocbs, "rcu_nocbs"),
	FACT("boot_idle", TEXT, idle, "idle"),
	FACT("boot_mitigations", TEXT, mitigations, "mitigations"),
	FACT("boot_skew_tick", TEXT, skew_tick, "skew_tick"),
	FACT("boot_threadirqs", FLAG, threadirqs, "threadirqs"),
	FACT("online_cpus", CPUS, online, CPU_DIR "online"),
	FACT("isolated_cpus", CPUS, isolated, NULL),
	FACT("nohz_full_cpus", CPUS, tickless, NULL),
	FACT("rcu_nocbs_cpus", CPUS, no_callbacks, NULL),
	FACT("clocksource", TEXT, clocksource, CLOCK_DIR "current_clocksource"),
	FACT("clocksources", TEXT, clocksources,
	     CLOCK_DIR "available_clocksource"),
	FACT("governor", TEXT, governor, NULL),
	FACT("not_performance_cpus", CPUS, not_performance, NULL),
	FACT("idle_driver", TEXT, idle_driver,
	     CPU_DIR "cpuidle/current_driver"),
	FACT("idle_governor", TEXT, idle_governor,
	     CPU_DIR "cpuidle/current_governor"),
	FACT("idle_state", TEXT, idle_state, NULL),
	FACT("idle_latency_us", NUMBER, idle_latency_us, NULL),
	FACT("cpu_dma_latency_us", NUMBER, dma_latency_us, NULL),
	FACT("smt", FLAG, smt, CPU_DIR "smt/active"),
	FACT("sibling_cpus", CPUS, siblings, NULL),
	FACT("numa_nodes", NUMBER, nodes, NULL),
	FACT("client_node", NUMBER, client_node, NULL),
	FACT("server_node", NUMBER, server_node, NULL),
	FACT("numa_balancing", FLAG, numa_balancing, SYSCTL "numa_balancing"),
	FACT("huge_pages", TEXT, huge_pages, NULL),
	FACT("throttling", THROTTLE, throttle, NULL),
	FACT("cgroup_rt_runtime_us", NUMBER, cgroup.runtime_us, NULL),
	FACT("cgroup_rt_period_us", NUMBER, cgroup.period_us, NULL),
	FACT("timer_slack_ns", NUMBER, timer_slack_ns,
	     "/proc/self/timerslack_ns"),
	FACT("timer_migration", FLAG, timer_migration,
	     SYSCTL "timer_migration"),
	FACT("timer_thread_priority", NUMBER, timer_thread_prio, NULL),
	FACT("virtual", FLAG, is_virtual, NULL),
	FACT("machine_vendor", TEXT, vendor, DMI_DIR "sys_vendor"),
	FACT("machine_product", TEXT, product, DMI_DIR "product_name"),
	FACT("machine_model", TEXT, model, "/proc/device-tree/model"),
	FACT("microcode", TEXT, microcode, NULL),
	FACT("firmware_vendor", TEXT, firmware_vendor, DMI_DIR "bios_vendor"),
	FACT("firmware_version", TEXT, firmware_version,
	     DMI_DIR "bios_version"),
	FACT("firmware_date", TEXT, firmware_date, DMI_DIR "bios_date"),
	FACT("hypervisor", TEXT, hypervisor, "/sys/hypervisor/type"),
	FACT("steal_ppm", NUMBER, steal_ppm, NULL),
	FACT("irqbalance", FLAG, irqbalance, NULL),
	FACT("irqs", NUMBER, irqs, NULL),
	FACT("irq_names", TEXT, irq_names, NULL),
	FACT("watchdog", FLAG, watchdog, SYSCTL "watchdog"),
	FACT("nmi_watchdog", FLAG, nmi_watchdog, SYSCTL "nmi_watchdog"),
	FACT("watchdog_cpus", CPUS, watched, SYSCTL "watchdog_cpumask"),
	FACT("tracing", FLAG, tracing, TRACE_DIR "tracing_on"),
	FACT("tracer", TEXT, tracer, TRACE_DIR "current_tracer"),
	FACT("trace_events", FLAG, trace_events, NULL),
	FACT("trace_instances", TEXT, trace_instances, NULL),
	{ .name = NULL }
#undef FACT
};

/* Unknown, unless a file contains it as it is. */
static void read_fact(const struct tw_fact *fact, void *at, const char *root)
{
	bool is_file = fact->source && *fact->source == '/';
	const char *path = is_file ? fact->source : "";
	struct tw_cpus *cpus = at;
	int64_t number;

	switch (fact->kind) {
	case TW_FACT_TEXT:
		if (is_file)
			tw_kfile_text(root, at, fact->size, "%s", path);
		break;
	case TW_FACT_FLAG:
		*(int *)at = is_file &&
			     tw_kfile_number(root, &number, "%s", path) ?
			     number != 0 : TW_NO_FLAG;
		break;
	case TW_FACT_NUMBER:
		*(int64_t *)at = is_file &&
				 tw_kfile_number(root, &number, "%s", path) ?
				 number : TW_NO_NUMBER;
		break;
	case TW_FACT_CPUS:
		cpus->known = is_file &&
			      tw_cpus_read(root, CPU_SETSIZE - 1,
					   &cpus->set, "%s", path);
		break;
	case TW_FACT_THROTTLE:
		break;
	}
}

static void read_facts(struct tw_environ *env, const char *root)
{
	const struct tw_fact *fact;

	memset(env, 0, sizeof(*env));
	env->smt_cpu = -1;
	env->smt_sibling = -1;
	for (fact = tw_facts; fact->name; fact++)
		read_fact(fact, (char *)env + fact->offset, root);
}

/* "always [madvise] never": the word in brackets. */
static void read_huge_pages(struct tw_environ *env, const char *root)
{
	char line[TW_FACT_MAX];

	if (tw_kfile_text(root, line, sizeof(line),
			  "/sys/kernel/mm/transparent_hugepage/enabled"))
		sscanf(line, "%*[^[][%255[^]]]", env->huge_pages);
	if (!*env->huge_pages)
		sscanf(line, "[%255[^]]]", env->huge_pages);
}

static void read_trace_events(struct tw_environ *env, const char *root)
{
	char line[8];

	/* 0: none, 1: all, X: some. */
	if (tw_kfile_text(root, line, sizeof(line),
			  TRACE_DIR "events/enable") && *line)
		env->trace_events = *line != '0';
}

/* The trace instances of other processes of either program. */
static void read_instances(struct tw_environ *env, const char *root)
{
	char path[PATH_MAX], own[32];
	size_t size = sizeof(env->trace_instances), used = 0;
	struct dirent *entry;
	DIR *dir;

	snprintf(own, sizeof(own), INSTANCE "%d-", (int)getpid());
	snprintf(path, sizeof(path), "%s" TRACE_DIR "instances", root);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		const char *name = entry->d_name;

		/* The user may copy the name into a shell command. */
		if (strncmp(name, INSTANCE, strlen(INSTANCE)) ||
		    name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-")] ||
		    !strncmp(name, own, strlen(own)) ||
		    used + strlen(name) + 2 > size)
			continue;
		used += snprintf(env->trace_instances + used, size - used,
				 "%s%s", used ? " " : "", name);
	}
	if (dir)
		closedir(dir);
}

/* Of the first CPU; the kernel loads the same version into all. */
static void read_microcode(struct tw_environ *env, const char *root)
{
	char *text = tw_kfile_load(root, "/proc/cpuinfo");
	char *line = text ? strstr(text, "\nmicrocode") : NULL;

	if (line)
		sscanf(line, "\nmicrocode : %31[0-9a-fx]", env->microcode);
	free(text);
}

/* x86 has a CPU flag for it; otherwise only names can show it. */
static void read_virtual(struct tw_environ *env, const char *root)
{
	static const char *const names[] = {
		"QEMU", "KVM", "Virtual", "VMware", "Xen", "HVM domU",
		"Google Compute Engine", "Bochs", "Parallels",
	};
	char head[8192], *flags, *end;
	int len;
	size_t i;

	if (*env->vendor || *env->product)
		env->is_virtual = 0;
	len = tw_kfile_bytes(root, head, sizeof(head) - 1, "/proc/cpuinfo");
	head[len > 0 ? len : 0] = '\0';
	flags = strstr(head, "\nflags");
	if (flags) {
		end = strchr(flags + 1, '\n');
		if (end)
			*end = '\0';
		env->is_virtual = strstr(flags, " hypervisor") != NULL;
	}
	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (strstr(env->vendor, names[i]) ||
		    strstr(env->product, names[i]))
			env->is_virtual = 1;
	if (*env->hypervisor)
		env->is_virtual = 1;
}

/* The share of the used CPUs' time since boot that the host took. */
static void read_steal(struct tw_environ *env, const char *root,
		       const struct tw_environ_params *params)
{
	const cpu_set_t used = tw_environ_used(params);
	char *text = tw_kfile_load(root, "/proc/stat");
	char *line, *rest = text;
	unsigned long long t[8];
	double all = 0, stolen = 0;
	unsigned int cpu;
	int i;

	while ((line = strsep(&rest, "\n"))) {
		if (sscanf(line, "cpu%6u %llu %llu %llu %llu %llu %llu %llu %llu",
			   &cpu, &t[0], &t[1], &t[2], &t[3], &t[4], &t[5],
			   &t[6], &t[7]) != 9 ||
		    cpu >= CPU_SETSIZE || !CPU_ISSET(cpu, &used))
			continue;
		for (i = 0; i < 8; i++)
			all += (double)t[i];
		stolen += (double)t[7];
	}
	free(text);
	if (all > 0)
		env->steal_ppm = (int64_t)(stolen / all * 1e6);
}

static void read_timer_thread(struct tw_environ *env, const char *root,
			      const char *name, int pid,
			      const cpu_set_t *client)
{
	int64_t prio;
	int cpu;

	if (sscanf(name, "ktimers/%d", &cpu) == 1 && cpu >= 0 &&
	    cpu < CPU_SETSIZE && CPU_ISSET(cpu, client) &&
	    tw_kfile_stat(root, &prio, pid, 40) &&	/* rt_priority */
	    (env->timer_thread_prio == TW_NO_NUMBER ||
	     prio < env->timer_thread_prio))
		env->timer_thread_prio = prio;
}

static void read_processes(struct tw_environ *env, const char *root,
			   const struct tw_environ_params *params)
{
	char path[PATH_MAX], name[32];
	struct dirent *entry;
	DIR *dir;
	int pid;

	snprintf(path, sizeof(path), "%s/proc", root);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		pid = atoi(entry->d_name);
		if (pid <= 0 || !tw_kfile_text(root, name, sizeof(name),
					       "/proc/%d/comm", pid))
			continue;
		if (env->irqbalance == TW_NO_FLAG)
			env->irqbalance = 0;
		if (!strcmp(name, "irqbalance"))
			env->irqbalance = 1;
		read_timer_thread(env, root, name, pid, &params->client);
	}
	if (dir)
		closedir(dir);
}

void tw_environ_read(struct tw_environ *env, const char *root,
		     const struct tw_environ_params *params)
{
	read_facts(env, root);
	tw_environ_read_kernel(env, root);
	read_huge_pages(env, root);
	read_trace_events(env, root);
	read_instances(env, root);
	tw_throttle_read(&env->throttle, root, env->release);
	tw_cgroup_read(&env->cgroup, root);
	read_microcode(env, root);
	read_virtual(env, root);
	read_steal(env, root, params);
	read_processes(env, root, params);
	tw_environ_read_cpus(env, root, params);
	tw_environ_read_irqs(env, root, params);
}
