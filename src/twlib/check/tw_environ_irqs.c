// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads the interrupts that may fire on the CPUs of client and server. Only
 * numbered interrupts with a handler are counted. The interrupts that each CPU
 * has of its own (timer, performance counters) cannot be moved.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rt-utils.h"
#include "base/tw_kfile.h"
#include "check/tw_environ.h"

#define NAMED	3	/* number of interrupts in irq_names */

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* The rest of a row after the counts: it begins with the controller. */
static const char *after_counts(const char *row)
{
	while (isdigit((unsigned char)*row) || isspace((unsigned char)*row))
		row++;
	return row;
}

static bool is_per_cpu(const char *chip, const char *name)
{
	static const char *const chips[] = {
		"RISC-V INTC", "xen-percpu", "riscv-intc",
	};
	static const char *const names[] = {
		"timer", "arch_timer", "riscv-timer", "arm-pmu", "cascade",
		"IPI",
	};
	size_t i;
	int line;

	for (i = 0; i < ARRAY_SIZE(chips); i++)
		if (begins(chip, chips[i]))
			return true;
	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	/*
	 * Each CPU has its own first 32 lines of ARM's controllers, but the
	 * messages of a GICv2m are numbered from 0 for each device.
	 */
	return begins(chip, "GIC") && !begins(chip, "GICv2m") &&
	       sscanf(chip, "%*s %d", &line) == 1 && line < 32;
}

/*
 * " 24:   1   0  IO-APIC   5-edge      ACPI:Ged": the handlers' names follow
 * two spaces at least. Without a handler the row ends in spaces.
 */
static const char *handler_name(const char *row)
{
	const char *at, *name = NULL;
	size_t len = strlen(row);

	if (!len || isspace((unsigned char)row[len - 1]))
		return NULL;
	for (at = row; (at = strstr(at, "  ")); at++)
		name = at + 2;
	return name;
}

static bool may_fire(const char *root, unsigned int irq, const cpu_set_t *used)
{
	cpu_set_t cpus;

	if (!tw_cpus_read(root, CPU_SETSIZE - 1, &cpus,
			  "/proc/irq/%u/effective_affinity_list", irq) &&
	    !tw_cpus_read(root, CPU_SETSIZE - 1, &cpus,
			  "/proc/irq/%u/smp_affinity_list", irq))
		return false;
	CPU_AND(&cpus, &cpus, used);
	return CPU_COUNT(&cpus);
}

static void add_irq(struct tw_environ *env, unsigned int irq, const char *name)
{
	size_t used = strlen(env->irq_names);
	char *at;

	env->irqs++;
	if (env->irqs > NAMED)
		return;
	snprintf(env->irq_names + used, sizeof(env->irq_names) - used,
		 "%s%u %.40s", used ? ", " : "", irq, name);
	for (at = env->irq_names; *at; at++)
		if (*at < ' ' || *at > '~')
			*at = '?';
}

void tw_environ_read_irqs(struct tw_environ *env, const char *root,
			  const struct tw_environ_params *params)
{
	const cpu_set_t used = tw_environ_used(params);
	char *text = tw_kfile_load(root, "/proc/interrupts");
	char *row, *rest = NULL;
	const char *chip, *name;
	unsigned int irq;
	int len;

	if (!text)
		return;
	for (row = strtok_r(text, "\n", &rest); row;
	     row = strtok_r(NULL, "\n", &rest)) {
		/* The header shows that the file has the expected format. */
		if (env->irqs == TW_NO_NUMBER) {
			if (!strstr(row, "CPU"))
				break;
			env->irqs = 0;
			continue;
		}
		len = 0;
		if (sscanf(row, " %6u:%n", &irq, &len) != 1 || !len)
			continue;
		chip = after_counts(row + len);
		name = handler_name(chip);
		if (name && !is_per_cpu(chip, name) &&
		    may_fire(root, irq, &used))
			add_irq(env, irq, name);
	}
	free(text);
}
