// SPDX-License-Identifier: GPL-2.0-or-later
/* Strings as JSON: read back by a strict reader of the test's own. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rt-utils.h"
#include "base/tw_json.h"
#include "unit.h"

#define LENGTH_MAX	64
#define STRAY		0xfffd

/* Code points. */
struct decoded {
	size_t count;
	uint32_t code[LENGTH_MAX];
};

/*
 * The well-formed characters of Unicode's table of them, by their bytes:
 * the lead's range, the range of the byte behind, how many follow that.
 */
static const struct {
	unsigned char lead[2], second[2];
	int more;
} forms[] = {
	{ { 0xc2, 0xdf }, { 0x80, 0xbf }, 0 },
	{ { 0xe0, 0xe0 }, { 0xa0, 0xbf }, 1 },
	{ { 0xe1, 0xec }, { 0x80, 0xbf }, 1 },
	{ { 0xed, 0xed }, { 0x80, 0x9f }, 1 },
	{ { 0xee, 0xef }, { 0x80, 0xbf }, 1 },
	{ { 0xf0, 0xf0 }, { 0x90, 0xbf }, 2 },
	{ { 0xf1, 0xf3 }, { 0x80, 0xbf }, 2 },
	{ { 0xf4, 0xf4 }, { 0x80, 0x8f }, 2 },
};

#define FORMS	(sizeof(forms) / sizeof(forms[0]))

static bool within(unsigned char byte, const unsigned char range[2])
{
	return byte >= range[0] && byte <= range[1];
}

/* Bytes of the character at @at, its code to *code; 0 if it is none. */
static int character(const unsigned char *at, uint32_t *code)
{
	static const unsigned char any[2] = { 0x80, 0xbf };
	size_t form;
	int i;

	*code = at[0];
	if (at[0] < 0x80)
		return 1;
	for (form = 0; form < FORMS; form++)
		if (within(at[0], forms[form].lead))
			break;
	if (form == FORMS || !within(at[1], forms[form].second))
		return 0;
	*code = (at[0] & (0x1f >> forms[form].more)) << 6 | (at[1] & 0x3f);
	for (i = 0; i < forms[form].more; i++) {
		if (!within(at[2 + i], any))
			return 0;
		*code = *code << 6 | (at[2 + i] & 0x3f);
	}
	return 2 + forms[form].more;
}

/* What any bytes stand for: each stray one for U+FFFD. */
static struct decoded decode_text(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;
	struct decoded decoded = { .count = 0 };

	while (*at) {
		uint32_t *code = &decoded.code[decoded.count++];
		int len = character(at, code);

		if (!len)
			*code = STRAY;
		at += len ? len : 1;
	}
	return decoded;
}

/* The escape behind a backslash; returns its bytes. */
static int decode_escape(const char *at, uint32_t *code)
{
	static const char plain[] = "\"\\/bfnrt", means[] = "\"\\/\b\f\n\r\t";
	const char *found = strchr(plain, *at);
	char digits[5], *end;

	assert_true(*at);
	if (found) {
		*code = means[found - plain];
		return 1;
	}
	assert_int_equal(*at, 'u');
	snprintf(digits, sizeof(digits), "%.4s", at + 1);
	assert_int_equal(strspn(digits, "0123456789abcdefABCDEF"), 4);
	*code = strtoul(digits, &end, 16);
	/* What is beyond 16 bits is never escaped here. */
	assert_false(*code >= 0xd800 && *code <= 0xdfff);
	return 5;
}

/* Strict: fails on whatever may not stand inside a JSON string. */
static struct decoded decode_json(const char *json)
{
	struct decoded decoded = { .count = 0 };

	while (*json) {
		uint32_t *code = &decoded.code[decoded.count++];
		int len;

		assert_true(decoded.count <= LENGTH_MAX);
		assert_true((unsigned char)*json >= 0x20 && *json != '"');
		if (*json == '\\') {
			json += 1 + decode_escape(json + 1, code);
			continue;
		}
		len = character((const unsigned char *)json, code);
		assert_true(len > 0);
		json += len;
	}
	return decoded;
}

/* What the library writes for @text, without the quotes. */
static char *escape(const char *text)
{
	static char json[6 * LENGTH_MAX + 3];
	FILE *file = fmemopen(json, sizeof(json), "w");
	size_t len;

	assert_non_null(file);
	rt_json_string(file, text);
	fputc('\0', file);
	assert_int_equal(fclose(file), 0);
	len = strlen(json);
	assert_true(len >= 2 && json[0] == '"' && json[len - 1] == '"');
	json[len - 1] = '\0';
	return json + 1;
}

static void check(const char *text)
{
	const char *json = escape(text);
	struct decoded want = decode_text(text), got = decode_json(json);

	assert_true(strlen(json) <= 6 * strlen(text));
	assert_int_equal(got.count, want.count);
	assert_memory_equal(got.code, want.code,
			    want.count * sizeof(want.code[0]));
}

static void test_every_byte(void **state)
{
	char text[2] = "";
	int byte;

	(void)state;
	check("");
	for (byte = 1; byte < 256; byte++) {
		text[0] = (char)byte;
		check(text);
	}
}

static void test_every_two_bytes(void **state)
{
	char text[4] = "??x";
	int two;

	(void)state;
	for (two = 0; two < 0x10000; two++) {
		text[0] = (char)(two >> 8);
		text[1] = (char)two;
		if (text[0])
			check(text);
	}
}

/* The edges of every form, overlong, surrogates, too large, cut short. */
static void test_edges(void **state)
{
	static const char *const texts[] = {
		"\x7f", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80",
		"\xed\x9f\xbf", "\xee\x80\x80", "\xef\xbf\xbf",
		"\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf",
		"\xc0\x80", "\xc1\xbf", "\xe0\x80\x80", "\xe0\x9f\xbf",
		"\xf0\x80\x80\x80", "\xf0\x8f\xbf\xbf",
		"\xed\xa0\x80", "\xed\xbf\xbf", "\xed\xa0\xbd\xed\xb8\x80",
		"\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xf8\x88\x80\x80\x80",
		"\xfe", "\xff", "\xc3", "\xe2\x82", "\xf0\x9f\x98",
		"a\xc3", "a\xe2\x82", "a\xf0\x9f\x98", "\xe2\x82z",
		"\xc3\xc3\xa9",
		"\xf0\x9f\x98\x80 \"C:\\\" \b\f\n\r\t\x1f/\x7f",
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		check(texts[i]);
}

static void test_random(void **state)
{
	/* More of what makes up characters than chance would give. */
	static const char likely[] = "\x80\xbf\x9f\xa0\xc2\xe0\xed\xef\xf0"
				     "\xf4\"\\n\x01";
	char text[LENGTH_MAX + 1];
	uint64_t seed = 3;
	int i, k, len;

	(void)state;
	for (i = 0; i < 20000; i++) {
		len = (int)unit_between(&seed, 1, LENGTH_MAX);
		for (k = 0; k < len; k++)
			text[k] = unit_random(&seed) % 2 ?
				(char)unit_between(&seed, 1, 255) :
				likely[unit_between(&seed, 0,
						    sizeof(likely) - 2)];
		text[len] = '\0';
		check(text);
	}
}

static void test_exact(void **state)
{
	static const struct { const char *text, *want; } rows[] = {
		{ "plain", "plain" }, { "\"", "\\\"" }, { "\\", "\\\\" },
		{ "\n", "\\u000a" }, { "\x7f", "\\u007f" },
		{ "\xc3\xa9", "\xc3\xa9" }, { "\xe9", "\\ufffd" },
		{ "/", "/" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(escape(rows[i].text), rows[i].want);
}

static void test_writer(void **state)
{
	struct tw_json writer;
	char json[32];
	FILE *file = fmemopen(json, sizeof(json), "w");

	(void)state;
	assert_non_null(file);
	tw_json_open(&writer, file, 0);
	tw_json_text(&writer, NULL, "a\"\xff\n");
	fputc('\0', file);
	assert_int_equal(fclose(file), 0);
	assert_string_equal(json, "\"a\\\"\\ufffd\\u000a\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_byte),
		cmocka_unit_test(test_every_two_bytes),
		cmocka_unit_test(test_edges),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_exact),
		cmocka_unit_test(test_writer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
