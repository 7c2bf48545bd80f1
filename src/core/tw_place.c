// SPDX-License-Identifier: GPL-2.0-or-later
/* Which CPUs a process runs on. */
#include <string.h>

#include "tw_cpus.h"
#include "tw_part.h"
#include "tw_place.h"

static cpu_set_t allowed;	/* that this program may use */
static cpu_set_t usable;	/* ...and those that it gets if it asks */
static cpu_set_t without;	/* were named in a range, but are not usable */
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
	return CPU_COUNT(&chosen) ? CPU_COUNT(&chosen) : CPU_COUNT(&allowed);
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

static void __attribute__((noreturn))
refuse_set(const struct tw_option *option, const char *value)
{
	char list[TW_PLACE_LIST], message[TW_PLACE_LIST + 80];

	tw_place_list(&usable, list, sizeof(list));
	snprintf(message, sizeof(message),
		 "allowed is a set of these CPUs: %s, which are online and in the cpuset",
		 list);
	tw_option_refuse(option, value, message);
}

static void parse_set(const struct tw_option *option, char *value,
		      cpu_set_t *set)
{
	cpu_set_t alone, others, present;

	if (!tw_cpus_choose(set, &alone, value, &allowed) ||
	    tw_cpus_less(&alone, &alone, &usable))
		refuse_set(option, value);
	tw_cpus_less(&others, set, &usable);
	CPU_AND(set, set, &usable);
	if (!CPU_COUNT(set))
		refuse_set(option, value);
	/* Of all that there may be, most have never been there. */
	if (strstr(value, "all") &&
	    tw_cpus_read(&present, TW_CPUS_DIR "present"))
		CPU_AND(&others, &others, &present);
	CPU_OR(&without, &without, &others);
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
	{ 'a', "affinity", TW_CPUS, &chosen_words, .optional = true,
	  .parse = parse_affinity, .far = TW_MAY_BE_ASKED,
	  .help = "a CPU each for parent process, server and client; or for pair N, CPUs 2N (server) and 2N + 1 of CPUSET" },
	{ 0, "client-affinity", TW_CPUS, &tw_place_words[TW_CLIENT],
	  .parse = tw_place_parse, .help = "pin the clients to CPUSET" },
	{ 0, "mainaffinity", TW_CPUS, &tw_place_words[TW_MAIN],
	  .parse = tw_place_parse, .help = "pin the parent process to CPUSET" },
	{ 0, "server-affinity", TW_CPUS, &tw_place_words[TW_SERVER],
	  .parse = tw_place_parse, .far = TW_ASKED,
	  .help = "pin the servers to CPUSET" },
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

void tw_place_print(FILE *file, const char *how)
{
	char list[TW_PLACE_LIST];
	cpu_set_t cpus, unusable;

	tw_place_list(&without, list, sizeof(list));
	if (*list)
		fprintf(file, "# Named, but left out, as offline or not in the cpuset: CPU %s\n",
			list);
	tw_cpus_isolated(&cpus);
	if (!how || !tw_cpus_less(&cpus, &cpus, &allowed))
		return;
	tw_place_list(&cpus, list, sizeof(list));
	if (tw_cpus_less(&unusable, &cpus, &usable))
		fprintf(file, "# Isolated, but not used: CPU %s; to measure there, start this program in the cpuset that has it\n",
			list);
	else
		fprintf(file, "# Isolated, but not used: CPU %s; to measure there: %s%s\n",
			list, how, list);
}

/* Without a set, isolated CPUs are not used. */
static void text(FILE *file, const struct tw_run *run)
{
	bool any = CPU_COUNT(&chosen) || CPU_COUNT(&own[TW_SERVER]) ||
		   CPU_COUNT(&own[TW_CLIENT]);

	tw_place_print(file, any ? NULL : tw_config.smp ? "taskset -c " :
		       pinned || tw_option_given("threads") ? "-a " : NULL);
}

const struct tw_part tw_part_place = {
	.options = options, .group = TW_PLACES, .check = check, .text = text,
};

/*
 * Isolated CPUs are not among those of a shell, but the kernel gives them to
 * whoever asks. The set that is asked for has the present CPU, too, so that
 * nobody is moved.
 */
void tw_place_open(void)
{
	cpu_set_t all;

	if (tw_cpus_get(0, &allowed))
		tw_say_fatal("cannot read the CPUs of this process: %m\n");
	if (!CPU_COUNT(&allowed))
		tw_say_fatal("this process may use none of the CPUs below %d; needed is one: taskset -c 0-%d\n",
			     CPU_SETSIZE, CPU_SETSIZE - 1);
	usable = allowed;
	memset(&all, 0xff, sizeof(all));
	if (sched_setaffinity(0, sizeof(all), &all))
		return;
	tw_cpus_get(0, &usable);
	sched_setaffinity(0, sizeof(allowed), &allowed);
}
