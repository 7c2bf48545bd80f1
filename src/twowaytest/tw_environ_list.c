// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tw_environ_list.h"
#include "tw_kfile.h"

/* A number, or N; beyond @last whatever does not fit. */
static bool parse_number(const char **at, int last, unsigned long *number)
{
	char *end;

	if (**at == 'N') {
		*number = last;
		++*at;
		return true;
	}
	if (!isdigit((unsigned char)**at))
		return false;
	*number = strtoul(*at, &end, 10);
	*at = end;
	return true;
}

/* "3", "3-5" or, of each 4 the first 2, "0-15:2/4". */
static bool parse_range(const char **at, int last, cpu_set_t *cpus)
{
	unsigned long from, to, used = 1, group = 1, cpu;

	if (!parse_number(at, last, &from))
		return false;
	to = from;
	if (**at == '-') {
		++*at;
		if (!parse_number(at, last, &to) || to < from)
			return false;
	}
	if (**at == ':') {
		++*at;
		if (!parse_number(at, last, &used) || **at != '/')
			return false;
		++*at;
		if (!parse_number(at, last, &group) || !used || used > group)
			return false;
	}
	for (cpu = from; cpu <= to && cpu <= (unsigned long)last; cpu++)
		if ((cpu - from) % group < used)
			CPU_SET(cpu, cpus);
	return true;
}

int tw_environ_parse(const char *text, int last, cpu_set_t *cpus)
{
	const char *at = text;

	CPU_ZERO(cpus);
	/* So the kernel writes a mask that it never allocated. */
	if (!strcmp(text, "(null)"))
		return 0;
	while (*at) {
		if (!strncmp(at, "all", 3)) {
			static const char *const all = "0-N";
			const char *range = all;

			parse_range(&range, last, cpus);
			at += 3;
		} else if (!parse_range(&at, last, cpus)) {
			return -EINVAL;
		}
		if (*at && *at != ',' && !isspace((unsigned char)*at))
			return -EINVAL;
		at += strspn(at, ", \t\n");
	}
	return 0;
}

bool tw_environ_list(const char *root, int last, cpu_set_t *cpus,
		     const char *format, ...)
{
	char path[PATH_MAX], line[4096];
	cpu_set_t read;
	va_list args;

	va_start(args, format);
	vsnprintf(path, sizeof(path), format, args);
	va_end(args);
	if (!tw_kfile_text(root, line, sizeof(line), "%s", path) ||
	    tw_environ_parse(line, last, &read))
		return false;
	*cpus = read;
	return true;
}
