/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sets of CPUs, as the kernel tells them. It may have up to 8192; here, those
 * from CPU_SETSIZE (1024) on are left out.
 */
#ifndef TW_CPUS_H
#define TW_CPUS_H

#include <sched.h>
#include <stdbool.h>

/*
 * From the kernel's syntax, also that of its boot options: such as 0-2,5, or
 * 4-N, all, 0-15:2/4 (the first two of each four). false: it is no such list.
 */
bool tw_cpus_parse(cpu_set_t *cpus, const char *list);

/* The same from the first line of a file; false: it cannot be read, either. */
bool tw_cpus_read(cpu_set_t *cpus, const char *path);

/* sched_getaffinity(), also where there are more CPUs than in a cpu_set_t. */
int tw_cpus_get(pid_t pid, cpu_set_t *cpus);

/* What of @from is not in @without. Returns whether there is any. */
bool tw_cpus_less(cpu_set_t *to, const cpu_set_t *from,
		  const cpu_set_t *without);

#endif /* TW_CPUS_H */
