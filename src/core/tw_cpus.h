/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sets of CPUs, as the kernel tells them, and as users do. The kernel may have
 * up to 8192 CPUs; here, those from CPU_SETSIZE (1024) on are left out.
 */
#ifndef TW_CPUS_H
#define TW_CPUS_H

#include <sched.h>
#include <stdbool.h>

#define TW_CPUS_DIR	"/sys/devices/system/cpu/"

/*
 * From the kernel's syntax, also that of its boot options: such as 0-2,5, or
 * 4-N, all, 0-15:2/4 (the first two of each four). false: it is no such list.
 */
bool tw_cpus_parse(cpu_set_t *cpus, const char *list);

/*
 * The same from the first line of a file, also of NUMA nodes; false: it cannot
 * be read, either.
 */
bool tw_cpus_read(cpu_set_t *cpus, const char *path);

/*
 * Those that were isolated at boot, or are by a cpuset partition. false: what
 * was done at boot is not known.
 */
bool tw_cpus_isolated(cpu_set_t *cpus);

/*
 * From a user's words: numbers and ranges of possible CPUs, such as 0-2,0x5, or
 * all; behind "+", they count those of @own; behind "!", it is the others of
 * @own. @alone: those that are named by a number of their own. false: wrong
 * words, or a number counts more than there are.
 */
bool tw_cpus_choose(cpu_set_t *cpus, cpu_set_t *alone, const char *words,
		    const cpu_set_t *own);

/* sched_getaffinity(), also where there are more CPUs than in a cpu_set_t. */
int tw_cpus_get(pid_t pid, cpu_set_t *cpus);

/* What of @from is not in @without. Returns whether there is any. */
bool tw_cpus_less(cpu_set_t *to, const cpu_set_t *from,
		  const cpu_set_t *without);

#endif /* TW_CPUS_H */
