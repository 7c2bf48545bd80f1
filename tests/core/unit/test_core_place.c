// SPDX-License-Identifier: GPL-2.0-or-later
/* The placement plan, on machines of 1 to 8 CPUs. */
#include <sched.h>

#include "unit.h"
#include "tw_config.h"
#include "tw_option.h"

static int machine;		/* CPUs, 2 3 4... so that none is CPU 0 */

int __wrap_sched_getaffinity(pid_t pid, size_t size, cpu_set_t *cpus);
int __wrap_sched_getaffinity(pid_t pid, size_t size, cpu_set_t *cpus)
{
	int i;

	(void)pid;
	assert_int_equal(size, sizeof(*cpus));
	CPU_ZERO(cpus);
	for (i = 0; i < machine; i++)
		CPU_SET(2 + i, cpus);
	return 0;
}

static struct plan {
	const char *name;
	int cpus;
	int main;		/* all: as c0 c1 c2... */
	int server[3], client[3];	/* of pairs 0, 1, 2 */
	int load[3];		/* workers 0, 1, 2 */
	int all_loads;		/* hackbench: from here on */
} plans[] = {
	{ "1", 1, 0, { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 }, 0 },
	{ "2", 2, 0, { 0, 0, 0 }, { 1, 1, 1 }, { 1, 1, 1 }, 1 },
	{ "3", 3, 0, { 1, 1, 1 }, { 2, 2, 2 }, { 2, 2, 2 }, 2 },
	{ "4", 4, 1, { 2, 2, 2 }, { 3, 3, 3 }, { 3, 3, 3 }, 3 },
	{ "5", 5, 1, { 2, 2, 2 }, { 3, 3, 3 }, { 3, 4, 3 }, 3 },
	{ "6", 6, 1, { 2, 4, 2 }, { 3, 5, 3 }, { 3, 4, 5 }, 3 },
	{ "7", 7, 1, { 2, 4, 2 }, { 3, 5, 3 }, { 3, 4, 5 }, 3 },
	{ "8", 8, 1, { 2, 4, 6 }, { 3, 5, 7 }, { 3, 4, 5 }, 3 },
};

static void assert_cpu(enum tw_role role, int number, int expected)
{
	cpu_set_t cpus;

	tw_place(role, number, &cpus);
	assert_int_equal(tw_place_single(&cpus), 2 + expected);
}

AT_START(set_affinity)
{
	char *words[] = { "test", NULL };

	tw_option_parse_all(1, words);
	tw_option_set("affinity", NULL);
}

TEST_EACH(placed, plans)
{
	cpu_set_t cpus;
	int i;

	machine = of->cpus;
	tw_place_open();
	assert_int_equal(tw_place_count(), of->cpus);
	assert_cpu(TW_MAIN, 0, of->main);
	for (i = 0; i < 3; i++) {
		assert_cpu(TW_SERVER, i, of->server[i]);
		assert_cpu(TW_CLIENT, i, of->client[i]);
		assert_cpu(TW_LOAD, i, of->load[i]);
	}
	tw_place(TW_LOAD, TW_PLACE_ALL, &cpus);
	assert_int_equal(CPU_COUNT(&cpus), of->cpus - of->all_loads);
	for (i = of->all_loads; i < of->cpus; i++)
		assert_true(CPU_ISSET(2 + i, &cpus));
	if (CPU_COUNT(&cpus) > 1)
		assert_int_equal(tw_place_single(&cpus), -1);
}
