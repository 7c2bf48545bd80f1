// SPDX-License-Identifier: GPL-2.0-or-later
/* Lists of who may connect: read, refused, and matched. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "host/tw_allow.h"
#include "unit.h"

static struct tw_allow allow;
static char why[160];

static void set_address(union tw_address *address, const char *text)
{
	memset(address, 0, sizeof(*address));
	if (inet_pton(AF_INET6, text, &address->in6.sin6_addr) == 1)
		address->any.sa_family = AF_INET6;
	else if (inet_pton(AF_INET, text, &address->in.sin_addr) == 1)
		address->any.sa_family = AF_INET;
	else
		fail_msg("%s is no address", text);
}

static void check_match(const char *list, const char *text, bool expected)
{
	union tw_address address;

	set_address(&address, text);
	address.in.sin_port = htons(40000);
	if (tw_allow_parse(list, &allow, why, sizeof(why)))
		fail_msg("%s: %s", list, why);
	if (tw_allow_match(&allow, &address) != expected)
		fail_msg("%s in %s: not %d", text, list, expected);
}

static void test_ipv4(void **state)
{
	(void)state;
	check_match("192.0.2.1", "192.0.2.1", true);
	check_match("192.0.2.1", "192.0.2.0", false);
	check_match("192.0.2.1/32", "192.0.2.1", true);
	check_match("192.0.2.0/24", "192.0.2.0", true);
	check_match("192.0.2.0/24", "192.0.2.255", true);
	check_match("192.0.2.0/24", "192.0.3.0", false);
	check_match("192.0.2.0/24", "192.0.1.255", false);
	check_match("192.0.2.0/23", "192.0.3.255", true);
	check_match("10.0.0.0/9", "10.127.255.255", true);
	check_match("10.0.0.0/9", "10.128.0.0", false);
	check_match("192.0.2.128/25", "192.0.2.127", false);
	check_match("192.0.2.128/25", "192.0.2.128", true);
	check_match("192.0.2.4/31", "192.0.2.5", true);
	check_match("192.0.2.4/31", "192.0.2.6", false);
	check_match("0.0.0.0/0", "255.255.255.255", true);
	check_match("128.0.0.0/1", "127.255.255.255", false);
}

static void test_ipv6(void **state)
{
	(void)state;
	check_match("2001:db8::1", "2001:db8::1", true);
	check_match("2001:db8::1", "2001:db8::2", false);
	check_match("2001:db8::/32", "2001:db8:ffff::1", true);
	check_match("2001:db8::/32", "2001:db9::", false);
	check_match("2001:DB8::/127", "2001:db8::1", true);
	check_match("2001:db8::/127", "2001:db8::2", false);
	check_match("fe80::/10", "febf::1", true);
	check_match("fe80::/10", "fec0::1", false);
	check_match("::/0", "::1", true);
	check_match("::1/128", "::1", true);
}

/* The same bytes in another family are somebody else. */
static void test_families(void **state)
{
	(void)state;
	check_match("::/0", "127.0.0.1", false);
	check_match("0.0.0.0/0", "::1", false);
	check_match("32.1.13.184", "2001:db8::", false);
	check_match("2001:db8::/32", "32.1.13.184", false);
	/* As a listener on "::" sees addresses of IPv4. */
	check_match("192.0.2.0/24", "::ffff:192.0.2.7", true);
	check_match("192.0.2.0/24", "::ffff:192.0.3.7", false);
	check_match("192.0.2.0/24", "::192.0.2.7", false);
	check_match("192.0.2.0/24", "::fffe:192.0.2.7", false);
	check_match("0.0.0.0/0", "::ffff:192.0.2.7", true);
	check_match("::/0", "::ffff:192.0.2.7", false);
	/* An entry of that form. */
	check_match("::ffff:192.0.2.0/120", "192.0.2.7", true);
	check_match("::ffff:192.0.2.0/120", "::ffff:192.0.2.7", true);
	check_match("::ffff:192.0.2.0/120", "192.0.3.7", false);
	check_match("::ffff:0:0/96", "1.2.3.4", true);
	check_match("::ffff:192.0.2.1", "192.0.2.1", true);
	check_match("::fffe:0:0/95", "192.0.2.1", false);
}

static void test_other_family(void **state)
{
	union tw_address address = { .any.sa_family = AF_UNIX };

	(void)state;
	assert_int_equal(tw_allow_parse("0.0.0.0/0,::/0", &allow, why,
					sizeof(why)), 0);
	assert_false(tw_allow_match(&allow, &address));
	allow.count = 0;
	set_address(&address, "127.0.0.1");
	assert_false(tw_allow_match(&allow, &address));
}

static void test_list(void **state)
{
	static const char list[] = "192.0.2.1,2001:db8::/64,10.0.0.0/8";
	char many[TW_ALLOW_MAX * 16 + 32];
	size_t used = 0;
	int i;

	(void)state;
	check_match(list, "192.0.2.1", true);
	check_match(list, "2001:db8::5", true);
	check_match(list, "10.9.8.7", true);
	check_match(list, "192.0.2.2", false);
	assert_int_equal(allow.count, 3);
	for (i = 0; i < TW_ALLOW_MAX; i++)
		used += (size_t)sprintf(many + used, "%s192.0.2.%d",
					i ? "," : "", i);
	check_match(many, "192.0.2.31", true);
	assert_int_equal(allow.count, TW_ALLOW_MAX);
	strcpy(many + used, ",192.0.2.99");
	assert_int_equal(tw_allow_parse(many, &allow, why, sizeof(why)),
			 -EINVAL);
	assert_string_equal(why, "there are more than 32 entries");
}

static void check_bad(const char *list, const char *expected)
{
	memset(why, '!', sizeof(why));
	assert_int_equal(tw_allow_parse(list, &allow, why, sizeof(why)),
			 -EINVAL);
	assert_string_equal(why, expected);
}

static void check_no_address(const char *list, const char *entry)
{
	char expected[160];

	snprintf(expected, sizeof(expected),
		 "\"%s\" is no address of IPv4 or IPv6 in digits", entry);
	check_bad(list, expected);
}

static void test_no_address(void **state)
{
	(void)state;
	check_bad("", "an entry is empty");
	check_bad(",", "an entry is empty");
	check_bad("10.0.0.0/8,", "an entry is empty");
	check_bad("10.0.0.0/8,,::1", "an entry is empty");
	check_no_address("localhost", "localhost");
	check_no_address("::1, ::2", " ::2");
	check_no_address("10.1", "10.1");
	check_no_address("10.0.0.256", "10.0.0.256");
	check_no_address("10.0.0.0.0", "10.0.0.0.0");
	check_no_address("010.0.0.1", "010.0.0.1");
	check_no_address("1::2::3", "1::2::3");
	check_no_address("[::1]", "[::1]");
	check_no_address("fe80::1%eth0", "fe80::1%eth0");
	check_no_address("/8", "");
	check_no_address("\x1b[1m,10.0.0.1", "\\x1b[1m");
	check_no_address("1111:2222:3333:4444:5555:6666:7777:8888:9999:aaaa",
			 "1111:2222:3333:4444:5555:6666:7777:8888:9999:aaaa");
}

static void check_bits(const char *list, unsigned int most)
{
	char expected[160];

	snprintf(expected, sizeof(expected),
		 "\"%s\": the number of bits has to be 0 to %u", list, most);
	check_bad(list, expected);
}

static void test_bits(void **state)
{
	(void)state;
	check_bits("10.0.0.0/33", 32);
	check_bits("10.0.0.0/", 32);
	check_bits("10.0.0.0/08", 32);
	check_bits("10.0.0.0/a", 32);
	check_bits("10.0.0.0/8/8", 32);
	check_bits("10.0.0.0/255.0.0.0", 32);
	check_bits("10.0.0.0/4294967304", 32);
	check_bits("10.0.0.0/00", 32);
	check_bits("::/129", 128);
	check_bits("::/1000", 128);
}

/* The message names the network that may be meant. */
static void test_host_bits(void **state)
{
	(void)state;
	check_bad("::1,192.0.2.1/24",
		  "\"192.0.2.1/24\" has bits behind the network's: write 192.0.2.0/24 or 192.0.2.1");
	check_bad("192.0.2.255/31",
		  "\"192.0.2.255/31\" has bits behind the network's: write 192.0.2.254/31 or 192.0.2.255");
	check_bad("1.2.3.4/0",
		  "\"1.2.3.4/0\" has bits behind the network's: write 0.0.0.0/0 or 1.2.3.4");
	check_bad("2001:db8::1/64",
		  "\"2001:db8::1/64\" has bits behind the network's: write 2001:db8::/64 or 2001:db8::1");
	check_bad("::ffff:192.0.2.1/120",
		  "\"::ffff:192.0.2.1/120\" has bits behind the network's: write ::ffff:192.0.2.0/120 or ::ffff:192.0.2.1");
}

/* The longest forms, and no byte behind @why. */
static void test_long(void **state)
{
	static const char longest[] =
		"1111:2222:3333:4444:5555:6666:255.255.255.255/100";
	char small[12];

	(void)state;
	assert_int_equal(tw_allow_parse(longest, &allow, why, sizeof(why)),
			 -EINVAL);
	assert_non_null(strstr(why, "1111:2222:3333:4444:5555:6666:f000:0/100"));
	check_match("1111:2222:3333:4444:5555:6666:255.255.255.255/128",
		    "1111:2222:3333:4444:5555:6666:ffff:ffff", true);
	memset(small, '!', sizeof(small));
	assert_int_equal(tw_allow_parse("nobody", &allow, small, 10),
			 -EINVAL);
	assert_string_equal(small, "\"nobody\" ");
	assert_int_equal(small[10], '!');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ipv4),
		cmocka_unit_test(test_ipv6),
		cmocka_unit_test(test_families),
		cmocka_unit_test(test_other_family),
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_no_address),
		cmocka_unit_test(test_bits),
		cmocka_unit_test(test_host_bits),
		cmocka_unit_test(test_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
