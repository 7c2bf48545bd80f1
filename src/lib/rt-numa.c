// SPDX-License-Identifier: GPL-2.0-or-later
/* Sets of CPUs. */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "rt-numa.h"

int numa_initialize(void)
{
	static int available = -1;

	if (available < 0)
		available = numa_available() >= 0;
	return available;
}

/* libnuma's own count of usable CPUs dates from the program's start. */
static int narrow_to_affinity(struct bitmask *mask, int max_cpus)
{
	struct bitmask *own = numa_allocate_cpumask();
	int err = numa_sched_getaffinity(0, own) < 0 ? -errno : 0;
	unsigned int cpu;

	for (cpu = 0; cpu < mask->size; cpu++)
		if ((int)cpu >= max_cpus || !numa_bitmask_isbitset(own, cpu))
			numa_bitmask_clearbit(mask, cpu);
	numa_bitmask_free(own);
	return err;
}

static bool read_cpu(const char *str, char **end, long *cpu)
{
	*cpu = isdigit((unsigned char)*str) ? strtol(str, end, 0) : -1;
	return *cpu >= 0;
}

/* libnuma takes 1-0 as CPU 1, -0 and 4294967296 as CPU 0. */
static bool has_good_ranges(const char *str, int max_cpus)
{
	long first, last;
	char *end;

	str += strspn(str, "!+");
	while (*str && strcmp(str, "all")) {
		str += strspn(str, " \t");
		if (!read_cpu(str, &end, &first))
			return false;
		last = first;
		if ((*end == '-' && !read_cpu(end + 1, &end, &last)) ||
		    first > last || last >= max_cpus)
			return false;
		str = end + (*end == ',');
	}
	return true;
}

int parse_cpumask(char *str, int max_cpus, struct bitmask **cpumask)
{
	struct bitmask *mask;
	int ret = 0;

	*cpumask = NULL;
	if (!has_good_ranges(str, max_cpus))
		return -EINVAL;
	mask = numa_parse_cpustring_all(str);
	if (!mask)
		return -ENOMEM;
	if (strpbrk(str, "!+"))
		ret = narrow_to_affinity(mask, max_cpus);
	if (!ret && numa_bitmask_weight(mask))
		*cpumask = mask;
	else
		numa_bitmask_free(mask);
	return ret;
}
