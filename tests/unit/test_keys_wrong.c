// SPDX-License-Identifier: GPL-2.0-or-later
/* Bodies that are refused, and what is said about them. */
#include <errno.h>
#include <stdio.h>

#include "keys.h"
#include "unit.h"

#define GOOD	"pairs=2\nperiod_ns.0=5\nperiod_ns.1=6\n"

static struct values values;
static struct tw_keys_notes notes;

static int decode(unsigned int version, const char *body, size_t length)
{
	set_values(&values);
	return tw_keys_decode(value_keys, &values, version, body, length,
			      &notes);
}

static void check_bytes(const char *body, size_t length, int err,
			const char *why)
{
	memset(&notes, 0, sizeof(notes));
	if (decode(1, body, length) != err)
		fail_msg("%s: not %d: %s", body, err, notes.why);
	assert_string_equal(notes.why, why);
}

static void check(const char *body, int err, const char *why)
{
	check_bytes(body, strlen(body), err, why);
}

static void test_lines(void **state)
{
	(void)state;
	check(GOOD, 0, "");
	check(GOOD "size=64", -EPROTO, "the last line has no end");
	check("x", -EPROTO, "the last line has no end");
	check(GOOD "size\n", -EPROTO, "a line has no \"=\": size");
	check("\n", -EPROTO, "a line has no \"=\": ");
	check(GOOD "\n", -EPROTO, "a line has no \"=\": ");
	check_bytes("pairs=2\0\n", 9, -EPROTO,
		    "a line has a NUL byte: pairs=2\\x00");
	check_bytes("text=\0\n", 7, -EPROTO,
		    "a line has a NUL byte: text=\\x00");
	check("\x1b[31m\n", -EPROTO, "a line has no \"=\": \\x1b[31m");
}

static void test_unknown(void **state)
{
	(void)state;
	check("foo=1\n", -EINVAL, "unknown key \"foo\"");
	check("=1\n", -EINVAL, "unknown key \"\"");
	check("Pairs=1\n", -EINVAL, "unknown key \"Pairs\"");
	check("pairs =1\n", -EINVAL, "unknown key \"pairs \"");
	check("pair=1\n", -EINVAL, "unknown key \"pair\"");
	check("pairss=1\n", -EINVAL, "unknown key \"pairss\"");
	check("\x1b]0;x\x07=1\n", -EINVAL,
	      "unknown key \"\\x1b]0;x\\x07\"");
	/* Of a version that was not agreed upon. */
	check("newer=1\n", -EINVAL, "unknown key \"newer\"");
	check("name.0=a\n", -EINVAL, "unknown key \"name.0\"");
	/* With a number, or without one. */
	check("pairs.0=1\n", -EINVAL, "unknown key \"pairs.0\"");
	check("policy=rr\n", -EINVAL, "unknown key \"policy\"");
	check("policy.=rr\n", -EINVAL, "unknown key \"policy.\"");
	check("policy.-1=rr\n", -EINVAL, "unknown key \"policy.-1\"");
	check("policy.01=rr\n", -EINVAL, "unknown key \"policy.01\"");
	check("policy.0.0=rr\n", -EINVAL, "unknown key \"policy.0.0\"");
	check("policy.x=rr\n", -EINVAL, "unknown key \"policy.x\"");
	check("policy.99999999999999999999999=rr\n", -EINVAL,
	      "unknown key \"policy.99999999999999999999999\"");
}

static void test_missing(void **state)
{
	(void)state;
	check("", -EINVAL, "key pairs is missing");
	check("period_ns.0=5\n", -EINVAL, "key pairs is missing");
	check("pairs=1\n", -EINVAL, "key period_ns.0 is missing");
	check("pairs=2\nperiod_ns.1=5\n", -EINVAL,
	      "key period_ns.0 is missing");
	check("pairs=2\nperiod_ns.0=5\n", -EINVAL,
	      "key period_ns.1 is missing");
	memset(&notes, 0, sizeof(notes));
	assert_int_equal(decode(2, GOOD, strlen(GOOD)), -EINVAL);
	assert_string_equal(notes.why, "key newer is missing");
}

static void test_too_many(void **state)
{
	(void)state;
	check("period_ns.2=7\n" GOOD, -EINVAL,
	      "period_ns.2: there are only 2 of them");
	check(GOOD "policy.7=rr\n", -EINVAL,
	      "policy.7: there are only 2 of them");
	check(GOOD "policy.8=rr\n", -EINVAL,
	      "policy.8: the highest is policy.7");
	check(GOOD "policy.9223372036854775807=rr\n", -EINVAL,
	      "policy.9223372036854775807: the highest is policy.7");
}

static void test_twice(void **state)
{
	(void)state;
	check("pairs=2\npairs=2\n", -EPROTO, "pairs is there twice");
	check(GOOD "period_ns.1=6\n", -EPROTO, "period_ns.1 is there twice");
	check(GOOD "policy.0=rr\npolicy.1=rr\npolicy.0=rr\n", -EPROTO,
	      "policy.0 is there twice");
}

static void test_int(void **state)
{
	static const char *const bad[] = {
		"15", "65537", "", "-", "-16", "+64", " 64", "64 ", "064",
		"0x40", "64.0", "6 4", "x", "9223372036854775808",
		"18446744073709551680", "340282366920938463463374607431",
	};
	char body[128], why[128];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		snprintf(body, sizeof(body), GOOD "size=%s\n", bad[i]);
		snprintf(why, sizeof(why),
			 "size=%s: allowed: numbers from 16 to 65536", bad[i]);
		check(body, -EINVAL, why);
	}
	check(GOOD "size=16\n", 0, "");
	check(GOOD "size=65536\n", 0, "");
	assert_int_equal(values.size, 65536);
	check(GOOD "any=9223372036854775807\n", 0, "");
	assert_true(values.any == INT64_MAX);
	check(GOOD "any=-0\n", -EINVAL,
	      "any=-0: allowed: numbers from -9223372036854775807 to 9223372036854775807");
	check(GOOD "any=0\n", 0, "");
	/* What stands for a value that is not known is no number. */
	check(GOOD "any=-9223372036854775808\n", -EINVAL,
	      "any=-9223372036854775808: allowed: numbers from -9223372036854775807 to 9223372036854775807");
	check("pairs=2\nperiod_ns.0=5\nperiod_ns.1=0\n", -EINVAL,
	      "period_ns.1=0: allowed: numbers from 1 to 9223372036854775807");
}

static void test_bool(void **state)
{
	(void)state;
	check(GOOD "lock=0\n", 0, "");
	assert_false(values.lock);
	check(GOOD "lock=1\n", 0, "");
	assert_true(values.lock);
	check(GOOD "lock=2\n", -EINVAL, "lock=2: allowed: 0, 1");
	check(GOOD "lock=\n", -EINVAL, "lock=: allowed: 0, 1");
	check(GOOD "lock=00\n", -EINVAL, "lock=00: allowed: 0, 1");
	check(GOOD "lock=true\n", -EINVAL, "lock=true: allowed: 0, 1");
}

static void test_word(void **state)
{
	(void)state;
	check(GOOD "transport=tcp\n", 0, "");
	assert_int_equal(values.transport, 0);
	check(GOOD "transport=\n", -EINVAL, "transport=: allowed: tcp, udp");
	check(GOOD "transport=tc\n", -EINVAL,
	      "transport=tc: allowed: tcp, udp");
	check(GOOD "transport=tcpx\n", -EINVAL,
	      "transport=tcpx: allowed: tcp, udp");
	check(GOOD "transport=TCP\n", -EINVAL,
	      "transport=TCP: allowed: tcp, udp");
	check(GOOD "policy.1=idle\n", -EINVAL,
	      "policy.1=idle: allowed: other, fifo, rr");
}

static void test_text(void **state)
{
	(void)state;
	check(GOOD "text=\n", 0, "");
	assert_string_equal(values.text, "");
	check(GOOD "text=a=b=123456789 c\n", 0, "");
	assert_string_equal(values.text, "a=b=123456789 c");
	check(GOOD "text=1234567890123456\n", -EINVAL,
	      "text=1234567890123456: allowed: at most 15 bytes of printable UTF-8");
	check(GOOD "text=\x1b[2J\n", -EINVAL,
	      "text=\\x1b[2J: allowed: at most 15 bytes of printable UTF-8");
	check(GOOD "text=a\r\n", -EINVAL,
	      "text=a\\x0d: allowed: at most 15 bytes of printable UTF-8");
}

/* No message shows a cookie. */
static void test_hex(void **state)
{
	(void)state;
	check(GOOD "digest=ffa0\n", 0, "");
	assert_memory_equal(values.digest, "\xff\xa0", 2);
	check(GOOD "digest=ff\n", -EINVAL,
	      "digest=ff: allowed: 4 digits of 0-9, a-f");
	check(GOOD "digest=ffaaa\n", -EINVAL,
	      "digest=ffaaa: allowed: 4 digits of 0-9, a-f");
	check(GOOD "digest=FFAA\n", -EINVAL,
	      "digest=FFAA: allowed: 4 digits of 0-9, a-f");
	check(GOOD "digest=0g/:\n", -EINVAL,
	      "digest=0g/:: allowed: 4 digits of 0-9, a-f");
	check(GOOD "cookie=1234567\n", -EINVAL,
	      "cookie=(not shown): allowed: 8 digits of 0-9, a-f");
}

/* Long ones are cut, and nothing is written behind the message. */
static void test_long(void **state)
{
	static char body[8000];
	size_t i;

	(void)state;
	memset(body, '\x1b', sizeof(body));
	body[4000] = '=';
	body[sizeof(body) - 1] = '\n';
	for (i = 0; i < 2; i++) {
		memset(&notes, 0, sizeof(notes));
		assert_int_equal(decode(1, body, sizeof(body)), -EINVAL);
		assert_true(strlen(notes.why) < 128);
		assert_non_null(strstr(notes.why, "\\x1b..."));
		assert_null(strchr(notes.why, '\x1b'));
		memcpy(body, "transport=", 10);
	}
}

static void check_list(const char *body, unsigned int count,
		       const char *expected)
{
	memset(&notes, 0, sizeof(notes));
	notes.list_unknown = true;
	assert_int_equal(decode(1, body, strlen(body)), 0);
	assert_string_equal(notes.why, "");
	assert_int_equal(notes.unknown_count, count);
	assert_string_equal(notes.unknown, expected);
}

static void test_list(void **state)
{
	(void)state;
	check_list(GOOD, 0, "");
	check_list(GOOD "new=\x1b\n", 1, "new");
	check_list("new=1\n" GOOD "\x1b=1\nold=2\n", 3, "new, \\x1b, old");
	check_list(GOOD "new.0=1\nnew.1=1\nnews.0=1\n", 2, "new, news");
	check_list(GOOD "newer=11\n", 1, "newer");
	/* What is known is still checked. */
	memset(&notes, 0, sizeof(notes));
	notes.list_unknown = true;
	assert_int_equal(decode(1, "new=1\npairs=0\n", 14), -EINVAL);
	assert_string_equal(notes.why,
			    "pairs=0: allowed: numbers from 1 to 8");
}

static void test_long_list(void **state)
{
	static char body[8000];
	size_t used = (size_t)sprintf(body, GOOD);
	int i;

	(void)state;
	for (i = 0; i < 500; i++)
		used += (size_t)sprintf(body + used, "key%d=1\n", i);
	memset(&notes, 0, sizeof(notes));
	notes.list_unknown = true;
	assert_int_equal(decode(1, body, used), 0);
	assert_int_equal(notes.unknown_count, 500);
	assert_memory_equal(notes.unknown, "key0, key1, ", 12);
	assert_int_equal(strlen(notes.unknown), sizeof(notes.unknown) - 1);
	assert_string_equal(notes.why, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_missing),
		cmocka_unit_test(test_too_many),
		cmocka_unit_test(test_twice),
		cmocka_unit_test(test_int),
		cmocka_unit_test(test_bool),
		cmocka_unit_test(test_word),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_hex),
		cmocka_unit_test(test_long),
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_long_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
