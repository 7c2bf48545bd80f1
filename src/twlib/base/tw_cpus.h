/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sets of CPUs, and lists of them in the kernel's format. */
#ifndef TW_CPUS_H
#define TW_CPUS_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

struct tw_cpus {
	bool known;
	cpu_set_t set;
};

/*
 * Parses a list such as "0-2,5", "0-7:1/2" or "all"; "N" means @last. CPUs
 * above @last (which is below CPU_SETSIZE) are ignored. Returns 0 or -EINVAL.
 */
int tw_cpus_parse(const char *text, int last, cpu_set_t *cpus);

/*
 * Reads a list from a file below @root; arguments as tw_kfile_text(). Returns
 * false if the file could not be read or parsed.
 */
bool tw_cpus_read(const char *root, int last, cpu_set_t *cpus,
		  const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/*
 * Writes @cpus to @buf (@len bytes, cut if longer) as a list such as "0-2,5".
 * Returns @buf.
 */
char *tw_cpus_format(const cpu_set_t *cpus, char *buf, size_t len);

#endif /* TW_CPUS_H */
