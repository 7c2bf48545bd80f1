// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tw_cpus.h"
#include "base/tw_kfile.h"

/* A number, or N: @last. One that is too large is above @last. */
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

/* "3", "3-5", or "0-15:2/4": the first 2 of each 4. */
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

int tw_cpus_parse(const char *text, int last, cpu_set_t *cpus)
{
	const char *at = text;

	CPU_ZERO(cpus);
	/* The kernel writes this for a mask that was never allocated. */
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

bool tw_cpus_read(const char *root, int last, cpu_set_t *cpus,
		  const char *format, ...)
{
	char path[PATH_MAX], line[4096];
	cpu_set_t read;
	va_list args;

	va_start(args, format);
	vsnprintf(path, sizeof(path), format, args);
	va_end(args);
	if (!tw_kfile_text(root, line, sizeof(line), "%s", path) ||
	    tw_cpus_parse(line, last, &read))
		return false;
	*cpus = read;
	return true;
}

char *tw_cpus_format(const cpu_set_t *cpus, char *buf, size_t len)
{
	size_t used = 0;
	int first, last;

	if (len)
		buf[0] = '\0';
	for (first = 0; first < CPU_SETSIZE && used < len; first = last + 1) {
		const char *comma = used ? "," : "";

		last = first;
		if (!CPU_ISSET(first, cpus))
			continue;
		while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, cpus))
			last++;
		used += snprintf(buf + used, len - used, "%s%d", comma, first);
		if (last > first && used < len)
			used += snprintf(buf + used, len - used, "-%d", last);
	}
	return buf;
}
