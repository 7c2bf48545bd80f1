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

/*
 * What libnuma lets through: "3-1" as 3, "-1" as a very large number, and
 * numbers modulo 2^32, over a range of which it then loops to the end.
 */
static bool has_bad_number(const char *value)
{
	while (*value) {
		unsigned long first, last;
		char *end;

		/* A sign is no part of a number here. */
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

static int parse_set(const char *value, cpu_set_t *set)
{
	int max_cpus = numa_num_possible_cpus();
	struct bitmask *mask = NULL;
	char copy[1024];
	int cpu;

	if (strlen(value) >= sizeof(copy) || has_bad_number(value))
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

static int parse_reachable(const struct tw_option *option, const char *value,
			 const struct tw_config *config, cpu_set_t *set,
			 char *error)
{
	cpu_set_t both;
	char list[256];

	if (!parse_set(value, set)) {
		CPU_AND(&both, set, &config->reachable);
		if (CPU_EQUAL(&both, set))
			return 0;
	}
	return tw_option_error(option, value, error,
			       "allowed is a set of CPUs out of %s, such as 0-2,5",
			       tw_place_format(&config->reachable, list,
					       sizeof(list)));
}

int tw_option_affinity(const struct tw_option *option, const char *value,
		       struct tw_config *config, char *error)
{
	int err;

	if (!value) {
		config->affinity = TW_PLAN;
		return 0;
	}
	err = parse_reachable(option, value, config, &config->affinity_set,
			    error);
	if (!err)
		config->affinity = TW_SET;
	return err;
}

int tw_option_role(const struct tw_option *option, const char *value,
		   struct tw_config *config, char *error)
{
	int err = parse_reachable(option, value, config,
				&config->role_set[option->min], error);

	if (!err)
		config->role_given[option->min] = true;
	return err;
}
