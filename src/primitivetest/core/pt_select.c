// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/pt_select.h"
#include "frame/tw_run.h"

#define TESTS_MAX	64

static struct pt_selection set;
const struct pt_selection *const pt_selection = &set;

const char *const pt_group_names[] = {
	"aegis", "samples", "pcserver", "notes", "overheads", "rhealstone",
	NULL
};

/* The kind that stands in the place of a test's own: --size and so on. */
static const struct pt_kind *own_kind(const struct pt_config *config,
				      const struct pt_test *test)
{
	static char names[PT_OWNS][16];
	static struct pt_kind kinds[TESTS_MAX];
	int64_t value = config->own[test->own];
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

const char *pt_lacks(const struct pt_config *config,
		     const struct pt_choice *choice)
{
	if ((choice->test->flags & PT_REALTIME) && !config->priority)
		return "needs real-time priorities; give -p, such as -p 98";
	if (choice->cross && !config->two_cpus)
		return "needs two CPUs; this run may use one";
	return NULL;
}

static int add(const struct pt_config *config, struct tw_run *run,
	       const struct pt_choice *choice)
{
	const char *lacks = pt_lacks(config, choice);
	char name[PT_NAME];
	int i;

	for (i = 0; i < set.count; i++) {
		const struct pt_choice *other = &set.choice[i];

		if (other->test == choice->test &&
		    other->kind == choice->kind &&
		    other->process == choice->process &&
		    other->cross == choice->cross)
			return 0;
	}
	pt_choice_name(choice, name);
	if (lacks && choice->named)
		return tw_fail(run, -EINVAL, "--test=%s: %s: %s",
			       config->tests, name, lacks);
	if (set.count == PT_CHOICES_MAX)
		return tw_fail(run, -EINVAL, "--test=%s: too many tests at once; allowed are %d",
			       config->tests, PT_CHOICES_MAX);
	set.choice[set.count++] = *choice;
	return 0;
}

/* Of one kind: threads and processes, on one CPU and two. */
static int add_kind(const struct pt_config *config, struct tw_run *run,
		    const struct pt_test *test, const struct pt_kind *kind,
		    bool named)
{
	bool alone = test->flags & PT_ALONE;
	int tasks = alone ? PT_AS_PROCESS :
		    test->flags & PT_THREADS ? PT_AS_THREAD : config->tasks;
	int cpus = alone || test->flags & PT_SAME ? PT_ON_SAME : config->cpus;
	int as, on, err = 0;

	for (as = PT_AS_THREAD; !err && as <= PT_AS_PROCESS; as <<= 1)
		for (on = PT_ON_SAME; !err && on <= PT_ON_CROSS; on <<= 1)
			if ((tasks & as) && (cpus & on))
				err = add(config, run, &(struct pt_choice) {
					.test = test, .kind = kind,
					.process = as == PT_AS_PROCESS,
					.cross = on == PT_ON_CROSS,
					.named = named,
				});
	return err;
}

/* @only: a kind; NULL: all of them. Returns -ENOENT: there is none. */
static int add_test(const struct pt_config *config, struct tw_run *run,
		    const struct pt_test *test, const char *only, bool named)
{
	const struct pt_kind *kind = own_kind(config, test);
	bool found = false;
	int err = 0;

	if (!test->kinds)
		return only ? -ENOENT :
		       add_kind(config, run, test, NULL, named);
	if (kind && (!only || !strcmp(kind->name, only)))
		return add_kind(config, run, test, kind, named);
	for (kind = test->kinds; !err && kind->name; kind++) {
		if (only && strcmp(kind->name, only))
			continue;
		found = true;
		err = add_kind(config, run, test, kind,
			       named && (only || !kind->optional));
	}
	return err ? err : found ? 0 : -ENOENT;
}

static int add_group(const struct pt_config *config, struct tw_run *run,
		     unsigned int groups)
{
	const struct pt_test *const *test;
	int err = 0;

	for (test = pt_tests; !err && *test; test++)
		if (!groups || (*test)->groups & groups)
			err = add_test(config, run, *test, NULL, false);
	return err;
}

static int refuse_kind(const struct pt_config *config, struct tw_run *run,
		       const struct pt_test *test, const char *word)
{
	const struct pt_kind *kind = test->kinds;
	char list[256] = "none";
	size_t used = 0;

	for (; kind && kind->name && used < sizeof(list); kind++)
		used += snprintf(list + used, sizeof(list) - used, "%s%s",
				 used ? ", " : "", kind->name);
	return tw_fail(run, -EINVAL, "--test=%s: %s: there is no such kind; %s has: %s",
		       config->tests, word, test->name, list);
}

static int add_word(const struct pt_config *config, struct tw_run *run,
		    const char *word)
{
	size_t length = strcspn(word, ".");
	const struct pt_test *const *test;
	int i, err;

	if (!strcmp(word, "all"))
		return add_group(config, run, 0);
	for (i = 0; pt_group_names[i]; i++)
		if (!strcmp(word, pt_group_names[i]))
			return add_group(config, run, 1U << i);
	for (test = pt_tests; *test; test++) {
		if (strlen((*test)->name) != length ||
		    memcmp((*test)->name, word, length))
			continue;
		err = add_test(config, run, *test,
			       word[length] ? word + length + 1 : NULL, true);
		return err == -ENOENT ?
		       refuse_kind(config, run, *test, word) : err;
	}
	return tw_fail(run, -EINVAL, "--test=%s: %s: there is no such test or group; --list shows them",
		       config->tests, word);
}

int pt_select(const struct pt_config *config, struct tw_run *run)
{
	const char *rest = config->tests;
	char word[64];
	int err = 0;

	set.count = 0;
	while (!err && (rest = tw_option_next_word(rest, word, sizeof(word))))
		err = add_word(config, run, word);
	if (!err && !set.count)
		return tw_fail(run, -EINVAL, "--test=%s: at least one test is needed; --list shows them",
			       config->tests);
	return err;
}
