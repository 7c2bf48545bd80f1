// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables of keys: what is encoded, decoded again, and printed as JSON. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "json.h"
#include "keys.h"
#include "unit.h"

static struct values values;
static struct tw_keys_notes notes;
static char buf[1024];

static int setup(void **state)
{
	(void)state;
	memset(&notes, 0, sizeof(notes));
	set_values(&values);
	return 0;
}

static int encode(unsigned int version)
{
	return tw_keys_encode(value_keys, &values, version, buf, sizeof(buf));
}

static void check_body(unsigned int version, const char *expected)
{
	int length;

	memset(buf, 'x', sizeof(buf));
	length = encode(version);
	assert_true(length >= 0);
	assert_int_equal(buf[length], 'x');
	buf[length] = '\0';
	assert_string_equal(buf, expected);
}

#define FIRST \
	"period_ns.0=1000\nperiod_ns.1=1001\npairs=2\nsize=64\n" \
	"any=-9223372036854775807\n"
#define MIDDLE \
	"lock=1\ntransport=udp\ntext=Linux 6.1 \xc3\xa4\n" \
	"cookie=deadbeef\ndigest=010a\n"
#define POLICIES	"policy.0=other\npolicy.1=fifo\n"

static void test_encode(void **state)
{
	(void)state;
	check_body(1, FIRST MIDDLE POLICIES);
	check_body(2, FIRST MIDDLE "newer=7\n" POLICIES "name.0=a\nname.1=b\n");
	check_body(9, FIRST MIDDLE "newer=7\n" POLICIES "name.0=a\nname.1=b\n");
	values.maybe = -5;
	values.lock = false;
	values.transport = -1;
	values.pair[0].policy = -1;
	strcpy(values.text, "");
	check_body(1, FIRST "maybe=-5\nlock=0\ntext=\ncookie=deadbeef\n"
		   "digest=010a\npolicy.1=fifo\n");
}

/* Texts of the kernel, too, must not carry what a terminal obeys. */
static void test_encode_text(void **state)
{
	int length;

	(void)state;
	strcpy(values.text, "a\nb\x1b[1m\xc2\x9b\xff\x7f=");
	length = encode(1);
	assert_true(length > 0);
	buf[length] = '\0';
	assert_non_null(strstr(buf, "\ntext=a?b?[1m???" "?=\n"));
}

static void test_encode_too_long(void **state)
{
	int length = encode(2);
	int size;

	(void)state;
	for (size = 0; size < length; size++) {
		buf[size] = '!';
		assert_int_equal(tw_keys_encode(value_keys, &values, 2, buf,
						(size_t)size), -EMSGSIZE);
		assert_int_equal(buf[size], '!');
	}
	assert_int_equal(tw_keys_encode(value_keys, &values, 2, buf,
					(size_t)length), length);
}

static void check_not_encoded(void)
{
	assert_int_equal(encode(2), -EINVAL);
	setup(NULL);
	assert_true(encode(2) > 0);
}

static void test_encode_wrong(void **state)
{
	(void)state;
	values.size = 15;
	check_not_encoded();
	values.size = 65537;
	check_not_encoded();
	values.pairs = TW_KEYS_UNKNOWN;
	check_not_encoded();
	values.transport = 2;
	check_not_encoded();
	values.pair[1].period_ns = 0;
	check_not_encoded();
	memset(values.text, 'x', sizeof(values.text));
	check_not_encoded();
	/* Of a newer version: does not matter. */
	values.newer = 10;
	assert_true(encode(1) > 0);
	check_not_encoded();
}

static void check_round(unsigned int version)
{
	static struct values got;
	char again[sizeof(buf)];
	int length = encode(version);

	assert_true(length > 0);
	memset(&got, 0, sizeof(got));
	got.maybe = TW_KEYS_UNKNOWN;
	assert_int_equal(tw_keys_decode(value_keys, &got, version, buf,
					(size_t)length, &notes), 0);
	assert_string_equal(notes.why, "");
	assert_int_equal(tw_keys_encode(value_keys, &got, version, again,
					sizeof(again)), length);
	assert_memory_equal(again, buf, (size_t)length);
	assert_int_equal(got.any, values.any);
	assert_true(got.lock);
	assert_int_equal(got.transport, 1);
	assert_string_equal(got.text, values.text);
	assert_memory_equal(got.cookie, values.cookie, 4);
	assert_memory_equal(got.digest, values.digest, 2);
	assert_int_equal(got.newer, version > 1 ? 7 : 0);
	assert_int_equal(got.pair[1].period_ns, 1001);
	assert_int_equal(got.pair[1].policy, 1);
	assert_string_equal(got.pair[1].name, version > 1 ? "b" : "");
	assert_int_equal(got.pair[2].period_ns, 0);
}

static void test_decode(void **state)
{
	(void)state;
	check_round(1);
	check_round(2);
}

/* Keys that are missing keep what the caller has set. */
static void test_defaults(void **state)
{
	static const char body[] = "pairs=1\nperiod_ns.0=9\n";
	struct values before;

	(void)state;
	before = values;
	assert_int_equal(tw_keys_decode(value_keys, &values, 1, body,
					strlen(body), &notes), 0);
	before.pairs = 1;
	before.pair[0].period_ns = 9;
	assert_memory_equal(&values, &before, sizeof(before));
}

/* As many as a table can have, and each with 256 values. */
static void test_most(void **state)
{
	static struct {
		int64_t count;
		int64_t values[TW_KEYS_REPEAT];
	} from, to;
	static struct tw_key table[TW_KEYS_MAX + 1] = {
		{ .name = "count", .kind = TW_KEY_INT, .min = 0,
		  .max = TW_KEYS_REPEAT, .required = true },
	};
	static char names[TW_KEYS_MAX][16], body[TW_KEYS_MAX * 256 * 12];
	int length, k;

	(void)state;
	for (k = 1; k < TW_KEYS_MAX; k++) {
		snprintf(names[k], sizeof(names[k]), "k%d", k);
		table[k].name = names[k];
		table[k].offset = 8;
		table[k].stride = 8;
		table[k].most = TW_KEYS_REPEAT;
		table[k].max = 999;
		table[k].required = true;
	}
	from.count = TW_KEYS_REPEAT;
	for (k = 0; k < TW_KEYS_REPEAT; k++)
		from.values[k] = k;
	length = tw_keys_encode(table, &from, 1, body, sizeof(body));
	assert_true(length > 0);
	assert_int_equal(tw_keys_decode(table, &to, 1, body, (size_t)length,
					&notes), 0);
	assert_memory_equal(&to, &from, sizeof(to));
	from.count = 0;
	length = tw_keys_encode(table, &from, 1, body, sizeof(body));
	assert_int_equal(length, strlen("count=0\n"));
	assert_int_equal(tw_keys_decode(table, &to, 1, body, (size_t)length,
					&notes), 0);
}

static void check_json(const char *expected)
{
	struct tw_json json;
	size_t size;
	char *text;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	tw_json_open(&json, file, 0);
	tw_keys_json(&json, value_keys, &values);
	fclose(file);
	assert_members(text);
	assert_string_equal(text, expected);
	free(text);
}

/* The cookie is in none. */
static void test_json(void **state)
{
	(void)state;
	check_json("\"period_ns\": [1000, 1001],\n\"pairs\": 2,\n"
		   "\"size\": 64,\n\"any\": -9223372036854775807,\n"
		   "\"maybe\": null,\n\"lock\": true,\n"
		   "\"transport\": \"udp\",\n"
		   "\"text\": \"Linux 6.1 \xc3\xa4\",\n"
		   "\"digest\": \"010a\",\n\"newer\": 7,\n"
		   "\"policy\": [\"other\", \"fifo\"],\n"
		   "\"name\": [\"a\", \"b\"]");
	values.pairs = 1;
	values.maybe = 5;
	values.lock = false;
	values.transport = -1;
	values.pair[0].policy = -1;
	strcpy(values.text, "\"");
	check_json("\"period_ns\": [1000],\n\"pairs\": 1,\n"
		   "\"size\": 64,\n\"any\": -9223372036854775807,\n"
		   "\"maybe\": 5,\n\"lock\": false,\n"
		   "\"transport\": null,\n\"text\": \"\\\"\",\n"
		   "\"digest\": \"010a\",\n\"newer\": 7,\n"
		   "\"policy\": [null],\n\"name\": [\"a\"]");
}

static void check_shown(const char *from, size_t length, size_t size,
			const char *expected)
{
	char shown[64];

	memset(shown, '!', sizeof(shown));
	assert_ptr_equal(tw_keys_show(shown, size, from, length), shown);
	assert_string_equal(shown, expected);
	assert_true(strlen(shown) < size);
	assert_int_equal(shown[size], '!');
}

static void test_show(void **state)
{
	(void)state;
	check_shown("abc~ ", 5, 32, "abc~ ");
	check_shown("", 0, 8, "");
	check_shown("\x1b[31m\0\n\x7f\xc3\xa4", 10, 63,
		    "\\x1b[31m\\x00\\x0a\\x7f\\xc3\\xa4");
	check_shown("abcdefghijklmnop", 16, 12, "abcde...");
	check_shown("\x01\x02\x03\x04", 4, 16, "\\x01\\x02\\x03...");
	check_shown("x", 1, 8, "x");
	check_shown("xy", 2, 8, "x...");
	check_shown("xy", 2, 4, "...");
}

static void check_printable(const char *text, bool expected)
{
	if (tw_keys_printable(text, strlen(text)) != expected)
		fail_msg("\"%s\"", text);
}

static void test_printable(void **state)
{
	static const char *const good[] = {
		"", " ~", "=", "\xc2\xa0", "\xc3\xa4", "\xdf\xbf",
		"\xe0\xa0\x80", "\xe2\x80\x8d", "\xe2\x80\x90", "\xe2\x80\xaf",
		"\xe2\x81\xa5", "\xe2\x81\xaa", "\xed\x9f\xbf",
		"\xee\x80\x80", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf",
	};
	static const char *const bad[] = {
		"\n", "\t", "\x1f", "\x7f", "\x1b[1m", "\x80", "\xc2\x80",
		"\xc2\x9b", "\xc2\x9f", "\xc0\xa0", "\xc1\xbf", "\xc3",
		"\xc3(", "\xd8\x9c", "\xe0\x9f\xbf", "\xe2\x80",
		"\xe2\x80\x8e", "\xe2\x80\x8f", "\xe2\x80\xa8",
		"\xe2\x80\xae", "\xe2\x81\xa6", "\xe2\x81\xa9",
		"\xed\xa0\x80", "\xed\xbf\xbf", "\xf0\x8f\xbf\xbf",
		"\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80", "\xff",
		"good until\x01",
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(good) / sizeof(*good); i++)
		check_printable(good[i], true);
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		check_printable(bad[i], false);
	assert_false(tw_keys_printable("a\0b", 3));
	/* A character that goes on behind the end. */
	assert_false(tw_keys_printable("\xc3\xa4", 1));
	assert_false(tw_keys_printable("\xe2\x82\xac", 2));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_encode, setup),
		cmocka_unit_test_setup(test_encode_text, setup),
		cmocka_unit_test_setup(test_encode_too_long, setup),
		cmocka_unit_test_setup(test_encode_wrong, setup),
		cmocka_unit_test_setup(test_decode, setup),
		cmocka_unit_test_setup(test_defaults, setup),
		cmocka_unit_test_setup(test_most, setup),
		cmocka_unit_test_setup(test_json, setup),
		cmocka_unit_test_setup(test_show, setup),
		cmocka_unit_test_setup(test_printable, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
