// SPDX-License-Identifier: GPL-2.0-or-later
/* Sets of CPUs, as users write them; and those that are isolated. */
#include <stdio.h>
#include <string.h>

#include "tw_cpus.h"
#include "tw_read.h"
#include "unit.h"

/* Of the kernel, as lists; NULL: it does not tell. */
static const char *possible, *isolated, *partition;

bool __wrap_tw_read_text(char *text, size_t size, const char *path);
bool __wrap_tw_read_text(char *text, size_t size, const char *path)
{
	const char *list = NULL;

	if (!strcmp(path, "/sys/devices/system/cpu/possible"))
		list = possible;
	else if (!strcmp(path, "/sys/devices/system/cpu/isolated"))
		list = isolated;
	else if (!strcmp(path, "/sys/fs/cgroup/cpuset.cpus.isolated"))
		list = partition;
	else
		fail();
	if (list)
		snprintf(text, size, "%s", list);
	return list;
}

static void assert_set(const cpu_set_t *cpus, const char *list)
{
	cpu_set_t expected;

	assert_true(tw_cpus_parse(&expected, list));
	assert_true(CPU_EQUAL(cpus, &expected));
}

/* Where CPUs 0-7 are possible, and a process may use 2, 3 and 5. */
static const struct words {
	const char *words;
	const char *cpus;	/* NULL: they are wrong */
	const char *alone;
} words[] = {
	{ "0", "0", "0" },
	{ "0,2", "0,2", "0,2" },
	{ "2,0", "0,2", "0,2" },
	{ "1-3", "1-3", "" },
	{ "3-3", "3", "" },
	{ "0,2-4,7", "0,2-4,7", "0,7" },
	{ "3,3-4", "3-4", "3" },
	{ "0x5,010", "5,8", "5,8" },
	{ " 0,\t1- 3", NULL, NULL },
	{ " 0,\t1-3", "0-3", "0" },
	{ "all", "0-7", "" },
	{ "0,all", "0-7", "0" },
	{ "5-99", "5-7", "" },
	{ "9-99", "", "" },
	{ "99", "99", "99" },
	{ "1023", "1023", "1023" },
	{ "0-8191", "0-7", "" },
	{ "+0", "2", "2" },
	{ "+2", "5", "5" },
	{ "+0,2", "2,5", "2,5" },
	{ "+1-2", "3,5", "" },
	{ "+1-9", "3,5", "" },
	{ "+all", "2,3,5", "" },
	{ "+3", NULL, NULL },
	{ "+0,3", NULL, NULL },
	{ "!2", "3,5", "" },
	{ "!0", "2,3,5", "" },
	{ "!2-4", "5", "" },
	{ "!all", "", "" },
	{ "!+0", "3,5", "" },
	{ "!99", "2,3,5", "" },
	{ "", NULL, NULL },
	{ "x", NULL, NULL },
	{ "0x", NULL, NULL },
	{ "0-", NULL, NULL },
	{ "0-x", NULL, NULL },
	{ "-", NULL, NULL },
	{ "-0", NULL, NULL },
	{ "-1", NULL, NULL },
	{ "0--1", NULL, NULL },
	{ "0-+1", NULL, NULL },
	{ "1-0", NULL, NULL },
	{ "0,3-1", NULL, NULL },
	{ "!1-0", NULL, NULL },
	{ "+1-0", NULL, NULL },
	{ "0,,0", NULL, NULL },
	{ ",0", NULL, NULL },
	{ "0,", NULL, NULL },
	{ "0 ", NULL, NULL },
	{ "0 1", NULL, NULL },
	{ "0,x", NULL, NULL },
	{ "0-1:1/2", NULL, NULL },
	{ "N", NULL, NULL },
	{ "all,0", NULL, NULL },
	{ "allx", NULL, NULL },
	{ "!", NULL, NULL },
	{ "+", NULL, NULL },
	{ "+!0", NULL, NULL },
	{ "!!0", NULL, NULL },
	{ "1024", NULL, NULL },
	{ "0-8192", NULL, NULL },
	{ "4294967296", NULL, NULL },
	{ "18446744073709551616", NULL, NULL },
};

TEST_EACH(chosen, words)
{
	cpu_set_t own, cpus, alone;
	bool good;

	possible = "0-7";
	assert_true(tw_cpus_parse(&own, "2,3,5"));
	good = tw_cpus_choose(&cpus, &alone, of->words, &own);
	assert_int_equal(good, !!of->cpus);
	if (!good)
		return;
	assert_set(&cpus, of->cpus);
	assert_set(&alone, of->alone);
}

/* There, a range may have all. */
TEST(without_sys)
{
	cpu_set_t own, cpus, alone;

	possible = NULL;
	assert_true(tw_cpus_parse(&own, "0"));
	assert_true(tw_cpus_choose(&cpus, &alone, "0-9", &own));
	assert_set(&cpus, "0-9");
	assert_true(tw_cpus_choose(&cpus, &alone, "all", &own));
	assert_int_equal(CPU_COUNT(&cpus), CPU_SETSIZE);
}

/* N and all of the kernel's lists end at the last possible CPU. */
static const struct last {
	const char *possible;
	const char *end;	/* of a list that means the same as 2-N */
} lasts[] = {
	{ "0-3", "2-3" }, { "0,2-7", "2-7" }, { "0-1,3", "2-3" }, { "3", "2-3" },
	{ "0-2047", "2-1023" }, { "", "2-1023" }, { NULL, "2-1023" },
};

TEST_EACH(last_of_a_list, lasts)
{
	cpu_set_t cpus;

	possible = of->possible;
	assert_true(tw_cpus_parse(&cpus, "2-N"));
	assert_set(&cpus, of->end);
	assert_true(tw_cpus_parse(&cpus, "all"));
	CPU_CLR(0, &cpus);
	CPU_CLR(1, &cpus);
	assert_set(&cpus, of->end);
}

static const struct isolation {
	const char *name, *isolated, *partition, *cpus;
	bool known;
} isolations[] = {
	{ "none", "", NULL, "", true },
	{ "at boot", "1-2", NULL, "1-2", true },
	{ "by a partition", "", "3", "3", true },
	{ "both", "1-2", "2-3", "1-3", true },
	{ "unknown", NULL, NULL, "", false },
	{ "a partition alone", NULL, "3", "3", false },
};

TEST_EACH(isolates, isolations)
{
	cpu_set_t cpus;

	isolated = of->isolated;
	partition = of->partition;
	assert_int_equal(tw_cpus_isolated(&cpus), of->known);
	assert_set(&cpus, of->cpus);
}
