/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A machine that has the CPUs of a list: this program's own calls stand before
 * the C library's. Then placement and counts do not depend on where a test
 * runs.
 */
#ifndef MACHINE_H
#define MACHINE_H

#include <sched.h>
#include <stdlib.h>

#include "base/tw_cpus.h"
#include "parse.h"

static cpu_set_t machine_cpus;

int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *cpus)
{
	(void)pid;
	if (size > sizeof(machine_cpus))
		abort();
	memcpy(cpus, &machine_cpus, size);
	return 0;
}

int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *cpus)
{
	(void)pid;
	(void)size;
	(void)cpus;
	return 0;
}

/* Reads "0-2,5"; the tests' own, so that format is checked against it. */
static inline cpu_set_t set_of(const char *list)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	while (*list) {
		char *end;
		long first = strtol(list, &end, 10);
		long last = *end == '-' ? strtol(end + 1, &end, 10) : first;

		for (; first <= last; first++)
			CPU_SET(first, &set);
		list = *end == ',' ? end + 1 : end;
	}
	return set;
}

static inline void use_machine(const char *list)
{
	machine_cpus = set_of(list);
}

/* The CPUs 0 to @count - 1. */
static inline void use_cpus(int count)
{
	char list[16];

	snprintf(list, sizeof(list), "0-%d", count - 1);
	use_machine(list);
}

static inline void assert_set(const cpu_set_t *got, const char *want)
{
	const cpu_set_t expected = set_of(want);
	char buf[6000];

	if (!CPU_EQUAL(got, &expected))
		fail_msg("got CPUs %s, want %s",
			 tw_cpus_format(got, buf, sizeof(buf)), want);
}

#endif /* MACHINE_H */
