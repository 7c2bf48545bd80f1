// SPDX-License-Identifier: GPL-2.0-or-later
/* --test and --list: the table of tests, and the cases that are chosen of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "pt_report.h"
#include "pt_rows.h"
#include "tw_say.h"

#define ALL	(1U << 6)

#define ADDRESS(name)	&pt_##name,

const struct pt_test *const pt_tests[] = { PT_ROWS(ADDRESS) NULL };

static const char *const groups[] = {
	"aegis", "samples", "pcserver", "notes", "overheads", "rhealstone",
	"all", "basic", NULL
};

/* Of each primitive the usual kind; it takes about 15 s. */
static const char basic[] =
	"timer.1000,sleep.absolute.1000,clock.monotonic,sync1.unnamed,"
	"sync1.mutex,sync2.unnamed,sync2.cond,sync2.mutex,message.64,pipe.64,"
	"signal.sigwaitinfo,yield.2x0,thread";

static const char *tests = "basic";
static bool list;

#define refuse(word, format, ...) \
	tw_say_fatal("--test=%s: %s: " format "\n", tests, word, ##__VA_ARGS__)

/* The kind that stands in the place of a test's own: --size and so on. */
static const struct pt_kind *own_kind(const struct pt_test *test)
{
	static char names[PT_OWNS][16];
	int64_t value = pt_config.own[test->own];
	struct pt_kind *kind = value ? malloc(sizeof(*kind)) : NULL;

	if (!kind)
		return NULL;
	snprintf(names[test->own], sizeof(names[0]), "%lld", (long long)value);
	*kind = test->kinds[0];
	kind->name = names[test->own];
	kind->value = value;
	if (test->own_kind)
		test->own_kind(kind);
	return kind;
}

/* Each case once; one that cannot be is skipped, unless the user has named it. */
static void add(const struct pt_choice *choice)
{
	struct pt_case *c = pt_case_map(choice);
	const char *lacks = NULL;
	int i;

	for (i = 0; i < pt_chosen_count; i++)
		if (!strcmp(pt_cases[i]->name, c->name)) {
			munmap(c, c->size);
			return;
		}
	if ((choice->test->flags & PT_REALTIME) && !tw_config.priority)
		lacks = "needs real-time priorities; give -p, such as -p 98";
	else if (choice->cross && !pt_config.two_cpus)
		lacks = "needs two CPUs; this run may use one";
	if (lacks && choice->named)
		refuse(c->name, "%s", lacks);
	if (lacks)
		pt_refuse(c, 0, "%s", lacks);
	if (pt_chosen_count == PT_CASES_MAX)
		refuse(c->name, "allowed are at most %d tests", PT_CASES_MAX);
	pt_cases[pt_chosen_count++] = c;
}

/* Threads and processes, on one CPU and two. */
static void add_kind(const struct pt_test *test, const struct pt_kind *kind,
		     bool named)
{
	bool alone = test->flags & PT_ALONE;
	int tasks = alone ? PT_AS_PROCESS : test->flags & PT_THREADS ?
		    PT_AS_THREAD : pt_config.tasks.bits;
	int cpus = alone || test->flags & PT_SAME ? PT_ON_SAME :
		   pt_config.cpus.bits;
	int as, on;

	for (as = PT_AS_THREAD; as <= PT_AS_PROCESS; as <<= 1)
		for (on = PT_ON_SAME; on <= PT_ON_CROSS; on <<= 1)
			if ((tasks & as) && (cpus & on))
				add(&(struct pt_choice) {
					test, kind->name ? kind : NULL,
					as == PT_AS_PROCESS, on == PT_ON_CROSS,
					named,
				});
}

/* The kind @only, or all. An own kind replaces those that are not named. */
static bool add_test(const struct pt_test *test, const char *only, bool named)
{
	static const struct pt_kind none;
	const struct pt_kind *kind = test->kinds ? test->kinds : &none;
	const struct pt_kind *own = own_kind(test);
	bool found = false;

	if (own && (!only || !named || !strcmp(only, own->name))) {
		add_kind(test, own, named);
		return true;
	}
	do {
		if (only && (!kind->name || strcmp(only, kind->name)))
			continue;
		add_kind(test, kind, named && (only || !kind->optional));
		found = true;
	} while (kind->name && (++kind)->name);
	return found;
}

static void __attribute__((noreturn))
refuse_kind(const struct pt_test *test, const char *word)
{
	const struct pt_kind *kind = test->kinds;
	char names[256] = "none";
	size_t used = 0;

	for (; kind && kind->name && used < sizeof(names); kind++)
		used += snprintf(names + used, sizeof(names) - used, "%s%s",
				 used ? ", " : "", kind->name);
	refuse(word, "there is no such kind; %s has: %s", test->name, names);
}

/* A test, TEST.KIND, or a group of them; @given: by the user. */
static void add_word(const char *word, bool given)
{
	size_t length = strcspn(word, ".");
	const char *only = word[length] ? word + length + 1 : NULL;
	unsigned int group = 0;
	bool found = false, named;
	int i;

	for (i = 0; groups[i]; i++)
		group |= strcmp(word, groups[i]) ? 0 : 1U << i;
	for (i = 0; pt_tests[i]; i++) {
		named = strlen(pt_tests[i]->name) == length &&
			!memcmp(pt_tests[i]->name, word, length);
		if (!named && !((pt_tests[i]->groups | ALL) & group))
			continue;
		if (!add_test(pt_tests[i], only, named && given))
			refuse_kind(pt_tests[i], word);
		found = true;
	}
	if (!found)
		refuse(word, "there is no such test or group; --list shows them");
}

/* Words separated by commas or spaces. */
static void add_words(const char *words, bool given)
{
	char *rest = strdup(words), *word;

	while (rest && (word = strsep(&rest, ", ")))
		if (!strcmp(word, "basic"))
			add_words(basic, false);
		else if (*word)
			add_word(word, given);
}

/* A second --test adds to the first. */
static void parse(const struct tw_option *option, char *value)
{
	static bool given;
	char *both;

	if (asprintf(&both, "%s%s%s", given ? tests : "", given ? "," : "",
		     value) < 0)
		tw_say_fatal("no memory\n");
	tests = both;
	given = true;
}

/* An option of some tests, which its help names, is refused if none is run. */
static void check_own(enum pt_own own, const char *option)
{
	const char *help = tw_option_find(option)->help;
	int i = 0;

	while (i < pt_chosen_count && pt_cases[i]->choice.test->own != own)
		i++;
	if (i == pt_chosen_count && pt_config.own[own])
		tw_say_fatal("--%s=%lld: allowed only with one of the tests %.*s\n",
			     option, (long long)pt_config.own[own],
			     (int)strcspn(help, ":"), help);
}

void pt_select(void)
{
	add_words(tests, true);
	if (!pt_chosen_count)
		tw_say_fatal("--test=%s: at least one test is needed; --list shows them\n",
			     tests);
	check_own(PT_OWN_SIZE, "size");
	check_own(PT_OWN_PERIOD, "period");
	check_own(PT_OWN_COPIES, "copies");
}

/* Groups, and tests. */
static const char *word(int i)
{
	int n = 0;

	while (groups[n] && n < i)
		n++;
	return groups[n] ? groups[n] : pt_tests[i - n] ? pt_tests[i - n]->name :
						       NULL;
}

static const struct tw_option options[] = {
	{ 0, "list", TW_FLAG, &list, .without = "--json",
	  .help = "print the tests and their kinds; measure nothing" },
	{ 0, "test", TW_LIST, &tests, .choice = word, .parse = parse,
	  .help = "groups, or tests as sync2 or sync2.cond; default basic: the usual ones, about 15 s:" },
	{ .name = NULL }
};

static void print_test(const struct pt_test *test)
{
	const struct pt_kind *kind;
	int i;

	printf("%-9s %s\n", test->name, test->about);
	if (test->kinds)
		printf("          kinds:");
	for (kind = test->kinds; kind && kind->name; kind++) {
		printf(" %s", kind->name);
		if (kind->trials && kind->trials != test->trials)
			printf(" (%lld trials)", (long long)kind->trials);
	}
	printf("%s          trials: %lld; groups:", test->kinds ? "\n" : "",
	       (long long)test->trials);
	for (i = 0; groups[i]; i++)
		if (test->groups & 1U << i)
			printf(" %s", groups[i]);
	printf("\n");
}

static void check(struct tw_run *run)
{
	int i;

	if (!list)
		return;
	for (i = 0; pt_tests[i]; i++)
		print_test(pt_tests[i]);
	printf("%-9s the usual kind of each primitive; the default\n"
	       "          tests: %s\n", "basic", basic);
	if (fflush(stdout))
		tw_say_fatal("cannot write to standard output\n");
	exit(EXIT_SUCCESS);
}

const struct tw_part pt_part_select = {
	.options = options, .check = check,
};
