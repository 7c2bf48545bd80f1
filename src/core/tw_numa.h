/* SPDX-License-Identifier: GPL-2.0-or-later */
/* NUMA nodes. @cpu may be -1: none, or several. */
#ifndef TW_NUMA_H
#define TW_NUMA_H

#include <stddef.h>

/* The node of a CPU; -1: not known. */
int tw_numa_node(int cpu);

/* Puts memory that nobody has used yet on that node, if there are several. */
void tw_numa_bind(void *memory, size_t size, int cpu);

#endif /* TW_NUMA_H */
