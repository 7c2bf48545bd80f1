// SPDX-License-Identifier: GPL-2.0-or-later
/* The tables of what two hosts tell each other: their extremes, and gaps. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/tw_terms.h"
#include "unit.h"

#define TABLE(type, keys)	{ #type, sizeof(struct type), keys }

static const struct table {
	const char *name;
	size_t size;
	const struct tw_key *keys;
} tables[] = {
	TABLE(tw_asked, tw_asked_keys),
	TABLE(tw_granted, tw_granted_keys),
	TABLE(tw_stop, tw_stop_keys),
	TABLE(tw_far_host, tw_far_host_keys),
	TABLE(tw_far_servers, tw_far_servers_keys),
};

#define TABLES	(sizeof(tables) / sizeof(tables[0]))

static char body[TW_FRAME_BODY_MAX];

static void set_value(const struct tw_key *key, char *at, bool most)
{
	int64_t number = most ? key->max : key->min;

	if (key->kind == TW_KEY_INT)
		memcpy(at, &number, sizeof(number));
	else if (key->kind == TW_KEY_BOOL)
		*(bool *)at = most;
	else if (key->kind == TW_KEY_TEXT)
		memset(at, 'x', most ? key->size - 1 : 0);
	else if (key->kind == TW_KEY_HEX)
		memset(at, most ? 0xff : 0, key->size);
	else
		fail_msg("%s: no test for this kind", key->name);
}

/* All values are the largest, or the smallest, that the table allows. */
static void *extreme(const struct table *table, bool most)
{
	char *values = calloc(1, table->size);
	const struct tw_key *key;
	unsigned int i;

	assert_non_null(values);
	for (key = table->keys; key->name; key++)
		for (i = 0; i < (key->stride ? key->most : 1); i++)
			set_value(key, values + key->offset + i * key->stride,
				  most || key->stride);
	return values;
}

static void check_round(const struct table *table, bool most)
{
	struct tw_keys_notes notes = { .why = "" };
	char *from = extreme(table, most), *to = calloc(1, table->size);
	const struct tw_key *key;
	unsigned int i;
	int64_t count;
	int len;

	assert_non_null(to);
	len = tw_keys_encode(table->keys, from, TW_VERSION_MAX, body,
			     sizeof(body));
	if (len < 0)
		fail_msg("%s: %s", table->name, strerror(-len));
	if (tw_keys_decode(table->keys, to, TW_VERSION_MAX, body, (size_t)len,
			   &notes))
		fail_msg("%s: %s", table->name, notes.why);
	for (key = table->keys; key->name; key++) {
		size_t width = key->kind == TW_KEY_INT ? sizeof(int64_t) :
			       key->kind == TW_KEY_BOOL ? 1 : key->size;

		count = 1;
		if (key->stride)
			memcpy(&count, from + key->count, sizeof(count));
		for (i = 0; i < count; i++)
			assert_memory_equal(
				from + key->offset + i * key->stride,
				to + key->offset + i * key->stride, width);
	}
	free(from);
	free(to);
}

/* Also: the largest values of the most pairs fit into a frame. */
static void test_extremes(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < TABLES; i++) {
		check_round(&tables[i], true);
		check_round(&tables[i], false);
	}
}

static void test_beyond(void **state)
{
	const struct tw_key *key;
	int64_t number;
	char *values;
	size_t i;

	(void)state;
	for (i = 0; i < TABLES; i++)
		for (key = tables[i].keys; key->name; key++) {
			if (key->kind != TW_KEY_INT || key->max == INT64_MAX)
				continue;
			values = extreme(&tables[i], true);
			number = key->max + 1;
			memcpy(values + key->offset, &number, sizeof(number));
			assert_int_equal(tw_keys_encode(tables[i].keys, values,
							TW_VERSION_MAX, body,
							sizeof(body)),
					 -EINVAL);
			free(values);
		}
}

/* Nobody has to guess what the other host may have meant. */
static void test_all_are_needed(void **state)
{
	const struct tw_key *key;
	size_t i;

	(void)state;
	for (i = 0; i < TABLES; i++)
		for (key = tables[i].keys; key->name; key++)
			if (!key->required &&
			    strcmp(key->name, "latency_us"))
				fail_msg("%s: %s is not required",
					 tables[i].name, key->name);
}

/* The ranges of RUN are those of the options that it becomes. */
static void test_pairs(void **state)
{
	struct tw_far_servers servers;

	(void)state;
	assert_int_equal(TW_FAR_PAIRS, 32);
	assert_int_equal(sizeof(servers.each) / sizeof(servers.each[0]),
			 TW_FAR_PAIRS);
}

/* The cookie is shown to nobody. */
static void test_secret(void **state)
{
	const struct tw_key *key;

	(void)state;
	for (key = tw_granted_keys; key->name; key++)
		assert_int_equal(key->secret, !strcmp(key->name, "cookie"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_extremes),
		cmocka_unit_test(test_beyond),
		cmocka_unit_test(test_all_are_needed),
		cmocka_unit_test(test_pairs),
		cmocka_unit_test(test_secret),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
