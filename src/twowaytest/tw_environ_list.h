/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of CPUs in the kernel's format. */
#ifndef TW_ENVIRON_LIST_H
#define TW_ENVIRON_LIST_H

#include <sched.h>
#include <stdbool.h>

/*
 * Parses a list such as "0-2,5", "0-7:1/2" or "all"; "N" means @last. CPUs
 * above @last (which is below CPU_SETSIZE) are ignored. Returns 0 or -EINVAL.
 */
int tw_environ_parse(const char *text, int last, cpu_set_t *cpus);

/*
 * Reads a list from a file below @root; arguments as tw_kfile_text(). Returns
 * false if the file could not be read or parsed.
 */
bool tw_environ_list(const char *root, int last, cpu_set_t *cpus,
		     const char *format, ...)
	__attribute__((format(printf, 4, 5)));

#endif /* TW_ENVIRON_LIST_H */
