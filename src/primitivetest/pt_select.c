// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "pt_report.h"
#include "rt-error.h"
#include "rt-utils.h"

#define TESTS_MAX	64

struct pt_selection pt_selection;

static const char *const groups[] = {
	"aegis", "samples", "pcserver", "notes", "overheads", "rhealstone",
	NULL
};

static const char *tests;	/* NULL: aegis */
static bool list;

static void __attribute__((noreturn)) __attribute__((format(printf, 2, 3)))
refuse(const char *word, const char *format, ...)
{
	char text[PT_TEXT + 256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fatal("--test=%s: %s: %s\n", tests, word, text);
}

/* The kind that stands in the place of a test's own: --size and so on. */
static const struct pt_kind *own_kind(const struct pt_test *test)
{
	static char names[PT_OWNS][16];
	static struct pt_kind kinds[TESTS_MAX];
	int64_t value = pt_config.own[test->own];
	int i = 0;

	if (!test->own || !value)
		return NULL;
	while (pt_tests[i] != test)
		i++;
	snprintf(names[test->own], sizeof(names[0]), "%lld", (long long)value);
	kinds[i] = test->kinds[0];
	kinds[i].name = names[test->own];
	kinds[i].value = value;
	if (test->own_kind)
		test->own_kind(&kinds[i]);
	return &kinds[i];
}

const char *pt_lacks(const struct pt_choice *choice)
{
	if ((choice->test->flags & PT_REALTIME) && !tw_config.priority)
		return "needs real-time priorities; give -p, such as -p 98";
	if (choice->cross && !pt_config.two_cpus)
		return "needs two CPUs; this run may use one";
	return NULL;
}

static void add(const struct pt_choice *choice)
{
	const char *lacks = pt_lacks(choice);
	char name[PT_NAME];
	int i;

	for (i = 0; i < pt_selection.count; i++) {
		const struct pt_choice *other = &pt_selection.choice[i];

		if (other->test == choice->test &&
		    other->kind == choice->kind &&
		    other->process == choice->process &&
		    other->cross == choice->cross)
			return;
	}
	pt_choice_name(choice, name);
	if (lacks && choice->named)
		refuse(name, "%s", lacks);
	if (pt_selection.count == PT_CASES_MAX)
		refuse(name, "allowed are at most %d tests", PT_CASES_MAX);
	pt_selection.choice[pt_selection.count++] = *choice;
}

/* Of one kind: threads and processes, on one CPU and two. */
static void add_kind(const struct pt_test *test, const struct pt_kind *kind,
		     bool named)
{
	bool alone = test->flags & PT_ALONE;
	int tasks = alone ? PT_AS_PROCESS : test->flags & PT_THREADS ?
		    PT_AS_THREAD : pt_config.tasks;
	int cpus = alone || test->flags & PT_SAME ? PT_ON_SAME : pt_config.cpus;
	int as, on;

	for (as = PT_AS_THREAD; as <= PT_AS_PROCESS; as <<= 1)
		for (on = PT_ON_SAME; on <= PT_ON_CROSS; on <<= 1)
			if ((tasks & as) && (cpus & on))
				add(&(struct pt_choice) {
					.test = test, .kind = kind,
					.process = as == PT_AS_PROCESS,
					.cross = on == PT_ON_CROSS,
					.named = named,
				});
}

/* @only: a kind; NULL: all of them. Returns whether there are any. */
static bool add_test(const struct pt_test *test, const char *only, bool named)
{
	const struct pt_kind *kind = own_kind(test);
	bool found = false;

	if (!test->kinds || (kind && (!only || !strcmp(kind->name, only)))) {
		if (!test->kinds && only)
			return false;
		add_kind(test, kind, named);
		return true;
	}
	for (kind = test->kinds; kind->name; kind++) {
		if (only && strcmp(kind->name, only))
			continue;
		found = true;
		add_kind(test, kind, named && (only || !kind->optional));
	}
	return found;
}

/* Those of all groups whose bits are set; without any, all tests. */
static void add_group(unsigned int bits)
{
	int i;

	for (i = 0; pt_tests[i]; i++)
		if (!bits || pt_tests[i]->groups & bits)
			add_test(pt_tests[i], NULL, false);
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

static const struct pt_test *find(const char *word, size_t length)
{
	int i;

	for (i = 0; pt_tests[i]; i++)
		if (strlen(pt_tests[i]->name) == length &&
		    !memcmp(pt_tests[i]->name, word, length))
			return pt_tests[i];
	return NULL;
}

static void add_word(const char *word)
{
	size_t length = strcspn(word, ".");
	const struct pt_test *test = find(word, length);
	int i;

	if (test) {
		if (!add_test(test, word[length] ? word + length + 1 : NULL,
			      true))
			refuse_kind(test, word);
		return;
	}
	for (i = 0; groups[i]; i++)
		if (!strcmp(word, groups[i])) {
			add_group(1U << i);
			return;
		}
	if (strcmp(word, "all"))
		refuse(word, "there is no such test or group; --list shows them");
	add_group(0);
}

/* A second --test adds to the first. */
static void parse(const struct tw_option *option, char *value)
{
	char *both;

	if (asprintf(&both, "%s%s%s", tests ? tests : "", tests ? "," : "",
		     value) < 0)
		fatal("no memory\n");
	tests = both;
}

/* An option of some tests is refused if none of them is to be run. */
static void check_own(enum pt_own own, const char *option)
{
	char names[64] = "";
	int i;

	for (i = 0; i < pt_selection.count; i++)
		if (pt_selection.choice[i].test->own == own)
			return;
	for (i = 0; pt_tests[i]; i++)
		if (pt_tests[i]->own == own)
			snprintf(names + strlen(names),
				 sizeof(names) - strlen(names), "%s%s",
				 *names ? "," : "", pt_tests[i]->name);
	if (pt_config.own[own])
		fatal("--%s=%lld: allowed only with one of the tests %s\n",
		      option, (long long)pt_config.own[own], names);
}

void pt_select(void)
{
	char *copy, *rest, *word;

	if (!tests)
		tests = "aegis";
	copy = rest = strdup(tests);
	while (copy && (word = strsep(&rest, ", ")))
		if (*word)
			add_word(word);
	free(copy);
	if (!pt_selection.count)
		fatal("--test=%s: at least one test is needed; --list shows them\n",
		      tests);
	check_own(PT_OWN_SIZE, "size");
	check_own(PT_OWN_PERIOD, "period");
	check_own(PT_OWN_COPIES, "copies");
}

static const struct tw_option options[] = {
	{ 0, "list", no_argument, NULL, tw_option_flag, &list,
	  .help = "print the tests and their kinds; measure nothing" },
	{ 0, "test", required_argument, "LIST", parse, &tests,
	  .help = "run these groups, or tests as sync2 or sync2.cond:\n"
		  "aegis (default), samples, pcserver, notes,\n"
		  "overheads, rhealstone, all; see --list" },
	{ .name = NULL }
};

static void print_test(FILE *file, const struct pt_test *test)
{
	const struct pt_kind *kind;
	int i;

	fprintf(file, "%-9s %s\n", test->name, test->about);
	if (test->kinds)
		fprintf(file, "          kinds:");
	for (kind = test->kinds; kind && kind->name; kind++)
		fprintf(file, " %s", kind->name);
	fprintf(file, "%s          trials: %lld; groups:",
		test->kinds ? "\n" : "", (long long)test->trials);
	for (i = 0; groups[i]; i++)
		if (test->groups & 1U << i)
			fprintf(file, " %s", groups[i]);
	fprintf(file, "\n");
}

static void check(struct tw_run *run)
{
	int i;

	if (!list)
		return;
	if (*(const char **)tw_part_json.options->to)
		fatal("--list: not allowed with --json\n");
	for (i = 0; pt_tests[i]; i++)
		print_test(stdout, pt_tests[i]);
	if (fflush(stdout))
		fatal("cannot write to standard output\n");
	exit(EXIT_SUCCESS);
}

const struct tw_part pt_part_select = {
	.options = options, .check = check,
};
