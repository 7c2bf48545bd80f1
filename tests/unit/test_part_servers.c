// SPDX-License-Identifier: GPL-2.0-or-later
/* One server for many: its options, CPUs and priorities, and what is told. */
#include "machine.h"
#include "three.h"
#include "measure/tw_servers.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

static void test_options(void **state)
{
	static const struct {
		const char *line;
		bool one;
		int order, priority;	/* order -1: none */
	} rows[] = {
		{ "", false, -1, 0 }, { "-t3", false, -1, 0 },
		{ "--servers=each", false, -1, 0 },
		{ "--servers=one", true, 0, 0 },
		{ "-t3 --servers=one --order=priority", true, 0, 0 },
		{ "--order=arrival -t3 --servers=one", true, 1, 0 },
		{ "-t3 --servers=one --order=fixed", true, 2, 0 },
		{ "-p80 --servers=one --server-priority=2", true, 0, 2 },
		{ "-p80 --server-priority=99 --servers=one", true, 0, 99 },
		{ "--servers=one --servers=each", false, -1, 0 },
		/* Nothing is left of the line before. */
		{ "--servers=one", true, 0, 0 }, { "-q", false, -1, 0 },
	};
	struct tw_config parsed;
	size_t i;

	(void)state;
	use_cpus(4);
	for (i = 0; i < COUNT(rows); i++) {
		parsed = accepted(rows[i].line);
		assert_int_equal(parsed.serving.one, rows[i].one);
		assert_int_equal(parsed.serving.priority, rows[i].priority);
		assert_non_null(parsed.serving.serve);
		if (rows[i].one)
			assert_ptr_equal(*(const struct tw_order_ops *const *)
					 set_by("order"),
					 tw_order_kinds[rows[i].order]);
	}
}

static void test_refused(void **state)
{
	static const struct { const char *line, *want; } rows[] = {
		{ "--servers=all", "--servers=all: allowed is one of each, one" },
		{ "--servers", "--servers: a value is needed: NAME" },
		{ "--servers=one --order=last", "--order=last: allowed is one of priority, arrival, fixed" },
		{ "-t3 --order=priority", "--order=priority: each client has its own server; give --servers=one too" },
		{ "-t3 --order=fixed --servers=each", "--order=fixed: each client has its own server; give --servers=one too" },
		{ "-p80 --server-priority=7", "--server-priority=7: each server has one less than its client; give --servers=one too" },
		{ "--servers=one --server-priority=7", "--server-priority: client and server have no real-time priority; give --priority too" },
		{ "-p80 --servers=one --server-priority=1", "--server-priority=1: allowed is a whole number from 2 to 99" },
		{ "-p80 --servers=one --server-priority=100", "--server-priority=100: allowed is a whole number from 2 to 99" },
		{ "--servers=one --wait=poll", "--wait: with --servers=one, --order decides how the server waits; leave it out" },
		{ "--wait=busy --servers=one", "--wait: with --servers=one, --order decides how the server waits; leave it out" },
		{ "-S --peer=next --servers=one", "--peer: with --servers=one there is one server only; give --server-affinity" },
		{ "-S --servers=one --peer=same", "--peer: with --servers=one there is one server only; give --server-affinity" },
		{ "--servers=one --transport=udp", "--transport=udp: with --servers=one, allowed is a transport that loses nothing, such as tcp or unix" },
		{ "-t9 -p10 --priospread --servers=one", "--priospread: 9 pairs need 11 priorities, and --priority=10 leaves 10; allowed are up to 8 pairs, or give a higher --priority" },
		{ "-t2 -p3 --priospread --servers=one", "--priospread: 2 pairs need 4 priorities, and --priority=3 leaves 3; allowed are up to 1 pair, or give a higher --priority" },
	};
	size_t i;

	(void)state;
	use_cpus(4);
	for (i = 0; i < COUNT(rows); i++)
		refused(rows[i].line, rows[i].want);
	accepted("-t8 -p10 --priospread --servers=one");
	accepted("-t2 -p4 --priospread --servers=one");
	accepted("--servers=one --transport=unix");
}

/* On so many CPUs, by -a: that of the server, and those of clients 0 to 5. */
static void test_plan(void **state)
{
	static const struct { int cpus, server, clients[6]; } rows[] = {
		{ 1, 0, { 0, 0, 0, 0, 0, 0 } },
		{ 2, 0, { 1, 1, 1, 1, 1, 1 } },
		{ 3, 1, { 2, 2, 2, 2, 2, 2 } },
		{ 4, 2, { 3, 3, 3, 3, 3, 3 } },
		{ 5, 2, { 3, 4, 3, 4, 3, 4 } },
		{ 8, 2, { 3, 4, 5, 6, 7, 3 } },
		{ 128, 2, { 3, 4, 5, 6, 7, 8 } },
	};
	struct tw_config parsed;
	unsigned int k;
	cpu_set_t got;
	char want[8];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		use_cpus(rows[i].cpus);
		parsed = accepted("-t200 -a --servers=one");
		for (k = 0; k < 6; k++) {
			assert_true(tw_config_cpus(&parsed, TW_CLIENT, k,
						   &got));
			snprintf(want, sizeof(want), "%d", rows[i].clients[k]);
			assert_set(&got, want);
			assert_true(tw_config_cpus(&parsed, TW_SERVER, k,
						   &got));
			snprintf(want, sizeof(want), "%d", rows[i].server);
			assert_set(&got, want);
		}
	}
	/* The last of 128, and then from the beginning. */
	assert_true(tw_config_cpus(&parsed, TW_CLIENT, 124, &got));
	assert_set(&got, "127");
	assert_true(tw_config_cpus(&parsed, TW_CLIENT, 125, &got));
	assert_set(&got, "3");
}

static void assert_cpus(const struct tw_config *of, unsigned int pair,
			const char *server, const char *client)
{
	cpu_set_t got;

	assert_true(tw_config_cpus(of, TW_SERVER, pair, &got));
	assert_set(&got, server);
	assert_true(tw_config_cpus(of, TW_CLIENT, pair, &got));
	assert_set(&got, client);
}

/* The other ways to say it: -aSET, -S, and an option of one role. */
static void test_other_places(void **state)
{
	struct tw_config parsed;
	cpu_set_t got;

	(void)state;
	use_cpus(8);
	parsed = accepted("-t5 --servers=one");
	assert_false(tw_config_cpus(&parsed, TW_CLIENT, 1, &got));
	assert_false(tw_config_cpus(&parsed, TW_SERVER, 1, &got));
	parsed.affinity = TW_SET;
	parsed.affinity_set = set_of("1,3,6");
	assert_cpus(&parsed, 0, "1", "3");
	assert_cpus(&parsed, 1, "1", "6");
	assert_cpus(&parsed, 2, "1", "3");
	parsed.affinity_set = set_of("5");
	assert_cpus(&parsed, 0, "5", "5");
	assert_cpus(&parsed, 4, "5", "5");
	parsed.role_set[TW_SERVER] = set_of("0,7");
	assert_cpus(&parsed, 3, "0,7", "5");
	parsed = accepted("-S --servers=one");
	assert_cpus(&parsed, 0, "0", "0");
	assert_cpus(&parsed, 5, "0", "5");
}

static void test_behind(void **state)
{
	const cpu_set_t set = set_of("2,5,9,64,1023");
	static const struct {
		int server;
		unsigned int pair;
		const char *want;
	} rows[] = {
		{ 0, 0, "5" }, { 0, 1, "9" }, { 0, 3, "1023" }, { 0, 4, "5" },
		{ 2, 0, "64" }, { 2, 1, "1023" }, { 2, 2, "64" },
		{ 3, 0, "1023" }, { 3, 255, "1023" },
		/* None is after it. */
		{ 4, 0, "1023" }, { 4, 7, "1023" },
	};
	cpu_set_t got;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		tw_place_behind(&set, rows[i].server, rows[i].pair, &got);
		assert_set(&got, rows[i].want);
	}
}

#define PAIRS	5

/* The server is below the first client, whoever else there is. */
static void test_priorities(void **state)
{
	static const struct {
		const char *line;
		int main, server, clients[PAIRS];
	} rows[] = {
		{ "-t5", 0, 0, { 0, 0, 0, 0, 0 } },
		{ "-t5 -p80", 78, 79, { 80, 80, 80, 80, 80 } },
		{ "-t5 -p80 --priospread", 74, 79, { 80, 78, 77, 76, 75 } },
		{ "-t1 -p80 --priospread", 78, 79, { 80 } },
		{ "-t2 -p80 --priospread", 77, 79, { 80, 78 } },
		{ "-t2 -p4 --priospread", 1, 3, { 4, 2 } },
		{ "-t3 -p80 --server-priority=90", 79, 90, { 80, 80, 80 } },
		{ "-t3 -p80 --server-priority=80", 79, 80, { 80, 80, 80 } },
		{ "-t3 -p80 --server-priority=5", 4, 5, { 80, 80, 80 } },
		{ "-t3 -p80 --server-priority=5 --priospread", 4, 5,
		  { 80, 78, 77 } },
		{ "-t3 -p80 --server-priority=78 --priospread", 76, 78,
		  { 80, 78, 77 } },
	};
	struct tw_config parsed;
	char line[100];
	unsigned int k;
	size_t i;

	(void)state;
	use_cpus(4);
	for (i = 0; i < COUNT(rows); i++) {
		snprintf(line, sizeof(line), "--servers=one %s", rows[i].line);
		parsed = accepted(line);
		for (k = 0; k < parsed.pairs.count; k++) {
			assert_int_equal(tw_config_priority(&parsed, TW_CLIENT,
							    k),
					 rows[i].clients[k]);
			assert_int_equal(tw_config_priority(&parsed, TW_SERVER,
							    k),
					 rows[i].server);
			assert_int_equal(tw_config_priority(&parsed, TW_MAIN,
							    k), rows[i].main);
		}
	}
}

static void test_remarks(void **state)
{
	(void)state;
	use_cpus(4);
	new_three("-t3 --servers=one");
	assert_string_equal(written(tw_part_servers.remarks),
			    "# Inversions: 0 0 0\n");
	run_pair(0)->tally->inversions = UINT64_C(12345678901);
	run_pair(1)->tally->inversions = 7;
	assert_string_equal(written(tw_part_servers.remarks),
			    "# Inversions: 12345678901 7 0\n");
	/* Of the pairs that there are so far. */
	session.pairs->count = 1;
	assert_string_equal(written(tw_part_servers.remarks),
			    "# Inversions: 12345678901\n");
	new_three("-t3");
	run_pair(0)->tally->inversions = 7;
	assert_string_equal(written(tw_part_servers.remarks), "");
}

static void assert_settings(const char *line, const char *want)
{
	new_run(line);
	assert_string_equal(written_json(tw_part_servers.json_settings), want);
}

static void test_json_settings(void **state)
{
	(void)state;
	use_cpus(4);
	assert_settings("-t3 -p80",
			"    \"servers\": \"each\",\n"
			"    \"order\": null,\n"
			"    \"server_priority\": 79\n");
	assert_settings("-t3 --servers=one",
			"    \"servers\": \"one\",\n"
			"    \"order\": \"priority\",\n"
			"    \"server_priority\": 0\n");
	assert_settings("-t3 -p80 --priospread --servers=one --order=fixed --server-priority=60",
			"    \"servers\": \"one\",\n"
			"    \"order\": \"fixed\",\n"
			"    \"server_priority\": 60\n");
	assert_settings("-t2 -p80 --servers=one --order=arrival",
			"    \"servers\": \"one\",\n"
			"    \"order\": \"arrival\",\n"
			"    \"server_priority\": 79\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_plan),
		cmocka_unit_test(test_other_places),
		cmocka_unit_test(test_behind),
		cmocka_unit_test(test_priorities),
		cmocka_unit_test(test_remarks),
		cmocka_unit_test(test_json_settings),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	drop_run();
	return failed;
}
