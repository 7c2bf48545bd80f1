/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of CPUs, as the kernel writes and reads them. */
#ifndef TW_ENVIRON_LIST_H
#define TW_ENVIRON_LIST_H

#include <sched.h>
#include <stdbool.h>

/*
 * A list of CPUs as the kernel writes and reads it: "0-2,5", "0-7:1/2",
 * "all", "N" for @last. CPUs above @last (less than CPU_SETSIZE) are left
 * out. 0, or -EINVAL.
 */
int tw_environ_parse(const char *text, int last, cpu_set_t *cpus);

/* A file below @root that holds one; as tw_kfile_text(). */
bool tw_environ_list(const char *root, int last, cpu_set_t *cpus,
		     const char *format, ...)
	__attribute__((format(printf, 4, 5)));

#endif /* TW_ENVIRON_LIST_H */
