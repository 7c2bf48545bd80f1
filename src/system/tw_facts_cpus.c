// SPDX-License-Identifier: GPL-2.0-or-later
/* The CPUs that are measured, and what interrupts them. */
#include <dirent.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tw_array.h"
#include "tw_check.h"
#include "tw_cpus.h"
#include "tw_read.h"

#define NODE_DIR	"/sys/devices/system/node/"

#define CPU_FILE	TW_CPUS_DIR "cpu%d/%s"
#define IRQ_FILE	"/sys/kernel/irq/%d/%s"
#define IRQ_CPUS	"/proc/irq/%d/%s"

/* A file of a numbered thing; valid until the next call. */
static const char *file_of(const char *format, int number, const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), format, number, name);
	return path;
}

static bool is_outside(const struct tw_value *value)
{
	cpu_set_t both;

	if (!value->of->pinned || !tw_cpus_parse(&both, value->text))
		return false;
	CPU_AND(&both, &both, &value->of->cpus);
	return !CPU_EQUAL(&both, &value->of->cpus);
}

static void read_isolated(struct tw_value *value)
{
	cpu_set_t cpus;

	if (tw_cpus_isolated(&cpus))
		tw_check_cpus(value, &cpus);
}

/* nohz_full CPUs are among them. */
static void read_no_callbacks(struct tw_value *value)
{
	char list[TW_READ_LINE] = "";
	cpu_set_t cpus, tickless;

	if (!tw_read_text(list, sizeof(list), "/proc/cmdline"))
		return;
	if (!tw_facts_boot(list, sizeof(list), "rcu_nocbs"))
		list[0] = '\0';
	if (!tw_cpus_parse(&cpus, list))
		return;
	if (tw_cpus_read(&tickless, TW_CPUS_DIR "nohz_full"))
		CPU_OR(&cpus, &cpus, &tickless);
	tw_check_cpus(value, &cpus);
}

/* The first that is not performance, if there is one. */
static void read_governor(struct tw_value *value)
{
	char name[64];
	int cpu;

	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &value->of->cpus) &&
		    tw_read_text(name, sizeof(name),
				 file_of(CPU_FILE, cpu, "cpufreq/scaling_governor")) &&
		    *name && (!value->known ||
			      !strcmp(value->text, "performance")))
			tw_check_text(value, name);
}

static bool is_no_performance(const struct tw_value *value)
{
	return strcmp(value->text, "performance") != 0;
}

/* The longest that an enabled state takes to leave. */
static void read_idle_cpu(struct tw_value *value, int cpu)
{
	int64_t latency_us, disabled;
	char file[64];
	int i;

	for (i = 0; i < 32; i++) {
		snprintf(file, sizeof(file), "cpuidle/state%d/latency", i);
		if (!tw_read_number(&latency_us, file_of(CPU_FILE, cpu, file)))
			return;
		if (!value->known)
			tw_check_number(value, 0);
		snprintf(file, sizeof(file), "cpuidle/state%d/disable", i);
		if ((tw_read_number(&disabled, file_of(CPU_FILE, cpu, file)) &&
		     disabled) || latency_us <= value->number)
			continue;
		value->number = latency_us;
	}
}

static void read_idle(struct tw_value *value)
{
	char driver[64];
	int cpu;

	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &value->of->cpus))
			read_idle_cpu(value, cpu);
	/* Such as with idle=poll: there is nothing to leave. */
	if (!value->known && tw_read_text(driver, sizeof(driver),
					  TW_CPUS_DIR "cpuidle/current_driver") &&
	    !strcmp(driver, "none"))
		tw_check_number(value, 0);
}

/* A binary number that only root may read: of all requests, ours, too. */
static bool read_dma_latency(int64_t *latency_us)
{
	int32_t us;

	if (tw_read_bytes(&us, sizeof(us), "/dev/cpu_dma_latency") !=
	    (ssize_t)sizeof(us))
		return false;
	*latency_us = us;
	return true;
}

static void read_allowed(struct tw_value *value)
{
	value->known = read_dma_latency(&value->number);
}

static bool may_sleep(const struct tw_value *value)
{
	int64_t allowed_us;

	return value->number > 0 &&
	       !(read_dma_latency(&allowed_us) && !allowed_us);
}

static void read_siblings(struct tw_value *value)
{
	cpu_set_t all, threads, online;
	int cpu;

	CPU_ZERO(&all);
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &value->of->cpus) ||
		    !tw_cpus_read(&threads, file_of(CPU_FILE, cpu,
					"topology/thread_siblings_list")))
			continue;
		CPU_CLR(cpu, &threads);
		CPU_OR(&all, &all, &threads);
		value->known = true;
	}
	if (!value->known)
		return;
	if (tw_cpus_read(&online, TW_CPUS_DIR "online"))
		CPU_AND(&all, &all, &online);
	tw_check_cpus(value, &all);
}

/* Those of the measured CPUs. */
static void read_nodes(struct tw_value *value)
{
	cpu_set_t nodes;
	glob_t found;
	int cpu;

	CPU_ZERO(&nodes);
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &value->of->cpus) &&
		    !glob(file_of(CPU_FILE, cpu, "node[0-9]*"), GLOB_NOSORT,
			  NULL, &found)) {
			CPU_SET(atoi(strrchr(found.gl_pathv[0], '/') + 5),
				&nodes);
			globfree(&found);
		}
	if (CPU_COUNT(&nodes))
		tw_check_cpus(value, &nodes);
}

static bool is_several(const struct tw_value *value)
{
	return value->of->pinned && strpbrk(value->text, ",-");
}

/* Each CPU has interrupts of its own, which cannot be moved. */
static bool is_per_cpu(int irq, const char *name)
{
	static const char *const names[] = {
		"timer", "arch_timer", "riscv-timer", "arm-pmu", "cascade",
		"IPI",
	};
	char chip[64] = "";
	int64_t line;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	tw_read_text(chip, sizeof(chip), file_of(IRQ_FILE, irq, "chip_name"));
	if (!strcmp(chip, "RISC-V INTC") || !strcmp(chip, "xen-percpu"))
		return true;
	/* The first 32 lines of ARM's controllers, but not of GICv2m. */
	return !strncmp(chip, "GIC", 3) && strncmp(chip, "GICv2m", 6) &&
	       tw_read_number(&line, file_of(IRQ_FILE, irq, "hwirq")) &&
	       line < 32;
}

static bool may_fire(int irq, const cpu_set_t *on)
{
	cpu_set_t cpus;

	if ((!tw_cpus_read(&cpus, file_of(IRQ_CPUS, irq,
					  "effective_affinity_list")) ||
	     !CPU_COUNT(&cpus)) &&
	    !tw_cpus_read(&cpus, file_of(IRQ_CPUS, irq, "smp_affinity_list")))
		return false;
	CPU_AND(&cpus, &cpus, on);
	return CPU_COUNT(&cpus);
}

/* Numbered interrupts with a handler: the first, and how many more. */
static void read_irqs(struct tw_value *value)
{
	DIR *dir = opendir(value->from);
	char list[256] = "", name[64];
	struct dirent *entry;
	size_t used = 0;
	int more = 0;

	if (!dir)
		return;
	while ((entry = readdir(dir))) {
		int irq = atoi(entry->d_name);

		if (!tw_read_text(name, sizeof(name),
				  file_of(IRQ_FILE, irq, "actions")) ||
		    !*name || *entry->d_name == '.' || is_per_cpu(irq, name) ||
		    !may_fire(irq, &value->of->cpus))
			continue;
		if (used + sizeof(name) + 32 > sizeof(list))
			more++;
		else
			used += sprintf(list + used, "%s%d %s",
					used ? ", " : "", irq, name);
	}
	closedir(dir);
	if (more)
		sprintf(list + used, ", and %d more", more);
	tw_check_text(value, list);
}

static bool is_pinned_and_any(const struct tw_value *value)
{
	return value->of->pinned && *value->text;
}

const struct tw_fact tw_facts_cpus[] = {
	{ "online_cpus", TW_FACT_CPUS, "CPUs that are online.",
	  .from = TW_CPUS_DIR "online" },
	{ "isolated_cpus", TW_FACT_CPUS, "CPUs that the scheduler does not balance.",
	  NULL, read_isolated,
	  is_outside,
	  "the scheduler may put other tasks on the measured CPUs",
	  "boot with isolcpus=managed_irq,domain,@, and measure on these CPUs only (-a): the system needs CPU 0\n"
	  "measure on CPUs that are isolated: -a " },
	{ "nohz_full_cpus", TW_FACT_CPUS, "CPUs without a tick while one task runs.",
	  .from = TW_CPUS_DIR "nohz_full" },
	{ "rcu_nocbs_cpus", TW_FACT_CPUS, "CPUs that do not run RCU callbacks.",
	  NULL, read_no_callbacks, is_outside,
	  "the kernel frees memory in batches (RCU callbacks) on the measured CPUs",
	  "boot with rcu_nocbs=@, and measure on these CPUs only (-a)" },
	{ "governor", TW_FACT_TEXT, "Of the CPU frequency: the first of a used CPU that is not performance.",
	  NULL, read_governor, is_no_performance,
	  "the frequency of a CPU that is idle between cycles is lowered: the work of a cycle takes longer, by a time that depends on the load",
	  "for f in " TW_CPUS_DIR "cpu*/cpufreq/scaling_governor; do echo performance >$f; done" },
	{ "idle_driver", TW_FACT_TEXT, "What puts idle CPUs to sleep.",
	  .from = TW_CPUS_DIR "cpuidle/current_driver" },
	{ "idle_governor", TW_FACT_TEXT, "What chooses how deep.",
	  .from = TW_CPUS_DIR "cpuidle/current_governor" },
	{ "idle_latency_us", TW_FACT_NUMBER, "How long it takes to leave that, in us.",
	  NULL, read_idle, may_sleep,
	  "a CPU takes this long to leave its deepest idle state, in each phase that ends with a wake-up",
	  "let the program hold /dev/cpu_dma_latency at 0: run as root, without --default-system and --latency; or boot with idle=poll" },
	{ "cpu_dma_latency_us", TW_FACT_NUMBER, "What all requests to /dev/cpu_dma_latency together allow, in us.",
	  .read = read_allowed },
	{ "smt", TW_FACT_FLAG, "Whether cores run several threads each.",
	  .from = TW_CPUS_DIR "smt/active" },
	{ "sibling_cpus", TW_FACT_CPUS, "Online CPUs that share a core with a used one.",
	  NULL, read_siblings, tw_facts_is_any,
	  "the threads of a core share its units and caches: a task on one slows down that on the other",
	  "echo off >" TW_CPUS_DIR "smt/control; client and server on CPUs of different cores (-a) are the least" },
	{ "used_nodes", TW_FACT_CPUS, "NUMA nodes of the used CPUs.",
	  NULL, read_nodes, is_several,
	  "each message goes through memory of another NUMA node",
	  "choose CPUs of one node: -a, with a set from " NODE_DIR "node*/cpulist" },
	{ "irqs", TW_FACT_TEXT, "Interrupts that may fire on a used CPU, by number and name; empty: none.",
	  "/sys/kernel/irq", read_irqs,
	  is_pinned_and_any,
	  "devices interrupt the measured CPUs; without PREEMPT_RT, their handlers run before any task",
	  "write another CPU to /proc/irq/*/smp_affinity_list; for those that cannot be moved, boot with isolcpus=managed_irq,domain,@" },
	{ .name = NULL }
};
