// SPDX-License-Identifier: GPL-2.0-or-later
/* Placement plans, user sets, priorities and the format of CPU lists. */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "run/tw_config.h"
#include "machine.h"
#include "run/tw_place.h"

static void test_role_names(void **state)
{
	(void)state;
	assert_string_equal(tw_role_names[TW_MAIN], "main");
	assert_string_equal(tw_role_names[TW_SERVER], "server");
	assert_string_equal(tw_role_names[TW_CLIENT], "client");
	assert_string_equal(tw_role_names[TW_LOAD], "load");
	assert_string_equal(tw_role_titles[TW_MAIN], "parent process");
	assert_string_equal(tw_role_titles[TW_SERVER], "server");
	assert_string_equal(tw_role_titles[TW_CLIENT], "client");
	assert_string_equal(tw_role_titles[TW_LOAD], "load");
}

static void test_plans(void **state)
{
	static const struct {
		const char *allowed;
		const char *want[TW_ROLES];	/* main server client load */
	} plans[] = {
		{ "0", { "0", "0", "0", "0" } },
		{ "77", { "77", "77", "77", "77" } },
		{ "1023", { "1023", "1023", "1023", "1023" } },
		{ "0-1", { "0", "0", "1", "1" } },
		{ "3,1000", { "3", "3", "1000", "1000" } },
		{ "0-2", { "0", "1", "2", "2" } },
		{ "1,5,9", { "1", "5", "9", "9" } },
		{ "0-3", { "1", "2", "3", "3" } },
		{ "2,4,6,8", { "4", "6", "8", "8" } },
		{ "0-4", { "1", "2", "3", "3-4" } },
		{ "0-7", { "1", "2", "3", "3-7" } },
		{ "0-127", { "1", "2", "3", "3-127" } },
		{ "4-5,8,64-66,1020-1023",
		  { "5", "8", "64", "64-66,1020-1023" } },
		{ "0-1023", { "1", "2", "3", "3-1023" } },
	};
	size_t i;
	int role;

	(void)state;
	for (i = 0; i < sizeof(plans) / sizeof(plans[0]); i++) {
		const cpu_set_t allowed = set_of(plans[i].allowed);

		for (role = 0; role < TW_ROLES; role++) {
			cpu_set_t got = set_of("0-1023");

			tw_place_plan(&allowed, role, 0, &got);
			assert_set(&got, plans[i].want[role]);
		}
	}
}

/* No CPU to place anything on: none is chosen. */
static void test_empty(void **state)
{
	const cpu_set_t none = set_of("");
	int role;

	(void)state;
	for (role = 0; role < TW_ROLES; role++) {
		cpu_set_t got = set_of("0-1023");

		tw_place_plan(&none, role, 0, &got);
		assert_set(&got, "");
		got = set_of("0-1023");
		tw_place_in_set(&none, role, 1, &got);
		assert_set(&got, "");
	}
}

/* Server and client of pair 0, of pair 1, ... */
static void check_pairs(const char *list, const char *const *want,
			unsigned int pairs)
{
	const cpu_set_t set = set_of(list);
	unsigned int pair;

	for (pair = 0; pair < pairs; pair++) {
		cpu_set_t got = set_of("0-1023");

		tw_place_in_set(&set, TW_SERVER, pair, &got);
		assert_set(&got, want[2 * pair]);
		got = set_of("0-1023");
		tw_place_in_set(&set, TW_CLIENT, pair, &got);
		assert_set(&got, want[2 * pair + 1]);
	}
}

static void test_in_set(void **state)
{
	static const char *const one[] = { "6", "6", "6", "6" };
	static const char *const two[] = { "2", "9", "2", "9" };
	static const char *const three[] = {
		"1", "5", "700", "1", "5", "700", "1", "5",
	};
	static const char *const four[] = {
		"0", "1", "2", "3", "0", "1",
	};

	(void)state;
	check_pairs("6", one, 2);
	check_pairs("2,9", two, 2);
	check_pairs("1,5,700", three, 4);
	check_pairs("0-3", four, 3);
}

/* 2 * pair must not wrap: it would break the turn in sets of three. */
static void test_in_set_many_pairs(void **state)
{
	const cpu_set_t set = set_of("0-2");
	cpu_set_t got;

	(void)state;
	/* 2 * 2147483648 = 4294967296 = 3 * 1431655765 + 1 */
	tw_place_in_set(&set, TW_SERVER, 2147483648U, &got);
	assert_set(&got, "1");
	tw_place_in_set(&set, TW_CLIENT, 2147483648U, &got);
	assert_set(&got, "2");
}

static void test_priorities(void **state)
{
	struct tw_config config = { .pairs = { .count = 1 } };
	int priority, role;

	(void)state;
	for (role = 0; role < TW_ROLES; role++)
		assert_int_equal(tw_config_priority(&config, role, 0), 0);
	for (priority = TW_PRIORITY_MIN; priority <= 99; priority++) {
		config.priority = priority;
		assert_int_equal(tw_config_priority(&config, TW_CLIENT, 0),
				 priority);
		assert_int_equal(tw_config_priority(&config, TW_SERVER, 0),
				 priority - 1);
		assert_int_equal(tw_config_priority(&config, TW_MAIN, 0),
				 priority - 2);
		assert_true(tw_config_priority(&config, TW_MAIN, 0) >= 1);
		assert_int_equal(tw_config_priority(&config, TW_LOAD, 0), 0);
	}
}

static void test_format(void **state)
{
	static const char *const lists[] = {
		"", "0", "1023", "0-1", "0,2", "0-2,5", "0-1023", "0,1023",
		"0-1022", "1-1023", "3,5,7-9,64,100-127,1020,1022-1023",
	};
	char buf[64];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		const cpu_set_t set = set_of(lists[i]);

		memset(buf, 'x', sizeof(buf));
		assert_ptr_equal(tw_cpus_format(&set, buf, sizeof(buf)),
				 buf);
		assert_string_equal(buf, lists[i]);
	}
}

static void test_format_random(void **state)
{
	char buf[6000];
	uint64_t seed = 3;
	int i, cpu;

	(void)state;
	for (i = 0; i < 200; i++) {
		uint64_t rarity = unit_between(&seed, 1, 20);
		cpu_set_t set;

		CPU_ZERO(&set);
		for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
			if (!(unit_random(&seed) % rarity))
				CPU_SET(cpu, &set);
		assert_set(&set, tw_cpus_format(&set, buf, sizeof(buf)));
	}
}

static void test_format_cut(void **state)
{
	static const char whole[] = "0-2,5,100-1023";
	const cpu_set_t set = set_of(whole);
	size_t len;

	(void)state;
	for (len = 0; len <= sizeof(whole); len++) {
		size_t want = len > sizeof(whole) - 1 ? sizeof(whole) - 1 :
			      len ? len - 1 : 0;
		size_t rest = 0;
		char buf[64];

		memset(buf, 'x', sizeof(buf));
		assert_ptr_equal(tw_cpus_format(&set, buf, len), buf);
		assert_memory_equal(buf, whole, want);
		if (len)
			assert_int_equal(buf[want], '\0');
		for (; len + rest < sizeof(buf); rest++)
			assert_int_equal(buf[len + rest], 'x');
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_role_names),
		cmocka_unit_test(test_plans),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_in_set),
		cmocka_unit_test(test_in_set_many_pairs),
		cmocka_unit_test(test_priorities),
		cmocka_unit_test(test_format),
		cmocka_unit_test(test_format_random),
		cmocka_unit_test(test_format_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
