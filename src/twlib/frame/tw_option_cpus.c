// SPDX-License-Identifier: GPL-2.0-or-later
/* Parses the options with a CPU set, in the syntax of libnuma. */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rt-numa.h"
#include "rt-utils.h"
#include "base/tw_cpus.h"
#include "frame/tw_run.h"

/*
 * libnuma would print its own complaint beside ours; it lets a program put
 * this function in the place of its own.
 */
void numa_warn(int number, char *where, ...)
{
	(void)number;
	(void)where;
}

/*
 * What libnuma lets through: "3-1" as 3, "-1" as a very large number, and
 * numbers modulo 2^32, over a range of which it then loops to the end.
 */
static bool has_bad_number(const char *value)
{
	while (*value) {
		unsigned long first, last;
		char *end;

		/* A number has no sign; - is for ranges only. */
		if (*value == '-')
			return true;
		if (!isdigit((unsigned char)*value)) {
			value++;
			continue;
		}
		first = strtoul(value, &end, 0);
		last = first;
		if (*end == '-') {
			if (!isdigit((unsigned char)end[1]))
				return true;
			last = strtoul(end + 1, &end, 0);
		}
		if (last >= CPU_SETSIZE || first > last)
			return true;
		value = end;
	}
	return false;
}

/* The @n-th CPU of @cpus, counted from 0; -1 if there are less. */
static int nth_cpu(const cpu_set_t *cpus, unsigned long n)
{
	int cpu;

	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, cpus) && !n--)
			return cpu;
	return -1;
}

/*
 * With a +, libnuma counts all CPUs that this system might have. Here the
 * numbers count those in @allowed: the set is written to @to without the +
 * and with the CPUs' own numbers, between which there may be others.
 */
static int count_in(const cpu_set_t *allowed, const char *value, char *to,
		    size_t size)
{
	size_t used = 0;
	char *end;
	int cpu;

	if (*value == '!')
		to[used++] = *value++;
	value++;
	while (*value && used + 1 < size) {
		if (!isdigit((unsigned char)*value)) {
			to[used++] = *value++;
			continue;
		}
		cpu = nth_cpu(allowed, strtoul(value, &end, 0));
		if (cpu < 0)
			return -EINVAL;
		used += snprintf(to + used, size - used, "%d", cpu);
		value = end;
	}
	if (*value || used >= size)
		return -EINVAL;
	to[used] = '\0';
	return 0;
}

static int parse_set(const char *value, const cpu_set_t *allowed,
		     cpu_set_t *set)
{
	bool relative = value[*value == '!'] == '+';
	int max_cpus = numa_num_possible_cpus();
	struct bitmask *mask = NULL;
	char copy[1024];
	int cpu;

	/* A + within the set would be read as the sign of a number. */
	if (strlen(value) >= sizeof(copy) || has_bad_number(value) ||
	    strchr(value + (*value == '!') + relative, '+'))
		return -EINVAL;
	/* parse_cpumask() takes a char *, not a const char *. */
	strcpy(copy, value);
	if (relative && count_in(allowed, value, copy, sizeof(copy)))
		return -EINVAL;
	if (parse_cpumask(copy, max_cpus, &mask) || !mask)
		return -EINVAL;

	CPU_ZERO(set);
	for (cpu = 0; cpu < max_cpus && cpu < CPU_SETSIZE; cpu++)
		if (numa_bitmask_isbitset(mask, cpu))
			CPU_SET(cpu, set);
	numa_bitmask_free(mask);
	if (relative)
		CPU_AND(set, set, allowed);
	return CPU_COUNT(set) ? 0 : -EINVAL;
}

bool tw_option_begins_cpus(const char *word)
{
	return isdigit((unsigned char)*word) || *word == '!' ||
	       *word == '+' || !strncmp(word, "all", 3);
}

int tw_option_cpus(const struct tw_option *option, const char *value,
		   struct tw_run *run)
{
	cpu_set_t set, both;
	char list[256];

	if (!parse_set(value, &run->allowed, &set)) {
		CPU_AND(&both, &set, &run->reachable);
		if (CPU_EQUAL(&both, &set)) {
			*(cpu_set_t *)option->to = set;
			return 0;
		}
	}
	return tw_option_error(option, value, run,
			       "allowed is a set of CPUs out of %s, such as 0-2,5",
			       tw_cpus_format(&run->reachable, list,
					      sizeof(list)));
}
