// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tw_cpus.h"

#define SETS	8		/* cpu_set_t: no kernel has more CPUs */
#define MOST	(SETS * CPU_SETSIZE)
#define LINE	4096

/* Of those that there may be. */
static unsigned long last_cpu(void)
{
	FILE *file = fopen("/sys/devices/system/cpu/possible", "re");
	unsigned long cpu = CPU_SETSIZE - 1;
	char sign;

	/* From the last sign on, whatever comes before. */
	while (file && fscanf(file, "%lu%c", &cpu, &sign) == 2 && sign != '\n')
		;
	if (file)
		fclose(file);
	return cpu;
}

static bool read_number(const char **from, unsigned long *number)
{
	char *end;

	if (**from == 'N') {
		*number = last_cpu();
		(*from)++;
		return true;
	}
	*number = isdigit((unsigned char)**from) ? strtoul(*from, &end, 10) :
						  MOST;
	if (*number >= MOST)
		return false;
	*from = end;
	return true;
}

/* A number, a range, or in a range @used of each @group CPUs; or "all". */
static bool add_range(cpu_set_t *cpus, const char **from)
{
	unsigned long first = 0, last, cpu, used = 1, group = 1;

	if (!strncmp(*from, "all", 3)) {
		*from += 3;
		last = last_cpu();
	} else {
		if (!read_number(from, &first))
			return false;
		last = first;
		if (**from == '-' && (++*from, !read_number(from, &last)))
			return false;
	}
	if (**from == ':' && ((++*from, !read_number(from, &used)) ||
			      *(*from)++ != '/' || !read_number(from, &group)))
		return false;
	if (last < first || !used || used > group)
		return false;
	for (cpu = first; cpu <= last && cpu < CPU_SETSIZE; cpu++)
		if ((cpu - first) % group < used)
			CPU_SET(cpu, cpus);
	return true;
}

bool tw_cpus_parse(cpu_set_t *cpus, const char *list)
{
	CPU_ZERO(cpus);
	/* So some kernels write an empty one. */
	if (!strcmp(list, "(null)"))
		return true;
	while (*list) {
		if (!add_range(cpus, &list) || (*list && *list != ','))
			return false;
		list += *list == ',';
	}
	return true;
}

bool tw_cpus_read(cpu_set_t *cpus, const char *path)
{
	FILE *file = fopen(path, "re");
	char line[LINE] = "";
	bool read = file && fgets(line, sizeof(line), file);

	if (file)
		fclose(file);
	line[strcspn(line, "\n")] = '\0';
	return read && tw_cpus_parse(cpus, line);
}

int tw_cpus_get(pid_t pid, cpu_set_t *cpus)
{
	cpu_set_t all[SETS];

	if (sched_getaffinity(pid, sizeof(all), all))
		return -1;
	*cpus = all[0];
	return 0;
}

bool tw_cpus_less(cpu_set_t *to, const cpu_set_t *from,
		  const cpu_set_t *without)
{
	cpu_set_t both;

	CPU_AND(&both, from, without);
	CPU_XOR(to, from, &both);
	return CPU_COUNT(to) > 0;
}
