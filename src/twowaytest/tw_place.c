// SPDX-License-Identifier: GPL-2.0-or-later
/* CPUs and priorities of the processes. */
#include <stdio.h>

#include "tw_place.h"

const char *const tw_role_titles[TW_ROLES] = {
	[TW_MAIN] = "parent process",
	[TW_SERVER] = "server",
	[TW_CLIENT] = "client",
	[TW_LOAD] = "load",
};

const char *const tw_role_names[TW_ROLES] = {
	[TW_MAIN] = "main",
	[TW_SERVER] = "server",
	[TW_CLIENT] = "client",
	[TW_LOAD] = "load",
};

#define PLANS	4

/* By number of CPUs, the last for as many or more: indices into the set. */
static const int plans[PLANS][TW_ROLES] = {
	{ [TW_MAIN] = 0, [TW_SERVER] = 0, [TW_CLIENT] = 0, [TW_LOAD] = 0 },
	{ [TW_MAIN] = 0, [TW_SERVER] = 0, [TW_CLIENT] = 1, [TW_LOAD] = 1 },
	{ [TW_MAIN] = 0, [TW_SERVER] = 1, [TW_CLIENT] = 2, [TW_LOAD] = 2 },
	{ [TW_MAIN] = 1, [TW_SERVER] = 2, [TW_CLIENT] = 3, [TW_LOAD] = 3 },
};

/* Makes *cpus entries @first to @last of @set, counted from 0. */
static void pick(const cpu_set_t *set, int first, int last,
		 cpu_set_t *cpus)
{
	int entry = 0;
	int cpu;

	CPU_ZERO(cpus);
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, set))
			continue;
		if (entry >= first && entry <= last)
			CPU_SET(cpu, cpus);
		entry++;
	}
}

void tw_place_plan(const cpu_set_t *allowed, enum tw_role role,
		   cpu_set_t *cpus)
{
	int count = CPU_COUNT(allowed);
	int plan = count < PLANS ? count : PLANS;
	int first;

	if (!count) {
		CPU_ZERO(cpus);
		return;
	}
	first = plans[plan - 1][role];
	pick(allowed, first, role == TW_LOAD ? count - 1 : first, cpus);
}

void tw_place_in_set(const cpu_set_t *set, enum tw_role role,
		     unsigned int pair, cpu_set_t *cpus)
{
	int count = CPU_COUNT(set);
	unsigned long long turn = 2ULL * pair + (role == TW_CLIENT);
	int entry = count ? (int)(turn % (unsigned int)count) : 0;

	pick(set, entry, entry, cpus);
}

int tw_place_priority(enum tw_role role, int priority)
{
	static const int below[TW_ROLES] = {
		[TW_MAIN] = 2,
		[TW_SERVER] = 1,
		[TW_CLIENT] = 0,
	};

	if (!priority || role == TW_LOAD)
		return 0;
	return priority - below[role];
}

char *tw_place_format(const cpu_set_t *cpus, char *buf, size_t len)
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
