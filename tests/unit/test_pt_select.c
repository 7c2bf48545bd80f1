// SPDX-License-Identifier: GPL-2.0-or-later
/* --test: which cases are run; and --limit: which metrics it is for. */
#include <string.h>

#include "pt_unit.h"

#include "core/pt_session.h"
#include "pt_parts.h"

static struct pt_session session;

static int parse(const char *first, const char *second, const char *third)
{
	const char *words[] = { "primitivetest", first, second, third, NULL };
	char *argv[5];
	int argc = 0;

	for (; words[argc]; argc++)
		argv[argc] = (char *)words[argc];
	argv[argc] = NULL;
	pt_session_init(&session);
	return tw_run_parse(&session.run, &pt_program, argc, argv);
}

/* "a b c": the names of what was chosen. */
static const char *chosen(void)
{
	static char names[PT_CHOICES_MAX * PT_NAME];
	char name[PT_NAME];
	int i;

	*names = '\0';
	for (i = 0; i < pt_selection->count; i++) {
		pt_choice_name(&pt_selection->choice[i], name);
		strcat(names, i ? " " : "");
		strcat(names, name);
	}
	return names;
}

static void test_kind(void **state)
{
	(void)state;
	assert_int_equal(parse("--test=sync2.cond", NULL, NULL), 0);
	assert_string_equal(chosen(), "sync2.cond.process.same");
	assert_true(pt_selection->choice[0].named);
	assert_int_equal(parse("--test=sync2.cond", "--tasks=thread,process",
			       NULL), 0);
	assert_string_equal(chosen(),
			    "sync2.cond.thread.same sync2.cond.process.same");
	/* Twice the same is once. */
	assert_int_equal(parse("--test=sync2.cond,sync2.cond", NULL, NULL), 0);
	assert_int_equal(pt_selection->count, 1);
}

static void test_alone(void **state)
{
	(void)state;
	assert_int_equal(parse("--test=sync1.mutex", "--tasks=thread,process",
			       "--cpus=same,cross"), 0);
	assert_string_equal(chosen(), "sync1.mutex");
}

static void test_group(void **state)
{
	int i;

	(void)state;
	assert_int_equal(parse("--test=samples", NULL, NULL), 0);
	assert_true(pt_selection->count > 3);
	for (i = 0; i < pt_selection->count; i++) {
		assert_true(pt_selection->choice[i].test->groups & PT_SAMPLES);
		assert_false(pt_selection->choice[i].named);
	}
}

static void test_own(void **state)
{
	(void)state;
	assert_int_equal(parse("--test=timer", "--period=5000", NULL), 0);
	assert_string_equal(chosen(), "timer.5000");
	assert_int_equal(pt_selection->choice[0].kind->value, 5000);
	assert_int_equal(parse("--test=timer.1000", "--period=5000", NULL), 0);
	assert_string_equal(chosen(), "timer.1000");
}

/* What follows from the value: how long it takes, and which switches. */
static void test_own_kind(void **state)
{
	const struct pt_kind *kind;

	(void)state;
	assert_int_equal(parse("--test=timer", "--period=100000", NULL), 0);
	assert_int_equal(pt_choice_trials(&pt_selection->choice[0]), 100);
	assert_int_equal(parse("--test=timer", "--period=500", NULL), 0);
	assert_int_equal(pt_choice_trials(&pt_selection->choice[0]), 20000);
	assert_int_equal(parse("--test=copy", "--copies=3", NULL), 0);
	kind = pt_selection->choice[0].kind;
	assert_int_equal(kind->switches, 4);
	assert_int_equal(kind->per, 3);
}

/* Kinds may have metrics of their own. */
static void test_limit_of_kind(void **state)
{
	(void)state;
	assert_int_equal(parse("--test=signal.queue", "--limit=signal.send:9",
			       NULL), 0);
	assert_int_equal(parse("--test=clock.linear",
			       "--limit=clock.loop10:9", NULL), 0);
	assert_true(parse("--test=clock.linear", "--limit=clock.cost:9",
			  NULL) < 0);
	assert_non_null(strstr(session.run.error, "nothing that is measured"));
	assert_true(parse("--test=sync2.mutex", "--limit=sync2.back:9",
			  NULL) < 0);
}

static void test_refused(void **state)
{
	static const char *const bad[][2] = {
		{ "--test=sync9", "there is no such test or group" },
		{ "--test=sync2.sem", "there is no such kind" },
		{ "--test=,", "at least one test is needed" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_true(parse(bad[i][0], NULL, NULL) < 0);
		assert_non_null(strstr(session.run.error, bad[i][0]));
		assert_non_null(strstr(session.run.error, bad[i][1]));
	}
}

static bool is_for(const char *metric, const char *name)
{
	static const struct pt_metric metrics[] = {
		{ .token = "out" }, { .token = "roundtrip" },
	};
	struct pt_limit limit;
	struct pt_case c = {
		.choice = pt_selection->choice[0],
		.metric = { &metrics[0], &metrics[1] }, .metric_count = 2,
	};

	snprintf(limit.metric, sizeof(limit.metric), "%s", metric);
	snprintf(c.name, sizeof(c.name), "%s", name);
	return pt_limit_is_for(&limit, &c, 1);
}

static void test_limit(void **state)
{
	static const char name[] = "sync2.cond.process.same";

	(void)state;
	assert_int_equal(parse("--test=sync2.cond", NULL, NULL), 0);
	assert_true(is_for("sync2.roundtrip", name));
	assert_true(is_for("sync2.cond.roundtrip", name));
	assert_true(is_for("sync2.cond.process.same.roundtrip", name));
	assert_true(is_for("sync2.same.roundtrip", name));
	assert_false(is_for("sync2.out", name));
	assert_false(is_for("sync2.futex.roundtrip", name));
	assert_false(is_for("sync2.con.roundtrip", name));
	assert_false(is_for("sync2.thread.roundtrip", name));
	assert_false(is_for("sync.roundtrip", name));
	assert_false(is_for("roundtrip", name));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kind),
		cmocka_unit_test(test_alone),
		cmocka_unit_test(test_group),
		cmocka_unit_test(test_own),
		cmocka_unit_test(test_own_kind),
		cmocka_unit_test(test_limit_of_kind),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
