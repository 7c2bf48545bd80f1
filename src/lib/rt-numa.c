// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sets of CPUs.
 */
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

/*
 * libnuma's own count of usable CPUs dates from the program's start; this is
 * the affinity of now. NULL and errno if the kernel refuses.
 */
static struct bitmask *own_affinity(void)
{
	struct bitmask *mask = numa_allocate_cpumask();
	int err;

	if (!mask)
		return NULL;
	if (numa_sched_getaffinity(0, mask) >= 0)
		return mask;
	err = errno;
	numa_bitmask_free(mask);
	errno = err;
	return NULL;
}

static int narrow_to_affinity(struct bitmask *mask, int max_cpus)
{
	struct bitmask *own = own_affinity();
	unsigned int cpu;

	if (!own)
		return -errno;
	for (cpu = 0; cpu < mask->size; cpu++)
		if ((int)cpu >= max_cpus || !numa_bitmask_isbitset(own, cpu))
			numa_bitmask_clearbit(mask, cpu);
	numa_bitmask_free(own);
	return 0;
}

/*
 * libnuma takes 3-1 as CPU 3, -0 as CPU 0, and 4294967296 as CPU 0. What else
 * is wrong in a set, it refuses.
 */
static bool ranges_are_good(const char *str, int max_cpus)
{
	str += strspn(str, "!+");
	while (*str && strcmp(str, "all")) {
		unsigned long first, last;
		char *end;

		str += strspn(str, " \t");
		if (!isdigit((unsigned char)*str))
			return false;
		first = strtoul(str, &end, 0);
		last = first;
		if (*end == '-') {
			str = end + 1;
			if (!isdigit((unsigned char)*str))
				return false;
			last = strtoul(str, &end, 0);
		}
		if (first > last || max_cpus < 0 ||
		    last >= (unsigned long)max_cpus)
			return false;
		str = *end == ',' ? end + 1 : end;
	}
	return true;
}

int parse_cpumask(char *str, int max_cpus, struct bitmask **cpumask)
{
	struct bitmask *mask;
	int ret = 0;

	*cpumask = NULL;
	if (!ranges_are_good(str, max_cpus))
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
