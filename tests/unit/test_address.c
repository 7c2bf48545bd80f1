// SPDX-License-Identifier: GPL-2.0-or-later
/* Loopback addresses: read, refused, and written again. */
#include <errno.h>
#include <string.h>

#include "measure/tw_address.h"
#include "unit.h"

static void check_good(const char *text, int family, const char *written)
{
	char buf[TW_ADDRESS_TEXT];
	union tw_address address;

	memset(&address, 0x5a, sizeof(address));
	assert_int_equal(tw_address_parse(text, &address), 0);
	assert_int_equal(address.any.sa_family, family);
	assert_int_equal(address.in.sin_port, 0);
	assert_ptr_equal(tw_address_format(&address, buf), buf);
	assert_string_equal(buf, written);
}

static void test_good(void **state)
{
	(void)state;
	check_good("127.0.0.1", AF_INET, "127.0.0.1");
	check_good("127.0.0.0", AF_INET, "127.0.0.0");
	check_good("127.255.255.255", AF_INET, "127.255.255.255");
	check_good("::1", AF_INET6, "::1");
	check_good("[::1]", AF_INET6, "::1");
	check_good("0:0:0:0:0:0:0:1", AF_INET6, "::1");
	check_good("[0000:0000:0000:0000:0000:0000:0000:0001]", AF_INET6,
		   "::1");
}

static void check_bad(const char *text, int err)
{
	union tw_address address;

	if (tw_address_parse(text, &address) != err)
		fail_msg("%s: not %d", text, err);
}

static void test_not_loopback(void **state)
{
	(void)state;
	check_bad("126.255.255.255", -EADDRNOTAVAIL);
	check_bad("128.0.0.0", -EADDRNOTAVAIL);
	check_bad("0.0.0.0", -EADDRNOTAVAIL);
	check_bad("1.0.0.127", -EADDRNOTAVAIL);
	check_bad("::", -EADDRNOTAVAIL);
	check_bad("[::2]", -EADDRNOTAVAIL);
	/* Of IPv4, and yet an address of IPv6: sockets treat it as neither. */
	check_bad("::ffff:127.0.0.1", -EADDRNOTAVAIL);
}

static void test_no_address(void **state)
{
	char longest[200];

	(void)state;
	memset(longest, ':', sizeof(longest));
	longest[0] = '[';
	longest[198] = ']';
	longest[199] = '\0';
	check_bad(longest, -EINVAL);
	check_bad("", -EINVAL);
	check_bad("[", -EINVAL);
	check_bad("[]", -EINVAL);
	check_bad("]", -EINVAL);
	check_bad("[::1", -EINVAL);
	check_bad("::1]", -EINVAL);
	check_bad("[[::1]]", -EINVAL);
	check_bad("[127.0.0.1]", -EINVAL);
	check_bad("127.1", -EINVAL);
	check_bad("localhost", -EINVAL);
	check_bad("127.0.0.1:80", -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_not_loopback),
		cmocka_unit_test(test_no_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
