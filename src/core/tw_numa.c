// SPDX-License-Identifier: GPL-2.0-or-later
#include <numa.h>

#include "tw_numa.h"

/* libnuma calls it, and would print a line of its own. */
void numa_warn(int number, char *where, ...)
{
}

int tw_numa_node(int cpu)
{
	return cpu < 0 || numa_available() < 0 ? -1 : numa_node_of_cpu(cpu);
}

void tw_numa_bind(void *memory, size_t size, int cpu)
{
	int node = tw_numa_node(cpu);

	if (node >= 0 && numa_max_node() > 0)
		numa_tonode_memory(memory, size, node);
}
