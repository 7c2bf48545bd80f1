// SPDX-License-Identifier: GPL-2.0-or-later
/* The judgement of made-up systems. */
#include "check_rows.h"

static struct tw_environ_params run_params(unsigned int run)
{
	struct tw_environ_params params = usual_params();

	params.realtime = !(run & ORDINARY);
	params.pinned = !(run & UNPINNED);
	params.rt_load = run & LOADED;
	if (run & (HELD_0 | HELD_50))
		params.latency_us = run & HELD_0 ? 0 : 50;
	if (run & (ORDINARY | NANOSLEEP))
		params.timer_prio = 0;
	if (run & (ON_0_AND_3 | ON_0))
		params.server = one_cpu(0);
	if (run & ON_0)
		params.client = one_cpu(0);
	return params;
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
		assert_string_not_equal(finding->where, "");
		assert_string_not_equal(finding->why, "");
		assert_string_not_equal(finding->fix, "");
		assert_in_range(finding->metrics, 1, TW_CHECK_ALL);
	}
}

static void test_judgement(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < ROWS; i++)
		check_row(&rows[i]);
}

/* What another program holds at /dev/cpu_dma_latency is a binary number. */
static void test_latency_of_others(void **state)
{
	const struct tw_environ_params params = usual_params();
	static const struct {
		int32_t held_us;
		enum tw_check_result want;
	} held[] = {
		{ 0, TW_CHECK_OK }, { 10, TW_CHECK_FINDING },
		{ 2000000000, TW_CHECK_FINDING }, { -1, TW_CHECK_FINDING },
	};
	struct tw_finding findings[TW_CHECKS];
	struct tw_environ env;
	size_t i;

	(void)state;
	tree_add(CPU "cpu2/cpuidle/state0/latency", "133\n");
	for (i = 0; i < sizeof(held) / sizeof(held[0]); i++) {
		tree_bytes("/dev/cpu_dma_latency", &held[i].held_us, 4);
		tw_environ_read(&env, tree_root, &params);
		assert_int_equal(tw_check(&env, &params, findings),
				 held[i].want == TW_CHECK_FINDING);
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
			if (strcmp(rows[row].check, tw_checks[i].name))
				continue;
			clean += rows[row].want == TW_CHECK_OK;
			found += rows[row].want == TW_CHECK_FINDING;
		}
		if (!clean || !found)
			fail_msg("%s: %d clean, %d found", tw_checks[i].name,
				 clean, found);
		for (j = 0; j < i; j++)
			assert_string_not_equal(tw_checks[i].name,
						tw_checks[j].name);
	}
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
		tree_test(test_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
