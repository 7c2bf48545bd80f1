// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "rt-utils.h"
#include "tw_environ.h"
#include "tw_environ_list.h"
#include "tw_kfile.h"

static void forget(struct tw_environ *env)
{
	memset(env, 0, sizeof(*env));
	env->realtime = TW_NO_FLAG;
	env->lazy = TW_NO_FLAG;
	env->threadirqs = TW_NO_FLAG;
	env->idle_latency_us = TW_NO_NUMBER;
	env->dma_latency_us = TW_NO_NUMBER;
	env->smt = TW_NO_FLAG;
	env->smt_cpu = -1;
	env->smt_sibling = -1;
	env->nodes = TW_NO_NUMBER;
	env->client_node = TW_NO_NUMBER;
	env->server_node = TW_NO_NUMBER;
	env->numa_balancing = TW_NO_FLAG;
	env->timer_slack_ns = TW_NO_NUMBER;
	env->timer_migration = TW_NO_FLAG;
	env->timer_thread_prio = TW_NO_NUMBER;
	env->is_virtual = TW_NO_FLAG;
	env->steal_ppm = TW_NO_NUMBER;
	env->irqbalance = TW_NO_FLAG;
	env->irqs = TW_NO_NUMBER;
	env->watchdog = TW_NO_FLAG;
	env->nmi_watchdog = TW_NO_FLAG;
	env->tracing = TW_NO_FLAG;
	env->trace_events = TW_NO_FLAG;
}

static void read_flags(struct tw_environ *env, const char *root)
{
	const struct {
		const char *path;
		int *flag;
	} flags[] = {
		{ "/proc/sys/kernel/numa_balancing", &env->numa_balancing },
		{ "/proc/sys/kernel/timer_migration", &env->timer_migration },
		{ "/proc/sys/kernel/watchdog", &env->watchdog },
		{ "/proc/sys/kernel/nmi_watchdog", &env->nmi_watchdog },
		{ "/sys/kernel/tracing/tracing_on", &env->tracing },
	};
	int64_t number;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(flags); i++)
		if (tw_kfile_number(root, &number, "%s", flags[i].path))
			*flags[i].flag = number != 0;
}

static void read_texts(struct tw_environ *env, const char *root)
{
	const struct {
		const char *path;
		char *text;
	} texts[] = {
		{ "/sys/devices/system/clocksource/clocksource0/current_clocksource",
		  env->clocksource },
		{ "/sys/devices/system/clocksource/clocksource0/available_clocksource",
		  env->clocksources },
		{ "/sys/class/dmi/id/sys_vendor", env->vendor },
		{ "/sys/class/dmi/id/product_name", env->product },
		{ "/sys/class/dmi/id/bios_vendor", env->firmware_vendor },
		{ "/sys/class/dmi/id/bios_version", env->firmware_version },
		{ "/sys/class/dmi/id/bios_date", env->firmware_date },
		{ "/proc/device-tree/model", env->model },
		{ "/sys/hypervisor/type", env->hypervisor },
		{ "/sys/kernel/tracing/current_tracer", env->tracer },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(texts); i++)
		tw_kfile_text(root, texts[i].text, TW_FACT_MAX, "%s",
			      texts[i].path);
}

/* "always [madvise] never": the chosen one. */
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

	/* 0, 1, or X: some of them. */
	if (tw_kfile_text(root, line, sizeof(line),
			  "/sys/kernel/tracing/events/enable") && *line)
		env->trace_events = *line != '0';
}

static void read_watchdogs(struct tw_environ *env, const char *root)
{
	env->watched.known =
		tw_environ_list(root, CPU_SETSIZE - 1, &env->watched.set,
				"/proc/sys/kernel/watchdog_cpumask");
}

/* Twowaytest's; but those that this process makes are no news to it. */
static void read_instances(struct tw_environ *env, const char *root)
{
	char path[PATH_MAX], own[32];
	size_t size = sizeof(env->trace_instances), used = 0;
	struct dirent *entry;
	DIR *dir;

	snprintf(own, sizeof(own), "twowaytest-%d-", (int)getpid());
	snprintf(path, sizeof(path), "%s/sys/kernel/tracing/instances", root);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		const char *name = entry->d_name;

		/* It becomes part of a command. */
		if (strncmp(name, "twowaytest-", strlen("twowaytest-")) ||
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

/* The first CPU's; the kernel loads the same into all of a kind. */
static void read_microcode(struct tw_environ *env, const char *root)
{
	char *text = tw_kfile_load(root, "/proc/cpuinfo");
	char *line = text ? strstr(text, "\nmicrocode") : NULL;

	if (line)
		sscanf(line, "\nmicrocode : %31[0-9a-fx]", env->microcode);
	free(text);
}

/* x86 has a flag for it; elsewhere the machine's name must tell. */
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

/* What the host took away from the used CPUs, of all time since boot. */
static void read_steal(struct tw_environ *env, const char *root,
		       const struct tw_environ_params *params)
{
	const cpu_set_t used = tw_environ_used(params);
	char *text = tw_kfile_load(root, "/proc/stat");
	char *line, *rest = NULL;
	unsigned long long t[8];
	double all = 0, stolen = 0;
	unsigned int cpu;
	int i;

	for (line = text ? strtok_r(text, "\n", &rest) : NULL; line;
	     line = strtok_r(NULL, "\n", &rest)) {
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

/* proc(5): rt_priority is the 40th field, the 38th after the name. */
static bool read_rt_priority(int64_t *prio, const char *root, const char *pid)
{
	char text[TW_LIST_MAX], *at;
	int field;

	if (!tw_kfile_text(root, text, sizeof(text), "/proc/%s/stat", pid))
		return false;
	at = strrchr(text, ')');
	for (field = 0; at && field < 38; field++)
		at = strchr(at + 1, ' ');
	return at && sscanf(at, " %" SCNd64, prio) == 1;
}

static void read_timer_thread(struct tw_environ *env, const char *root,
			      const char *name, const char *pid,
			      const cpu_set_t *client)
{
	int64_t prio;
	int cpu;

	if (sscanf(name, "ktimers/%d", &cpu) == 1 && cpu >= 0 &&
	    cpu < CPU_SETSIZE && CPU_ISSET(cpu, client) &&
	    read_rt_priority(&prio, root, pid) &&
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

	snprintf(path, sizeof(path), "%s/proc", root);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		if (!isdigit((unsigned char)entry->d_name[0]) ||
		    !tw_kfile_text(root, name, sizeof(name),
				   "/proc/%s/comm", entry->d_name))
			continue;
		if (env->irqbalance == TW_NO_FLAG)
			env->irqbalance = 0;
		if (!strcmp(name, "irqbalance"))
			env->irqbalance = 1;
		read_timer_thread(env, root, name, entry->d_name,
				  &params->client);
	}
	if (dir)
		closedir(dir);
}

void tw_environ_read(struct tw_environ *env, const char *root,
		     const struct tw_environ_params *params)
{
	int64_t slack_ns;

	forget(env);
	tw_environ_read_kernel(env, root);
	read_flags(env, root);
	read_texts(env, root);
	read_huge_pages(env, root);
	read_trace_events(env, root);
	read_instances(env, root);
	tw_throttle_read(&env->throttle, root, env->release);
	tw_cgroup_read(&env->cgroup, root);
	if (tw_kfile_number(root, &slack_ns, "/proc/self/timerslack_ns"))
		env->timer_slack_ns = slack_ns;
	read_watchdogs(env, root);
	read_microcode(env, root);
	read_virtual(env, root);
	read_steal(env, root, params);
	read_processes(env, root, params);
	tw_environ_read_cpus(env, root, params);
	tw_environ_read_irqs(env, root, params);
}
