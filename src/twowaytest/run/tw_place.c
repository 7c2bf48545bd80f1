// SPDX-License-Identifier: GPL-2.0-or-later
/* CPUs and priorities of the processes. */
#include "run/tw_place.h"

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

/* One row per number of CPUs, the last also for more: indices into the set. */
static const int plans[PLANS][TW_ROLES] = {
	{ [TW_MAIN] = 0, [TW_SERVER] = 0, [TW_CLIENT] = 0, [TW_LOAD] = 0 },
	{ [TW_MAIN] = 0, [TW_SERVER] = 0, [TW_CLIENT] = 1, [TW_LOAD] = 1 },
	{ [TW_MAIN] = 0, [TW_SERVER] = 1, [TW_CLIENT] = 2, [TW_LOAD] = 2 },
	{ [TW_MAIN] = 1, [TW_SERVER] = TW_PLAN_SERVER, [TW_CLIENT] = 3,
	  [TW_LOAD] = 3 },
};

/* Stores the CPUs @first to @last of @set, counted from 0, in *cpus. */
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
		   unsigned int pair, cpu_set_t *cpus)
{
	int count = CPU_COUNT(allowed);
	int plan = count < PLANS ? count : PLANS;
	int begin = plans[PLANS - 1][TW_SERVER];
	int first;

	if (!count) {
		CPU_ZERO(cpus);
		return;
	}
	first = plans[plan - 1][role];
	if (plan == PLANS && (role == TW_SERVER || role == TW_CLIENT))
		first = begin + (first - begin + 2 * (int)pair) %
				(count - begin);
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

void tw_place_each(const cpu_set_t *allowed, enum tw_role role,
		   unsigned int pair, bool next, cpu_set_t *cpus)
{
	int count = CPU_COUNT(allowed);
	unsigned int turn = pair + (next && role == TW_SERVER);
	int entry = count ? (int)(turn % (unsigned int)count) : 0;

	pick(allowed, entry, entry, cpus);
}

void tw_place_behind(const cpu_set_t *set, int server, unsigned int pair,
		     cpu_set_t *cpus)
{
	int count = CPU_COUNT(set);
	int behind = count - server - 1;
	int entry = behind > 0 ? server + 1 + (int)(pair % (unsigned int)behind) :
				 count - 1;

	pick(set, entry, entry, cpus);
}
