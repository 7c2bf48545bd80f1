/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sets of CPUs, as users write them. */
#ifndef __RT_NUMA_H
#define __RT_NUMA_H

#include <numa.h>

/* 1 if this system has NUMA support, else 0; asks the system once. */
int numa_initialize(void);

/*
 * Reads a set in libnuma's syntax into *cpumask, to be freed with
 * numa_bitmask_free(), or NULL if the set is empty. A set that is relative
 * to others (! or +) is narrowed to the caller's affinity below @max_cpus.
 * Returns 0, -EINVAL for a bad range or a CPU that is not below @max_cpus,
 * -ENOMEM if libnuma refuses @str, or -errno if the affinity cannot be read;
 * *cpumask is NULL then.
 */
int parse_cpumask(char *str, int max_cpus, struct bitmask **cpumask);

#endif /* __RT_NUMA_H */
