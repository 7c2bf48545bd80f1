// SPDX-License-Identifier: GPL-2.0-or-later
#include <sched.h>
#include <string.h>

#include "rt-error.h"
#include "rt-numa.h"

static cpu_set_t own(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		fatal("the CPUs of this program: %m\n");
	return set;
}

int numa_initialize(void)
{
	return numa_available() >= 0;
}

int get_available_cpus(struct bitmask *cpumask)
{
	cpu_set_t set = own();

	return cpumask ? (int)numa_bitmask_weight(cpumask) : CPU_COUNT(&set);
}

int cpu_for_thread_sp(int thread_num, int max_cpus, struct bitmask *cpumask)
{
	int cpu, left = thread_num % (int)numa_bitmask_weight(cpumask);

	for (cpu = 0; cpu < max_cpus; cpu++)
		if (numa_bitmask_isbitset(cpumask, cpu) && !left--)
			return cpu;
	return 0;
}

int cpu_for_thread_ua(int thread_num, int max_cpus)
{
	cpu_set_t set = own();
	int cpu, left = thread_num % CPU_COUNT(&set);

	for (cpu = 0; cpu < max_cpus; cpu++)
		if (CPU_ISSET(cpu, &set) && !left--)
			return cpu;
	return 0;
}

/* Only those that this program may use, too. */
static void leave(struct bitmask *cpus, cpu_set_t set)
{
	unsigned int cpu;

	for (cpu = 0; cpu < cpus->size; cpu++)
		if (!CPU_ISSET(cpu, &set))
			numa_bitmask_clearbit(cpus, cpu);
}

int parse_cpumask(char *str, int max_cpus, struct bitmask **cpumask)
{
	unsigned int cpu;
	int first, last;

	/* libnuma takes it as the first one. */
	*cpumask = NULL;
	if (sscanf(str, "%d-%d", &first, &last) == 2 && first > last)
		return -1;
	*cpumask = numa_parse_cpustring_all(str);
	for (cpu = max_cpus; *cpumask && cpu < (*cpumask)->size; cpu++)
		if (numa_bitmask_isbitset(*cpumask, cpu))
			return -1;
	if (!*cpumask)
		return -1;
	if (strpbrk(str, "!+"))
		leave(*cpumask, own());
	return numa_bitmask_weight(*cpumask) ? 0 : -1;
}
