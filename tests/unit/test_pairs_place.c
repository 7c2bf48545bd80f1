// SPDX-License-Identifier: GPL-2.0-or-later
/* Where many pairs run, by -a, -aSET and -S; and how many there are. */
#include "machine.h"
#include "run/tw_place.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

/* Of a pair on a machine: the CPUs of server and client. */
struct row {
	const char *machine;
	unsigned int pair;
	const char *server, *client;
};

static void test_plan(void **state)
{
	static const struct row rows[] = {
		{ "0", 0, "0", "0" }, { "0", 1, "0", "0" },
		{ "7", 255, "7", "7" },
		{ "0-1", 0, "0", "1" }, { "0-1", 1, "0", "1" },
		{ "0-1", 2, "0", "1" }, { "3,9", 5, "3", "9" },
		{ "0-2", 0, "1", "2" }, { "0-2", 1, "1", "2" },
		{ "0-2", 7, "1", "2" },
		{ "0-3", 0, "2", "3" }, { "0-3", 1, "2", "3" },
		{ "0-3", 255, "2", "3" },
		/* An odd number of them: server and client change places. */
		{ "0-4", 0, "2", "3" }, { "0-4", 1, "4", "2" },
		{ "0-4", 2, "3", "4" }, { "0-4", 3, "2", "3" },
		{ "0-7", 0, "2", "3" }, { "0-7", 1, "4", "5" },
		{ "0-7", 2, "6", "7" }, { "0-7", 3, "2", "3" },
		{ "0-7", 4, "4", "5" }, { "0-7", 255, "2", "3" },
		{ "0-127", 0, "2", "3" }, { "0-127", 1, "4", "5" },
		{ "0-127", 62, "126", "127" }, { "0-127", 63, "2", "3" },
		{ "0-127", 255, "8", "9" },
		{ "4-5,8,64-66,1020-1023", 0, "8", "64" },
		{ "4-5,8,64-66,1020-1023", 1, "65", "66" },
		{ "4-5,8,64-66,1020-1023", 3, "1022", "1023" },
		{ "4-5,8,64-66,1020-1023", 4, "8", "64" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		const cpu_set_t machine = set_of(rows[i].machine);
		cpu_set_t got = set_of("0-1023");

		tw_place_plan(&machine, TW_SERVER, rows[i].pair, &got);
		assert_set(&got, rows[i].server);
		tw_place_plan(&machine, TW_CLIENT, rows[i].pair, &got);
		assert_set(&got, rows[i].client);
	}
}

/* There is one of each, whichever pair asks. */
static void test_plan_of_main_and_load(void **state)
{
	static const int counts[] = { 1, 2, 3, 4, 8, 128 };
	cpu_set_t first, other;
	unsigned int pair;
	size_t i;
	int role;

	(void)state;
	for (i = 0; i < COUNT(counts); i++) {
		use_cpus(counts[i]);
		for (role = TW_MAIN; role <= TW_LOAD; role += TW_LOAD) {
			tw_place_plan(&machine_cpus, role, 0, &first);
			for (pair = 1; pair < 10; pair++) {
				tw_place_plan(&machine_cpus, role, pair,
					      &other);
				assert_true(CPU_EQUAL(&first, &other));
			}
		}
	}
}

/* -S: pair k is on CPU k, its server with --peer=next on the one after. */
static void test_each(void **state)
{
	static const struct {
		struct row row;
		const char *next;
	} rows[] = {
		{ { "0", 0, "0", "0" }, "0" }, { { "0", 3, "0", "0" }, "0" },
		{ { "0-1", 0, "0", "0" }, "1" },
		{ { "0-1", 1, "1", "1" }, "0" },
		{ { "0-2", 1, "1", "1" }, "2" },
		{ { "0-2", 2, "2", "2" }, "0" },
		{ { "0-3", 0, "0", "0" }, "1" },
		{ { "0-3", 3, "3", "3" }, "0" },
		{ { "0-3", 4, "0", "0" }, "1" },
		{ { "0-7", 6, "6", "6" }, "7" },
		{ { "0-7", 7, "7", "7" }, "0" },
		{ { "0-127", 126, "126", "126" }, "127" },
		{ { "0-127", 127, "127", "127" }, "0" },
		{ { "3,70,900", 1, "70", "70" }, "900" },
		{ { "3,70,900", 2, "900", "900" }, "3" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		const struct row *row = &rows[i].row;
		const cpu_set_t machine = set_of(row->machine);
		cpu_set_t got = set_of("0-1023");

		tw_place_each(&machine, TW_CLIENT, row->pair, false, &got);
		assert_set(&got, row->client);
		tw_place_each(&machine, TW_SERVER, row->pair, false, &got);
		assert_set(&got, row->server);
		tw_place_each(&machine, TW_CLIENT, row->pair, true, &got);
		assert_set(&got, row->client);
		tw_place_each(&machine, TW_SERVER, row->pair, true, &got);
		assert_set(&got, rows[i].next);
	}
}

static void assert_place(const struct tw_config *config, const struct row *row)
{
	cpu_set_t got;

	assert_true(tw_config_cpus(config, TW_SERVER, row->pair, &got));
	assert_set(&got, row->server);
	assert_true(tw_config_cpus(config, TW_CLIENT, row->pair, &got));
	assert_set(&got, row->client);
}

static void test_options(void **state)
{
	static const struct {
		const char *line;
		struct row row;
	} rows[] = {
		{ "-S", { "0-3", 2, "2", "2" } },
		{ "-S --peer=same", { "0-3", 2, "2", "2" } },
		{ "-S --peer=next", { "0-3", 2, "3", "2" } },
		{ "--peer=next -S", { "0-3", 3, "0", "3" } },
		{ "-t3 -a", { "0-7", 0, "2", "3" } },
		{ "-t3 -a", { "0-7", 2, "6", "7" } },
		{ "-t -a", { "0-7", 4, "4", "5" } },
	};
	struct tw_config config;
	cpu_set_t got;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		use_machine(rows[i].row.machine);
		config = accepted(rows[i].line);
		assert_place(&config, &rows[i].row);
	}
	/* Neither of them has a place of its own by -S. */
	config = accepted("-S");
	assert_false(tw_config_cpus(&config, TW_MAIN, 0, &got));
	assert_true(CPU_EQUAL(&got, &machine_cpus));
	assert_false(tw_config_cpus(&config, TW_LOAD, 0, &got));
	config = accepted("-t5");
	assert_false(tw_config_cpus(&config, TW_CLIENT, 4, &got));
	assert_true(CPU_EQUAL(&got, &machine_cpus));
}

/* The set of -a; its option knows only CPUs that there really are. */
static void test_set(void **state)
{
	static const struct {
		const char *set;
		struct row row;
	} rows[] = {
		{ "1-4", { "0-7", 0, "1", "2" } },
		{ "1-4", { "0-7", 1, "3", "4" } },
		{ "1-4", { "0-7", 2, "1", "2" } },
		{ "1,3,5", { "0-7", 1, "5", "1" } },
		{ "6", { "0-7", 1, "6", "6" } },
		{ "100-127", { "0-127", 13, "126", "127" } },
		{ "100-127", { "0-127", 14, "100", "101" } },
	};
	struct tw_config config;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		use_machine(rows[i].row.machine);
		config = accepted("-t15");
		config.affinity = TW_SET;
		config.affinity_set = set_of(rows[i].set);
		assert_place(&config, &rows[i].row);
	}
}

/* An option of one role is for all pairs, and goes before all others. */
static void test_one_role(void **state)
{
	static const char *const lines[] = { "-S", "-t4 -a", "-t4" };
	struct tw_config config;
	unsigned int pair;
	cpu_set_t got;
	size_t i;

	(void)state;
	use_cpus(8);
	for (i = 0; i < COUNT(lines); i++) {
		config = accepted(lines[i]);
		config.role_set[TW_SERVER] = set_of("5");
		config.role_set[TW_CLIENT] = set_of("1,6");
		for (pair = 0; pair < 4; pair++) {
			assert_true(tw_config_cpus(&config, TW_SERVER, pair,
						   &got));
			assert_set(&got, "5");
			assert_true(tw_config_cpus(&config, TW_CLIENT, pair,
						   &got));
			assert_set(&got, "1,6");
		}
	}
}

static void test_count(void **state)
{
	static const int counts[] = { 1, 2, 3, 4, 8, 128, 256 };
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(counts); i++) {
		use_cpus(counts[i]);
		assert_int_equal(accepted("").pairs.count, 1);
		assert_int_equal(accepted("-t").pairs.count, counts[i]);
		assert_int_equal(accepted("--threads").pairs.count, counts[i]);
		assert_int_equal(accepted("-S").pairs.count, counts[i]);
		assert_int_equal(accepted("--smp").pairs.count, counts[i]);
		assert_true(accepted("-S").pairs.smp);
		assert_int_equal(accepted("-t7").pairs.count, 7);
		assert_int_equal(accepted("-t 7").pairs.count, 7);
		assert_int_equal(accepted("-t -q").pairs.count, counts[i]);
		assert_int_equal(accepted("-t5 -t").pairs.count, counts[i]);
		assert_int_equal(accepted("--threads=256").pairs.count, 256);
	}
	/* CPUs that are apart are counted, not numbered. */
	use_machine("0,64,1023");
	assert_int_equal(accepted("-t").pairs.count, 3);
	assert_int_equal(accepted("-S").pairs.count, 3);
}

/* A pair for each CPU, where there are more CPUs than pairs can be. */
static void test_too_many_cpus(void **state)
{
	(void)state;
	use_cpus(257);
	refused("-S", "--smp: there are 257 CPUs, and allowed are up to 256 pairs; start it on fewer CPUs (taskset), or give -t256");
	refused("-t", "--threads: there are 257 CPUs, and allowed are up to 256 pairs; start it on fewer CPUs (taskset), or give -t256");
	assert_int_equal(accepted("-t256").pairs.count, 256);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plan),
		cmocka_unit_test(test_plan_of_main_and_load),
		cmocka_unit_test(test_each),
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_set),
		cmocka_unit_test(test_one_role),
		cmocka_unit_test(test_count),
		cmocka_unit_test(test_too_many_cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
