// SPDX-License-Identifier: GPL-2.0-or-later
/* What the settings say of each pair: its period, its loops, its priorities. */
#include "machine.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))
#define PAIRS		4

static int four_cpus(void **state)
{
	(void)state;
	use_cpus(4);
	return 0;
}

static void test_intervals(void **state)
{
	static const struct {
		const char *line;
		int64_t want_us[PAIRS];		/* as many as there are pairs */
	} rows[] = {
		{ "", { 1000 } }, { "-d7", { 1000 } },
		{ "-t3", { 1000, 1500, 2000 } },
		{ "-t", { 1000, 1500, 2000, 2500 } },
		{ "-S", { 1000, 1500, 2000, 2500 } },
		{ "-t2 -i300", { 300, 800 } },
		{ "-t3 -d0", { 1000, 1000, 1000 } },
		{ "-t3 -d1 -i300", { 300, 301, 302 } },
		{ "-t2 --distance=1000000", { 1000, 1001000 } },
		/* The bins of one histogram are to be comparable. */
		{ "-t3 -h50", { 1000, 1000, 1000 } },
		{ "-t3 -H50", { 1000, 1000, 1000 } },
		{ "-t3 -h50 -d20", { 1000, 1020, 1040 } },
		{ "-d20 -t3 -h50", { 1000, 1020, 1040 } },
		{ "-t3 -i500,700,900", { 500, 700, 900 } },
		{ "-i900,300,600 -t3", { 900, 300, 600 } },
		{ "-t4 -i500,700", { 500, 700, 700, 700 } },
		{ "-t3 -i500,600 -i700", { 700, 1200, 1700 } },
		{ "-t3 -i700 -i500,600", { 500, 600, 600 } },
		{ "-t2 -h50 -i500,700", { 500, 700 } },
		/* Without a timer there is no distance from it. */
		{ "-t3 -i0", { 0, 0, 0 } },
		{ "-t3 -i0 -d0", { 0, 0, 0 } },
		{ "-t3 -i0,0", { 0, 0, 0 } },
	};
	struct tw_config config;
	int64_t want_us;
	unsigned int k;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		config = accepted(rows[i].line);
		assert_true(config.pairs.count <= PAIRS);
		for (k = 0; k < config.pairs.count; k++) {
			want_us = rows[i].want_us[k];
			if (tw_config_interval_us(&config, k) != want_us)
				fail_msg("\"%s\", pair %u", rows[i].line, k);
			assert_int_equal(tw_config_metric_params(&config, k)
					 .period_ns, want_us * 1000);
			assert_int_equal(tw_config_metric_params(&config, k)
					 .sleep_ns, 100000);
		}
		assert_int_equal(config.interval_us, rows[i].want_us[0]);
	}
}

/* As many values as there may be pairs, and what is beyond them. */
static void test_longest_list(void **state)
{
	char list[TW_PAIRS_MAX * 2 + 8], *end = list;
	const char *words[] = { "-t256", "--sleep=0", list, NULL };
	struct parsed parsed;
	int k;

	(void)state;
	end += sprintf(end, "-i");
	for (k = 0; k < TW_PAIRS_MAX; k++)
		end += sprintf(end, "%s%d", k ? "," : "", 1 + k % 9);
	parsed = parse_words(words);
	assert_int_equal(parsed.err, 0);
	for (k = 0; k < TW_PAIRS_MAX; k++)
		assert_int_equal(tw_config_interval_us(&parsed.config,
						       (unsigned int)k),
				 1 + k % 9);
	strcpy(end, ",9");
	parsed = parse_words(words);
	assert_int_equal(parsed.err, -EINVAL);
	assert_non_null(strstr(parsed.error,
			       ": allowed are up to 256 values"));
}

/* All pairs measure for as long as the first. */
static void test_loops(void **state)
{
	static const struct {
		const char *line;
		int64_t want[PAIRS];
	} rows[] = {
		{ "-l1000 -t3", { 1000, 666, 500 } },
		{ "-l1000 -t3 -d0", { 1000, 1000, 1000 } },
		{ "-l5 -t2 -i500,600", { 5, 4 } },
		{ "-l10 -t2 -i2000,1000", { 10, 20 } },
		{ "-l10 -t2 -i1000,999", { 10, 10 } },
		/* One at least, although that takes longer. */
		{ "-l1 -t3", { 1, 1, 1 } },
		{ "-l2 -t4 -d1000", { 2, 1, 1, 1 } },
		/* No limit, and no timer: the same of all. */
		{ "-t3", { 0, 0, 0 } }, { "-t3 -l0", { 0, 0, 0 } },
		{ "-t3 -i0 -l77", { 77, 77, 77 } },
		/* More than there is a number for. */
		{ "-l1000000000000 -t2 -i1000000000,101",
		  { INT64_C(1000000000000), INT64_C(1000000000000000) } },
	};
	struct tw_config config;
	unsigned int k;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		config = accepted(rows[i].line);
		for (k = 0; k < config.pairs.count; k++)
			if (tw_config_loops(&config, k) != rows[i].want[k])
				fail_msg("\"%s\", pair %u: %lld",
					 rows[i].line, k, (long long)
					 tw_config_loops(&config, k));
	}
}

static void assert_priorities(const char *line, int main,
			      const int clients[PAIRS])
{
	const struct tw_config config = accepted(line);
	unsigned int k;
	int server;

	for (k = 0; k < config.pairs.count; k++) {
		server = clients[k] ? clients[k] - 1 : 0;
		assert_int_equal(tw_config_priority(&config, TW_CLIENT, k),
				 clients[k]);
		assert_int_equal(tw_config_priority(&config, TW_SERVER, k),
				 server);
		assert_int_equal(tw_config_priority(&config, TW_MAIN, k),
				 main);
		assert_int_equal(tw_config_priority(&config, TW_LOAD, k), 0);
	}
}

/* Below all sides is main, but for a program that wants it on top. */
static void test_priorities(void **state)
{
	static const struct {
		const char *line;
		int main, clients[PAIRS];
	} rows[] = {
		{ "-t3", 0, { 0 } },
		{ "-t3 -p80", 78, { 80, 80, 80 } },
		{ "-S -p80", 78, { 80, 80, 80, 80 } },
		{ "-t3 -p80 --priospread", 74, { 80, 78, 76 } },
		{ "-S -p99 --priospread", 91, { 99, 97, 95, 93 } },
		{ "-t3 --policy=rr -p7 --priospread", 1, { 7, 5, 3 } },
		{ "-p50 --priospread", 48, { 50 } },
		{ "-t1 --priospread", 0, { 0 } },
		{ "-t3 --trltp", 99, { 98, 98, 98 } },
		{ "-t3 --trltp -p50 --priospread", 99, { 50, 48, 46 } },
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++)
		assert_priorities(rows[i].line, rows[i].main, rows[i].clients);
}

/* As many as the priorities can be for; the lowest is left for main. */
static void test_most_priorities(void **state)
{
	struct tw_config config = accepted("-p99 -t49 --priospread");

	(void)state;
	assert_int_equal(tw_config_priority(&config, TW_CLIENT, 48), 3);
	assert_int_equal(tw_config_priority(&config, TW_SERVER, 48), 2);
	assert_int_equal(tw_config_priority(&config, TW_MAIN, 0), 1);
	accepted("-p4 -t1 --priospread");
	accepted("-p5 -t2 --priospread");
	accepted("-p6 -t2 --priospread");
}

static void test_aligned(void **state)
{
	static const struct { const char *line; bool aligned; int us; } rows[] = {
		{ "-t2", false, 0 }, { "-t2 -A", true, 0 },
		{ "-t2 --aligned", true, 0 }, { "-t2 -A5", true, 5 },
		{ "-t2 -A 5", true, 5 },
		{ "-t2 --aligned=1000000", true, 1000000 },
		{ "-A -t2", true, 0 }, { "-t2 -A5 -A", true, 0 },
	};
	struct tw_config config;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		config = accepted(rows[i].line);
		assert_int_equal(config.pairs.aligned, rows[i].aligned);
		assert_int_equal(config.pairs.aligned_us, rows[i].us);
		assert_int_equal(config.pairs.count, 2);
	}
}

/* Each command line begins with one pair that nothing was said of. */
static void test_reset(void **state)
{
	struct tw_config config;

	(void)state;
	accepted("-t3 -A7 -d9 -p80 --priospread -i900");
	accepted("-S --peer=next -i500,600");
	config = accepted("");
	assert_int_equal(config.pairs.count, 1);
	assert_int_equal(config.pairs.distance_us, 500);
	assert_int_equal(config.pairs.peer, 0);
	assert_false(config.pairs.aligned);
	assert_false(config.pairs.priospread);
	assert_false(config.pairs.smp);
	assert_int_equal(config.interval_count, 0);
}

#define ON_FOUR(test)	cmocka_unit_test_setup(test, four_cpus)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_FOUR(test_intervals),
		ON_FOUR(test_longest_list),
		ON_FOUR(test_loops),
		ON_FOUR(test_priorities),
		ON_FOUR(test_most_priorities),
		ON_FOUR(test_aligned),
		ON_FOUR(test_reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
