// SPDX-License-Identifier: GPL-2.0-or-later
/* The options that take a CPU set, in libnuma's syntax. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rt-numa.h"
#include "rt-utils.h"
#include "tw_option.h"

/*
 * libnuma would print its own complaint beside ours; it lets a program put
 * this function in the place of its own.
 */
void numa_warn(int number, char *where, ...)
{
	(void)number;
	(void)where;
}

/* libnuma takes "3-1" for "3". */
static bool has_reversed_range(const char *value)
{
	const char *at;

	for (at = value; *at; at++) {
		char *end;
		unsigned long first, last;

		if (!isdigit((unsigned char)*at) ||
		    (at > value && (isdigit((unsigned char)at[-1]) ||
				    at[-1] == '-')))
			continue;
		first = strtoul(at, &end, 10);
		if (*end != '-' || !isdigit((unsigned char)end[1]))
			continue;
		last = strtoul(end + 1, NULL, 10);
		if (first > last)
			return true;
	}
	return false;
}

static int parse_set(const char *value, cpu_set_t *set)
{
	int max_cpus = numa_num_possible_cpus();
	struct bitmask *mask = NULL;
	char copy[1024];
	int cpu;

	if (strlen(value) >= sizeof(copy) || has_reversed_range(value))
		return -EINVAL;
	strcpy(copy, value);	/* upstream's prototype wants it writable */
	if (parse_cpumask(copy, max_cpus, &mask) || !mask)
		return -EINVAL;

	CPU_ZERO(set);
	for (cpu = 0; cpu < max_cpus && cpu < CPU_SETSIZE; cpu++)
		if (numa_bitmask_isbitset(mask, cpu))
			CPU_SET(cpu, set);
	numa_bitmask_free(mask);
	return CPU_COUNT(set) ? 0 : -EINVAL;
}

static int parse_allowed(const struct tw_option *option, const char *value,
			 cpu_set_t *set, char *error)
{
	cpu_set_t allowed, both;
	char list[256];

	CPU_ZERO(&allowed);
	sched_getaffinity(0, sizeof(allowed), &allowed);
	if (!parse_set(value, set)) {
		CPU_AND(&both, set, &allowed);
		if (CPU_EQUAL(&both, set))
			return 0;
	}
	return tw_option_error(option, value, error,
			       "allowed is a set of CPUs out of %s, such as 0-2,5",
			       tw_place_format(&allowed, list, sizeof(list)));
}

int tw_option_affinity(const struct tw_option *option, const char *value,
		       struct tw_config *config, char *error)
{
	int err;

	if (!value) {
		config->affinity = TW_PLAN;
		return 0;
	}
	err = parse_allowed(option, value, &config->affinity_set, error);
	if (!err)
		config->affinity = TW_SET;
	return err;
}

int tw_option_role(const struct tw_option *option, const char *value,
		   struct tw_config *config, char *error)
{
	int err = parse_allowed(option, value,
				&config->role_set[option->min], error);

	if (!err)
		config->role_given[option->min] = true;
	return err;
}
