// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tw_cpus.h"
#include "tw_read.h"

#define SETS	8		/* cpu_set_t: no kernel has more CPUs */
#define MOST	(SETS * CPU_SETSIZE)

/* Of those that there may be. */
static unsigned long last_cpu(void)
{
	char list[TW_READ_LINE], *last;

	if (!tw_read_text(list, sizeof(list), TW_CPUS_DIR "possible"))
		return CPU_SETSIZE - 1;
	last = list + strlen(list);
	while (last > list && isdigit((unsigned char)last[-1]))
		last--;
	return *last ? strtoul(last, NULL, 10) : CPU_SETSIZE - 1;
}

static bool read_digits(const char **from, int base, unsigned long *number)
{
	char *end;

	if (!isdigit((unsigned char)**from))
		return false;
	*number = strtoul(*from, &end, base);
	*from = end;
	return *number < MOST;
}

static bool read_number(const char **from, unsigned long *number)
{
	if (**from != 'N')
		return read_digits(from, 10, number);
	*number = last_cpu();
	(*from)++;
	return true;
}

/* A number, a range, or in a range @used of each @group CPUs; or "all". */
static bool add_range(cpu_set_t *cpus, const char **from)
{
	unsigned long first = 0, last, cpu, used = 1, group = 1;

	if (!strncmp(*from, "all", 3)) {
		*from += 3;
		last = last_cpu();
	} else {
		if (!read_number(from, &first))
			return false;
		last = first;
		if (**from == '-' && (++*from, !read_number(from, &last)))
			return false;
	}
	if (**from == ':' && ((++*from, !read_number(from, &used)) ||
			      *(*from)++ != '/' || !read_number(from, &group)))
		return false;
	if (last < first || !used || used > group)
		return false;
	for (cpu = first; cpu <= last && cpu < CPU_SETSIZE; cpu++)
		if ((cpu - first) % group < used)
			CPU_SET(cpu, cpus);
	return true;
}

bool tw_cpus_parse(cpu_set_t *cpus, const char *list)
{
	CPU_ZERO(cpus);
	/* So some kernels write an empty one. */
	if (!strcmp(list, "(null)"))
		return true;
	while (*list) {
		if (!add_range(cpus, &list) || (*list && *list != ','))
			return false;
		list += *list == ',';
	}
	return true;
}

bool tw_cpus_read(cpu_set_t *cpus, const char *path)
{
	char list[TW_READ_LINE];

	return tw_read_text(list, sizeof(list), path) &&
	       tw_cpus_parse(cpus, list);
}

bool tw_cpus_isolated(cpu_set_t *cpus)
{
	bool known = tw_cpus_read(cpus, TW_CPUS_DIR "isolated");
	cpu_set_t more;

	if (!known)
		CPU_ZERO(cpus);
	if (tw_cpus_read(&more, "/sys/fs/cgroup/cpuset.cpus.isolated"))
		CPU_OR(cpus, cpus, &more);
	return known;
}

/* A number, a range, or "all" as the last word. */
static bool add_word(cpu_set_t *cpus, cpu_set_t *alone, const char **from)
{
	unsigned long first = 0, last = CPU_SETSIZE - 1, cpu;

	*from += strspn(*from, " \t");
	if (!strcmp(*from, "all")) {
		*from += 3;
	} else {
		if (!read_digits(from, 0, &first))
			return false;
		last = first;
		if (**from != '-')
			CPU_SET(first, alone);
		else if (++*from, !read_digits(from, 0, &last))
			return false;
	}
	for (cpu = first; cpu <= last && cpu < CPU_SETSIZE; cpu++)
		CPU_SET(cpu, cpus);
	return first <= last && first < CPU_SETSIZE;
}

/* In place of numbers, the CPUs of @of that they count. */
static void count_in(cpu_set_t *cpus, const cpu_set_t *of)
{
	cpu_set_t numbers = *cpus;
	int cpu, number = 0;

	CPU_ZERO(cpus);
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, of)) {
			if (CPU_ISSET(number, &numbers))
				CPU_SET(cpu, cpus);
			number++;	/* not in a macro, which may use it twice */
		}
}

bool tw_cpus_choose(cpu_set_t *cpus, cpu_set_t *alone, const char *words,
		    const cpu_set_t *own)
{
	bool others = *words == '!', counts;
	cpu_set_t possible;
	int count;

	words += others;
	counts = *words == '+';
	words += counts;
	CPU_ZERO(cpus);
	CPU_ZERO(alone);
	do
		if (!add_word(cpus, alone, &words))
			return false;
	while (*words++ == ',');
	count = CPU_COUNT(alone);
	if (counts) {
		count_in(cpus, own);
		count_in(alone, own);
	} else if (tw_cpus_read(&possible, TW_CPUS_DIR "possible")) {
		CPU_OR(&possible, &possible, alone);
		CPU_AND(cpus, cpus, &possible);
	}
	if (others) {
		tw_cpus_less(cpus, own, cpus);
		CPU_ZERO(alone);
		count = 0;
	}
	return !words[-1] && CPU_COUNT(alone) == count;
}

int tw_cpus_get(pid_t pid, cpu_set_t *cpus)
{
	cpu_set_t all[SETS];

	if (sched_getaffinity(pid, sizeof(all), all))
		return -1;
	*cpus = all[0];
	return 0;
}

bool tw_cpus_less(cpu_set_t *to, const cpu_set_t *from,
		  const cpu_set_t *without)
{
	cpu_set_t both;

	CPU_AND(&both, from, without);
	CPU_XOR(to, from, &both);
	return CPU_COUNT(to) > 0;
}
