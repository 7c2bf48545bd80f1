// SPDX-License-Identifier: GPL-2.0-or-later
#ifdef HAVE_NUMA
#include <numa.h>
#endif
#include <sys/mman.h>

#include "tw_memory.h"
#include "tw_say.h"

static void *map(size_t size, int flags)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    flags | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory == MAP_FAILED)
		tw_say_fatal("no memory for %zu bytes: %m\n", size);
	return memory;
}

void *tw_memory_shared(size_t size)
{
	return map(size, MAP_SHARED);
}

void *tw_memory_own(size_t size)
{
	void *memory = map(size, MAP_PRIVATE);

	madvise(memory, size, MADV_DONTFORK);
	return memory;
}

#ifdef HAVE_NUMA
/* libnuma calls it, and would print a line of its own. */
void numa_warn(int number, char *where, ...)
{
}

int tw_memory_node(int cpu)
{
	return cpu < 0 || numa_available() < 0 ? -1 : numa_node_of_cpu(cpu);
}

void tw_memory_bind(void *memory, size_t size, int cpu)
{
	int node = tw_memory_node(cpu);

	if (node >= 0 && numa_max_node() > 0)
		numa_tonode_memory(memory, size, node);
}
#else
int tw_memory_node(int cpu)
{
	return -1;
}

void tw_memory_bind(void *memory, size_t size, int cpu)
{
}
#endif
