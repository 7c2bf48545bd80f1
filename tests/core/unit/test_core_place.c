// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The placement plan, on machines of 1 to 8 CPUs; and sets of CPUs, on machines
 * where some are offline, isolated, in another cpuset, or one of very many.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "child.h"
#include "tw_config.h"
#include "tw_cpus.h"
#include "tw_option.h"
#include "tw_part.h"
#include "tw_place.h"
#include "tw_read.h"

/* The kernel's, as lists; "possible": none above these. */
static struct machine {
	const char *possible, *usable, *present, *isolated, *partition;
	size_t bits;		/* of its own sets */
	bool refuses;		/* to change any */
} machine;
static cpu_set_t own;		/* what this process may use now */

static cpu_set_t list(const char *text)
{
	cpu_set_t cpus;

	assert_true(tw_cpus_parse(&cpus, text));
	return cpus;
}

int __wrap_sched_getaffinity(pid_t pid, size_t size, cpu_set_t *cpus);
int __wrap_sched_getaffinity(pid_t pid, size_t size, cpu_set_t *cpus)
{
	assert_int_equal(pid, 0);
	if (size * 8 < machine.bits) {
		errno = EINVAL;
		return -1;
	}
	memset(cpus, 0, size);
	*cpus = own;
	return 0;
}

int __wrap_sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *cpus);
int __wrap_sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *cpus)
{
	cpu_set_t usable = list(machine.usable), both;

	assert_int_equal(pid, 0);
	assert_int_equal(size, sizeof(*cpus));
	CPU_AND(&both, cpus, &usable);
	if (machine.refuses || !CPU_COUNT(&both)) {
		errno = EINVAL;
		return -1;
	}
	own = both;
	return 0;
}

bool __wrap_tw_read_text(char *text, size_t size, const char *path);
bool __wrap_tw_read_text(char *text, size_t size, const char *path)
{
	const char *list = strstr(path, "possible") ? machine.possible :
			   strstr(path, "present") ? machine.present :
			   strstr(path, "cgroup") ? machine.partition :
			   machine.isolated;

	if (list)
		snprintf(text, size, "%s", list);
	return list;
}

/* Its CPUs are 2 3 4... so that none is CPU 0. */
static void open_plain(int cpus)
{
	static char text[16];

	snprintf(text, sizeof(text), "2-%d", 1 + cpus);
	machine = (struct machine) { text, text, text, "", NULL, 64, false };
	own = list(text);
	tw_place_open();
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
	tw_option_preset("affinity");
}

TEST_EACH(placed, plans)
{
	cpu_set_t cpus;
	int i;

	open_plain(of->cpus);
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

#define SOME	"allowed is a set of these CPUs: "
#define WHY	", which are online and in the cpuset\n"
#define LEFT	"# Named, but left out, as offline or not in the cpuset: CPU "
#define UNUSED	"# Isolated, but not used: CPU "

/* What "-a WORDS" of this process makes there; "": -a alone. */
static struct set {
	const char *name;
	struct machine machine;
	const char *own, *words;
	const char *chosen;	/* NULL: refused with this text... */
	const char *text;	/* ...else these lines follow the results */
} sets[] = {
	{ "plain", { "0-3", "0-3", "0-3", "", NULL, 64, false }, "0-3", "1,3",
	  "1,3", "" },
	{ "outside of its mask", { "0-3", "0-3", "0-3", "2-3", NULL, 64, false },
	  "0-1", "2,3", "2-3", "" },
	{ "another mask", { "0-3", "0-3", "0-3", "", NULL, 64, false },
	  "0", "all", "0-3", "" },
	{ "an offline one", { "0-3", "0-2", "0-3", "", NULL, 64, false },
	  "0-2", "3", NULL, SOME "0-2" WHY },
	{ "an offline one in a list", { "0-3", "0-2", "0-3", "", NULL, 64, false },
	  "0-2", "1,3", NULL, SOME "0-2" WHY },
	{ "an offline one first", { "0-3", "1-3", "0-3", "", NULL, 64, false },
	  "1-3", "0,1-3", NULL, SOME "1-3" WHY },
	{ "an offline one in a range",
	  { "0-3", "0-2", "0-3", "", NULL, 64, false }, "0-2", "0-3", "0-2",
	  LEFT "3\n" },
	{ "offline ones in several",
	  { "0-9", "0,2,4,6-9", "0-9", "", NULL, 64, false }, "0,2", "1-3,4-8",
	  "2,4,6-8", LEFT "1,3,5\n" },
	{ "nothing left of a range", { "0-3", "0-1", "0-3", "", NULL, 64, false },
	  "0-1", "2-3", NULL, SOME "0-1" WHY },
	{ "all, of which some are offline",
	  { "0-3", "0-2", "0-3", "", NULL, 64, false }, "0-2", "all", "0-2",
	  LEFT "3\n" },
	{ "all, of which most are not there",
	  { "0-200", "0-1", "0-2", "", NULL, 256, false }, "0-1", "all", "0-1",
	  LEFT "2\n" },
	{ "a range of those that are not there",
	  { "0-200", "0-1", "0-1", "", NULL, 256, false }, "0-1", "0-3", "0-1",
	  LEFT "2-3\n" },
	{ "not even possible", { "0-3", "0-3", "0-3", "", NULL, 64, false },
	  "0-3", "4", NULL, SOME "0-3" WHY },
	{ "a small cpuset", { "0-3", "1", "0-3", "2", NULL, 64, false },
	  "1", "2", NULL, SOME "1" WHY },
	{ "who may change nothing", { "0-3", "0-3", "0-3", "", NULL, 64, true },
	  "0-1", "2", NULL, SOME "0-1" WHY },
	{ "very many", { "0-1023", "0-1023", "0-1023", "", NULL, 1792, false },
	  "0-1023", "1000,1023", "1000,1023", "" },
	{ "isolated ones", { "0-3", "0-3", "0-3", "2-3", NULL, 64, false },
	  "0-1", "", "", UNUSED "2-3; to measure there: -a 2-3\n" },
	{ "isolated by a partition",
	  { "0-3", "0-1", "0-3", "", "2-3", 64, false }, "0-1", "", "",
	  UNUSED "2-3; to measure there, start this program in the cpuset that has it\n" },
	{ "isolated ones that are its own",
	  { "0-3", "0-3", "0-3", "2-3", "", 64, false }, "2-3", "", "", "" },
	{ "an isolated one that is not",
	  { "0-3", "0-3", "0-3", "2-3", "", 64, false }, "0-2", "", "",
	  UNUSED "3; to measure there: -a 3\n" },
};
static const struct set *set;

static void open_machine(void)
{
	machine = set->machine;
	own = list(set->own);
	tw_place_open();
}

static void place(void)
{
	char words[48];
	int pair;

	open_machine();
	snprintf(words, sizeof(words), "affinity%s%s",
		 *set->words ? "=" : "", set->words);
	tw_option_preset(words);
	if (*set->words) {
		cpu_set_t sum, cpus;

		CPU_ZERO(&sum);
		for (pair = 0; pair < CPU_SETSIZE / 2; pair++) {
			tw_place(TW_SERVER, pair, &cpus);
			CPU_OR(&sum, &sum, &cpus);
			tw_place(TW_CLIENT, pair, &cpus);
			CPU_OR(&sum, &sum, &cpus);
		}
		cpus = list(set->chosen);
		if (!CPU_EQUAL(&sum, &cpus))
			exit(98);
	}
	tw_part_place.text(stdout, NULL);
}

TEST_EACH(given, sets)
{
	struct outcome outcome;
	cpu_set_t before;

	set = of;
	open_machine();
	before = list(of->own);
	assert_true(CPU_EQUAL(&own, &before));
	outcome = run(place);
	assert_int_equal(outcome.exit_code, of->chosen ? RETURNED : 1);
	assert_string_equal(outcome.out, of->chosen ? of->text : "");
	if (!of->chosen)
		assert_string_equal(strstr(outcome.err, SOME), of->text);
	else
		assert_string_equal(outcome.err, "");
}

static void open_high(void)
{
	machine = (struct machine) {
		"0-1023", "0-1023", NULL, NULL, NULL, 1792, false
	};
	CPU_ZERO(&own);
	tw_place_open();
}

/* Those above are not seen. */
TEST(none_that_can_be_used)
{
	assert_outcome(open_high, 1, "FATAL: this process may use none of the CPUs below 1024; needed is one: taskset -c 0-1023\n");
}
