// SPDX-License-Identifier: GPL-2.0-or-later
/* The judgement of made-up systems. */
#include <fnmatch.h>

#include "check_rows.h"
#include "measure/tw_metric.h"

/* Whether "FILE, FILE or more" names @path or a directory above it. */
static bool names(const char *where, const char *path)
{
	char list[TW_FACT_MAX], pattern[TW_FACT_MAX + 1], *one, *rest = NULL;

	strcpy(list, where);
	for (one = strtok_r(list, ", ", &rest); one;
	     one = strtok_r(NULL, ", ", &rest)) {
		snprintf(pattern, sizeof(pattern), "%s*", one);
		if (!fnmatch(pattern, path, 0))
			return true;
	}
	return false;
}

/* The place that is told is one that a finding was read from. */
static void check_where(const struct row *row, const char *where)
{
	int i;

	for (i = 0; i < 6 && row->files[i].path; i++)
		if (names(where, row->files[i].path))
			return;
	fail_msg("%s: %s", row->check, where);
}

static void check_row(const struct row *row)
{
	const struct tw_environ_params params = run_params(row->run);
	struct tw_finding findings[TW_CHECKS], *finding = NULL;
	struct tw_environ env;
	int count, i;

	tree_clear();
	tree_fill(row->files, 6);
	memset(findings, 0x5a, sizeof(findings));
	tw_environ_read(&env, tree_root, &params);
	count = tw_check(&env, &params, findings);
	for (i = 0; i < TW_CHECKS; i++)
		if (!strcmp(findings[i].name, row->check))
			finding = &findings[i];
	assert_non_null(finding);
	if (finding->result != row->want)
		fail_msg("%s: %d instead of %d: %s", row->check,
			 finding->result, row->want, finding->read);
	if (count != (row->want == TW_CHECK_FINDING))
		fail_msg("%s \"%s\": %d findings", row->check, finding->read,
			 count);
	if (row->read && !strstr(finding->read, row->read))
		fail_msg("%s: \"%s\" lacks \"%s\"", row->check, finding->read,
			 row->read);
	if (row->fix && !strstr(finding->fix, row->fix))
		fail_msg("%s: \"%s\" lacks \"%s\"", row->check, finding->fix,
			 row->fix);
	if (row->want == TW_CHECK_FINDING) {
		check_where(row, finding->where);
		assert_string_not_equal(finding->why, "");
		assert_string_not_equal(finding->fix, "");
	}
}

static void test_judgement(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < ROWS; i++)
		check_row(&rows[i]);
}

/*
 * What another program holds at /dev/cpu_dma_latency, a binary number, and
 * what this one does: the lower of them counts, unless it is negative.
 */
static void test_latency_of_others(void **state)
{
	static const struct {
		int32_t others_us;
		int64_t own_us;
		const char *read;
	} held[] = {
		{ 0, -1, "?: no idle state" }, { 10, -1, ", 10 us" },
		{ 2000000000, -1, ", 133 us" }, { -1, -1, ", 133 us" },
		{ 10, 50, ", 10 us" }, { 60, 50, ", 50 us" },
		{ -1, 50, ", 50 us" }, { 10, 0, "?: no idle state" },
	};
	struct tw_environ_params params = usual_params();
	struct tw_finding findings[TW_CHECKS];
	struct tw_environ env;
	size_t i;
	int id;

	(void)state;
	for (id = 0; strcmp(tw_checks[id]->name, "idle"); id++)
		;
	tree_add(CPU "cpu2/cpuidle/state0/latency", "133\n");
	for (i = 0; i < sizeof(held) / sizeof(held[0]); i++) {
		params.latency_us = held[i].own_us;
		tree_bytes("/dev/cpu_dma_latency", &held[i].others_us, 4);
		tw_environ_read(&env, tree_root, &params);
		assert_int_equal(tw_check(&env, &params, findings),
				 *held[i].read != '?');
		if (!strstr(findings[id].read, held[i].read))
			fail_msg("\"%s\" lacks \"%s\"", findings[id].read,
				 held[i].read);
	}
}

/* Each check has a clean case and a finding here, under its own name. */
static void test_all_checks_tested(void **state)
{
	int i, clean, found, j;
	size_t row;

	(void)state;
	for (i = 0; i < TW_CHECKS; i++) {
		clean = found = 0;
		for (row = 0; row < ROWS; row++) {
			if (strcmp(rows[row].check, tw_checks[i]->name))
				continue;
			clean += rows[row].want == TW_CHECK_OK;
			found += rows[row].want == TW_CHECK_FINDING;
		}
		if (!clean || !found)
			fail_msg("%s: %d clean, %d found", tw_checks[i]->name,
				 clean, found);
		for (j = 0; j < i; j++)
			assert_string_not_equal(tw_checks[i]->name,
						tw_checks[j]->name);
	}
}

/* In the metrics' order, without a name that none has. */
static void test_metrics(void **state)
{
	char names[128], *name, *rest;
	int i, id, before;

	(void)state;
	for (i = 0; i < TW_CHECKS; i++) {
		snprintf(names, sizeof(names), "%s", tw_checks[i]->metrics);
		before = -1;
		for (rest = names; (name = strsep(&rest, " ")); before = id) {
			for (id = 0; id < TW_METRICS; id++)
				if (!strcmp(tw_metrics[id].token, name))
					break;
			if (id <= before || id == TW_METRICS)
				fail_msg("%s: %s", tw_checks[i]->name, name);
		}
	}
	names[0] = '\0';
	for (id = 0; id < TW_METRICS; id++)
		sprintf(names + strlen(names), "%s%s", id ? " " : "",
			tw_metrics[id].token);
	assert_string_equal(TW_CHECK_ALL, names);
}

/* Nothing to read: nothing known, and nothing found. */
static void test_unknown(void **state)
{
	const struct tw_environ_params params = usual_params();
	struct tw_finding findings[TW_CHECKS];
	int i;

	(void)state;
	assert_int_equal(tw_check(read_tree(), &params, findings), 0);
	for (i = 0; i < TW_CHECKS; i++) {
		assert_int_equal(findings[i].result, TW_CHECK_UNREAD);
		assert_string_equal(findings[i].read, "");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		tree_test(test_judgement),
		tree_test(test_latency_of_others),
		tree_test(test_all_checks_tested),
		cmocka_unit_test(test_metrics),
		tree_test(test_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
