// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sets of CPUs.
 */
#include <errno.h>
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

int parse_cpumask(char *str, int max_cpus, struct bitmask **cpumask)
{
	struct bitmask *mask = numa_parse_cpustring_all(str);
	int ret = 0;

	if (!mask)
		return -ENOMEM;
	if (strpbrk(str, "!+"))
		ret = narrow_to_affinity(mask, max_cpus);
	if (ret || !numa_bitmask_weight(mask)) {
		numa_bitmask_free(mask);
		mask = NULL;
	}
	if (!ret)
		*cpumask = mask;
	return ret;
}
