/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sets of CPUs, as users write them and as threads are spread over them.
 */
#ifndef __RT_NUMA_H
#define __RT_NUMA_H

#include <numa.h>

enum {
	AFFINITY_UNSPECIFIED,
	AFFINITY_SPECIFIED,
	AFFINITY_USEALL,
};

/* 1 if this system has NUMA support, else 0; asks the system once. */
int numa_initialize(void);

/*
 * How many CPUs @cpumask holds, or the caller's affinity if it is NULL;
 * 0 if that cannot be read.
 */
int get_available_cpus(struct bitmask *cpumask);

/*
 * The CPU of thread @thread_num (from 0) when threads take the CPUs of
 * @cpumask below @max_cpus in rising order, again and again. Fatal if there
 * is none.
 */
int cpu_for_thread_sp(int thread_num, int max_cpus, struct bitmask *cpumask);

/* The same over the caller's affinity. */
int cpu_for_thread_ua(int thread_num, int max_cpus);

/*
 * Reads a set in libnuma's syntax into *cpumask, which the caller frees with
 * numa_bitmask_free(), or NULL if the set is empty. A set that is relative
 * to others (! or +) is narrowed to those CPUs of the caller's affinity that
 * are below @max_cpus; any other set is left as the user wrote it.
 * Returns 0, -ENOMEM if libnuma refuses @str, or another -errno if the
 * affinity cannot be read. *cpumask is set on success only.
 */
int parse_cpumask(char *str, int max_cpus, struct bitmask **cpumask);

#endif /* __RT_NUMA_H */
