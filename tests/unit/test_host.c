// SPDX-License-Identifier: GPL-2.0-or-later
/* Names and addresses of hosts, as users write them. */
#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "host/tw_host.h"
#include "host/tw_meet.h"
#include "unit.h"

#define ANY	4711	/* the port before */

/* No name is so long: nobody has to be asked for it. */
#define NONE	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

static const struct {
	const char *text, *host;
	uint16_t port;
} good[] = {
	{ "h", "h", ANY }, { "far.example", "far.example", ANY },
	{ "192.0.2.7", "192.0.2.7", ANY }, { "h:1", "h", 1 },
	{ "192.0.2.7:65535", "192.0.2.7", 65535 }, { "h:020110", "h", 20110 },
	{ "::1", "::1", ANY }, { "::", "::", ANY },
	{ "2001:db8::5", "2001:db8::5", ANY }, { "fe80::1%eth0", "fe80::1%eth0", ANY },
	{ "[::1]", "::1", ANY }, { "[::1]:5", "::1", 5 },
	{ "[fe80::1%eth0]:5", "fe80::1%eth0", 5 }, { "[h]:5", "h", 5 },
	{ "user@h", "user@h", ANY }, { "user@h:5", "user@h", 5 },
};

static const char *const bad[] = {
	"", ":", ":5", "h:", "h:0", "h:65536", "h:x", "h:5x", "h: 5", "h:-5",
	"h:+5", "h:99999999999999999999", "[]", "[]:5", "[::1]5", "[::1]x:5",
	"[::1]:", "[::1]:0", "[::1]:65536", "[::1]:5:6",
};

static void test_split(void **state)
{
	char host[TW_HOST_NAME];
	uint16_t port;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		port = ANY;
		if (tw_host_split(good[i].text, host, &port))
			fail_msg("\"%s\" was refused", good[i].text);
		assert_string_equal(host, good[i].host);
		assert_int_equal(port, good[i].port);
	}
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		port = ANY;
		if (tw_host_split(bad[i], host, &port) != -EINVAL)
			fail_msg("\"%s\" was taken", bad[i]);
	}
}

static void test_long(void **state)
{
	char text[TW_HOST_NAME + 8], host[TW_HOST_NAME];
	uint16_t port = ANY;

	(void)state;
	memset(text, 'a', sizeof(text));
	strcpy(text + TW_HOST_NAME - 1, ":7");
	assert_int_equal(tw_host_split(text, host, &port), 0);
	assert_int_equal(strlen(host), TW_HOST_NAME - 1);
	memset(text, 'a', sizeof(text));
	strcpy(text + TW_HOST_NAME, ":7");
	assert_int_equal(tw_host_split(text, host, &port), -EINVAL);
	text[TW_HOST_NAME] = '\0';
	assert_int_equal(tw_host_split(text, host, &port), -EINVAL);
}

static void test_find(void **state)
{
	union tw_address address;

	(void)state;
	memset(&address, 0x5a, sizeof(address));
	assert_null(tw_host_find("127.0.0.9", 77, &address));
	assert_int_equal(address.any.sa_family, AF_INET);
	assert_int_equal(ntohl(address.in.sin_addr.s_addr), 0x7f000009);
	assert_int_equal(tw_meet_port(&address), 77);
	assert_null(tw_host_find("::1", 78, &address));
	assert_int_equal(address.any.sa_family, AF_INET6);
	assert_int_equal(tw_meet_port(&address), 78);
	assert_non_null(tw_host_find(NONE, 7, &address));
	assert_non_null(tw_host_find("", 7, &address));
}

static void test_dial(void **state)
{
	union tw_address at = { .in = { .sin_family = AF_INET } }, got;
	const char *why = "x";
	uint16_t port;
	int listener, fd;

	(void)state;
	at.in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	listener = tw_transport_tcp.listen(&at);
	assert_true(listener >= 0);
	port = tw_transport_port(listener);
	fd = tw_host_dial("127.0.0.1", port, 5000, &got, &why);
	assert_true(fd >= 0);
	assert_null(why);
	assert_int_equal(tw_meet_port(&got), port);
	close(fd);
	close(listener);
	/* Nobody is there any more. */
	assert_int_equal(tw_host_dial("127.0.0.1", port, 5000, &got, &why),
			 -ECONNREFUSED);
	assert_string_equal(why, strerror(ECONNREFUSED));
	assert_int_equal(tw_host_dial(NONE, port, 5000,
				      &got, &why), -EADDRNOTAVAIL);
	assert_non_null(why);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_split),
		cmocka_unit_test(test_long),
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_dial),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
