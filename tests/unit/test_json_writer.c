// SPDX-License-Identifier: GPL-2.0-or-later
/* The JSON writer, to the letter. */
#include <math.h>
#include <stdlib.h>

#include "base/tw_json.h"
#include "json.h"

static struct tw_json writer;
static char *begun;
static size_t begun_size;

/* @depth: of the first member. */
static void begin(int depth)
{
	FILE *file;

	free(begun);
	file = open_memstream(&begun, &begun_size);
	assert_non_null(file);
	tw_json_open(&writer, file, depth);
}

/* Returns what was written, until begin() is called again. */
static const char *end(void)
{
	assert_int_equal(ferror(writer.file), 0);
	assert_int_equal(fclose(writer.file), 0);
	return begun;
}

static void test_values(void **state)
{
	(void)state;
	begin(1);
	tw_json_null(&writer, "null");
	tw_json_text(&writer, "no text", NULL);
	tw_json_text(&writer, "text", "a \"b\"\\\n");
	tw_json_text(&writer, "\"k\"\\\t\xff", "");
	tw_json_bool(&writer, "yes", true);
	tw_json_bool(&writer, "no", false);
	tw_json_int(&writer, "least", INT64_MIN);
	tw_json_int(&writer, "most", INT64_MAX);
	tw_json_uint(&writer, "unsigned", UINT64_MAX);
	tw_json_int_if(&writer, "known", true, -7);
	tw_json_int_if(&writer, "unknown", false, -7);
	tw_json_close(&writer);
	assert_string_equal(end(),
		"  \"null\": null,\n"
		"  \"no text\": null,\n"
		"  \"text\": \"a \\\"b\\\"\\\\\\u000a\",\n"
		"  \"\\\"k\\\"\\\\\\u0009\\ufffd\": \"\",\n"
		"  \"yes\": true,\n"
		"  \"no\": false,\n"
		"  \"least\": -9223372036854775808,\n"
		"  \"most\": 9223372036854775807,\n"
		"  \"unsigned\": 18446744073709551615,\n"
		"  \"known\": -7,\n"
		"  \"unknown\": null\n");
	assert_members(begun);
}

/* JSON knows neither infinity nor NaN. */
static void test_reals(void **state)
{
	(void)state;
	begin(0);
	tw_json_begin_line(&writer, NULL, '[');
	tw_json_real(&writer, NULL, 2.0 / 3, 0);
	tw_json_real(&writer, NULL, 2.0 / 3, 1);
	tw_json_real(&writer, NULL, -2, 4);
	tw_json_real(&writer, NULL, 99.99, TW_JSON_SHORT);
	tw_json_real(&writer, NULL, 50, TW_JSON_SHORT);
	tw_json_real(&writer, NULL, NAN, 3);
	tw_json_real(&writer, NULL, INFINITY, 3);
	tw_json_real(&writer, NULL, -INFINITY, TW_JSON_SHORT);
	tw_json_real_if(&writer, NULL, true, 1.5, 2);
	tw_json_real_if(&writer, NULL, false, 1.5, 2);
	tw_json_end(&writer);
	assert_string_equal(end(),
		"[1, 0.7, -2.0000, 99.99, 50, null, null, null, 1.50, null]");
}

static void test_nesting(void **state)
{
	(void)state;
	begin(1);
	tw_json_begin(&writer, "o", '{');
	tw_json_begin(&writer, "a", '[');
	tw_json_int(&writer, NULL, 1);
	tw_json_begin(&writer, NULL, '{');
	tw_json_int(&writer, "x", 2);
	tw_json_int(&writer, "y", 3);
	tw_json_end(&writer);
	tw_json_begin(&writer, NULL, '[');
	tw_json_begin(&writer, NULL, '[');
	tw_json_int(&writer, NULL, 4);
	tw_json_end(&writer);
	tw_json_end(&writer);
	tw_json_end(&writer);
	tw_json_end(&writer);
	tw_json_int(&writer, "z", 5);
	tw_json_close(&writer);
	assert_string_equal(end(),
		"  \"o\": {\n"
		"    \"a\": [\n"
		"      1,\n"
		"      {\n"
		"        \"x\": 2,\n"
		"        \"y\": 3\n"
		"      },\n"
		"      [\n"
		"        [\n"
		"          4\n"
		"        ]\n"
		"      ]\n"
		"    ]\n"
		"  },\n"
		"  \"z\": 5\n");
	assert_members(begun);
}

static void test_empty(void **state)
{
	(void)state;
	begin(1);
	tw_json_begin(&writer, "o", '{');
	tw_json_end(&writer);
	tw_json_begin_line(&writer, "line", '{');
	tw_json_end(&writer);
	tw_json_begin(&writer, "a", '[');
	tw_json_begin_line(&writer, NULL, '[');
	tw_json_end(&writer);
	tw_json_begin(&writer, NULL, '[');
	tw_json_end(&writer);
	tw_json_end(&writer);
	tw_json_close(&writer);
	assert_string_equal(end(),
		"  \"o\": {},\n"
		"  \"line\": {},\n"
		"  \"a\": [\n"
		"    [],\n"
		"    []\n"
		"  ]\n");
	assert_members(begun);
}

/* Whatever is in one of them is in its line, however it was begun. */
static void test_one_line(void **state)
{
	(void)state;
	begin(1);
	tw_json_begin_line(&writer, "o", '{');
	tw_json_int(&writer, "x", 1);
	tw_json_begin(&writer, "a", '[');
	tw_json_begin_line(&writer, NULL, '{');
	tw_json_text(&writer, "t", NULL);
	tw_json_end(&writer);
	tw_json_begin(&writer, NULL, '{');
	tw_json_end(&writer);
	tw_json_end(&writer);
	tw_json_int(&writer, "y", 2);
	tw_json_end(&writer);
	tw_json_begin(&writer, "p", '{');
	tw_json_int(&writer, "z", 3);
	tw_json_end(&writer);
	tw_json_close(&writer);
	assert_string_equal(end(),
		"  \"o\": {\"x\": 1, \"a\": [{\"t\": null}, {}], \"y\": 2},\n"
		"  \"p\": {\n"
		"    \"z\": 3\n"
		"  }\n");
	assert_members(begun);
}

/* As deep as it may be: each end is of its own kind. */
static void test_deep(void **state)
{
	uint64_t seed = 5, kinds = 0;
	const char *text;
	int i;

	(void)state;
	begin(0);
	for (i = 0; i < 64; i++) {
		bool array = unit_random(&seed) % 2;

		tw_json_begin_line(&writer, i && !(kinds & 1) ? "k" : NULL,
				   array ? '[' : '{');
		kinds = kinds << 1 | array;
	}
	for (i = 0; i < 64; i++)
		tw_json_end(&writer);
	text = end();
	assert_non_null(json_value(text));
	assert_string_equal(json_value(text), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_reals),
		cmocka_unit_test(test_nesting),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_one_line),
		cmocka_unit_test(test_deep),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	free(begun);
	return failed;
}
