// SPDX-License-Identifier: GPL-2.0-or-later
/* Which CPUs a process runs on. */
#include <stdio.h>
#include <time.h>

#include "rt-error.h"
#include "rt-numa.h"
#include "tw_config.h"
#include "tw_part.h"

static cpu_set_t allowed;	/* that this program may use */
static bool pinned;		/* -a was given */
static cpu_set_t chosen;	/* by -a CPUSET; else empty */
static cpu_set_t own[TW_ROLES];	/* by --client-affinity and so on */
static const char *chosen_words;	/* as they were given */
const char *tw_place_words[TW_ROLES];
static const struct tw_option *rows[TW_ROLES];	/* that brought them */

/* @count CPUs of the set @from, beginning with its @n-th. */
static void nth(const cpu_set_t *from, int n, int count, cpu_set_t *to)
{
	int cpu;

	CPU_ZERO(to);
	for (cpu = 0; cpu < CPU_SETSIZE && count; cpu++)
		if (CPU_ISSET(cpu, from) && n-- <= 0) {
			CPU_SET(cpu, to);
			count--;
		}
}

/*
 * -a without a set: of the CPUs c0, c1, ... that this program may use
 *
 *   CPUs       main  server  client  load
 *   4 or more  c1    c2      c3      c3 and above
 *   3          c0    c1      c2      c2
 *   2          c0    c0      c1      c1
 *   1          c0    c0      c0      c0
 *
 * From 4 CPUs on, the next pairs take the next two, then c2 and c3 again.
 */
static int planned(enum tw_role role, int number, int count)
{
	int first = count > 2 ? count > 3 ? 2 : 1 : 0;
	int client = count > 1 ? first + 1 : 0;
	int twos = (count - first) & ~1;

	if (role == TW_MAIN)
		return count > 3;
	if (role == TW_LOAD)
		return client + number % (count - client);
	return first + (twos ? (2 * number + (role == TW_CLIENT)) % twos : 0);
}

void tw_place(enum tw_role role, int number, cpu_set_t *cpus)
{
	bool side = role == TW_CLIENT || role == TW_SERVER;
	int count = CPU_COUNT(&chosen);

	if (tw_config.absent[role])
		CPU_ZERO(cpus);
	else if (CPU_COUNT(&own[role]))
		*cpus = own[role];
	else if (tw_config.smp && side)
		nth(&allowed, (number + (role == TW_SERVER &&
					 tw_config.peer_next)) %
		    CPU_COUNT(&allowed), 1, cpus);
	else if (!pinned || (count && !side))
		*cpus = allowed;
	else if (count)
		nth(&chosen, (2 * number + (role == TW_CLIENT)) % count, 1,
		    cpus);
	else if (number == TW_PLACE_ALL)
		nth(&allowed, planned(role, 0, CPU_COUNT(&allowed)),
		    CPU_SETSIZE, cpus);
	else
		nth(&allowed, planned(role, number, CPU_COUNT(&allowed)), 1,
		    cpus);
}

void tw_place_set(enum tw_role role, const cpu_set_t *cpus)
{
	own[role] = *cpus;
}

int tw_place_count(void)
{
	return CPU_COUNT(&allowed);
}

bool tw_place_chosen(void)
{
	return pinned;
}

int tw_place_single(const cpu_set_t *cpus)
{
	int cpu = 0;

	if (CPU_COUNT(cpus) != 1)
		return -1;
	while (!CPU_ISSET(cpu, cpus))
		cpu++;
	return cpu;
}

void tw_place_list(const cpu_set_t *cpus, char *list, size_t size)
{
	size_t used = 0;
	int first, cpu;

	list[0] = '\0';
	for (cpu = 0; cpu < CPU_SETSIZE && used < size; cpu++) {
		if (!CPU_ISSET(cpu, cpus))
			continue;
		for (first = cpu; cpu + 1 < CPU_SETSIZE &&
		     CPU_ISSET(cpu + 1, cpus); cpu++)
			;
		used += snprintf(list + used, size - used,
				 first == cpu ? "%s%d" : "%s%d-%d",
				 used ? "," : "", first, cpu);
	}
}

/* libnuma calls it, and would print a line beside our message. */
void numa_warn(int number, char *where, ...)
{
}

/* libnuma's syntax: lists, ranges, !, + and all. */
static void parse_set(const struct tw_option *option, char *value,
		      cpu_set_t *set)
{
	struct bitmask *mask = NULL;
	cpu_set_t usable;
	int cpu;

	CPU_ZERO(set);
	if (!parse_cpumask(value, numa_num_possible_cpus(), &mask) && mask)
		for (cpu = 0; cpu < CPU_SETSIZE && cpu < (int)mask->size; cpu++)
			if (numa_bitmask_isbitset(mask, cpu))
				CPU_SET(cpu, set);
	if (mask)
		numa_bitmask_free(mask);
	CPU_AND(&usable, &allowed, set);
	if (!CPU_COUNT(set) || !CPU_EQUAL(&usable, set))
		tw_option_refuse(option, value, "allowed is a set of CPUs that this process may use");
	*(const char **)option->to = value;
}

static void parse_affinity(const struct tw_option *option, char *value)
{
	pinned = true;
	CPU_ZERO(&chosen);
	*(const char **)option->to = "";
	if (value)
		parse_set(option, value, &chosen);
}

/* The words of a role's set are read once all options are known: see check(). */
void tw_place_parse(const struct tw_option *option, char *value)
{
	rows[(const char **)option->to - tw_place_words] = option;
	*(const char **)option->to = value;
}

static const struct tw_option options[] = {
	{ 'a', "affinity", optional_argument, "CPUSET", parse_affinity,
	  &chosen_words,
	  .help = "pin parent process, server and client to CPUs\n"
		  "of their own; with CPUSET, server and client of\n"
		  "pair N to its CPUs 2N and 2N + 1" },
	{ 0, "client-affinity", required_argument, "CPUSET", tw_place_parse,
	  &tw_place_words[TW_CLIENT], .help = "pin the clients to CPUSET" },
	{ 0, "mainaffinity", required_argument, "CPUSET", tw_place_parse,
	  &tw_place_words[TW_MAIN], .help = "pin the parent process to CPUSET" },
	{ 0, "server-affinity", required_argument, "CPUSET", tw_place_parse,
	  &tw_place_words[TW_SERVER], .help = "pin the servers to CPUSET" },
	{ .name = NULL }
};

static void check(struct tw_run *run)
{
	int role;

	for (role = 0; role < TW_ROLES; role++)
		if (tw_place_words[role] && !tw_config.absent[role])
			parse_set(rows[role], (char *)tw_place_words[role],
				  &own[role]);
}

const struct tw_part tw_part_place = {
	.options = options, .check = check,
};

void tw_place_open(void)
{
	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		fatal("cannot read the CPUs of this process: %m\n");
}
