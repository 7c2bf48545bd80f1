/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory, and the NUMA node that it is on. @cpu may be -1: none, or several. */
#ifndef TW_MEMORY_H
#define TW_MEMORY_H

#include <stddef.h>

/*
 * Zeroed: of this process and its children; of this process alone, so that no
 * child has to lock it. If there is none, the program ends after a message.
 */
void *tw_memory_shared(size_t size);
void *tw_memory_own(size_t size);

/* The node of a CPU; -1: not known. */
int tw_memory_node(int cpu);

/* Puts memory that nobody has used yet on that node, if there are several. */
void tw_memory_bind(void *memory, size_t size, int cpu);

#endif /* TW_MEMORY_H */
