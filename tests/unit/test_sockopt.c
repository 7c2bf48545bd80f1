// SPDX-License-Identifier: GPL-2.0-or-later
/* Options of sockets: set at both ends, in their order, and read back. */
#include <net/if.h>
#include <netinet/ip.h>
#include <netinet/tcp.h>

#include "lacks.h"
#include "link.h"
#include "measure/tw_sockopt.h"

#define NOT_SET	{ [0 ... TW_SOCKOPTS - 1] = TW_SOCKOPT_NONE }

/* Sets one, and expects that the kernel says @says of it. */
static void check(enum tw_sockopt_id id, int64_t value, int64_t says)
{
	int64_t wanted[TW_SOCKOPTS] = NOT_SET, got[TW_SOCKOPTS];
	enum tw_sockopt_id failed;

	wanted[id] = value;
	assert_int_equal(tw_sockopt_set(&link_ends, wanted, &failed), 0);
	tw_sockopt_get(transport.ops, link_ends.client_fd, got);
	assert_int_equal(got[id], says);
	tw_sockopt_get(transport.ops, link_ends.server_fd, got);
	assert_int_equal(got[id], tw_sockopts[id].client_only ? 0 : says);
}

static void check_ip(const struct tw_transport_ops *ops, const char *address,
		     int level, int name)
{
	link_by(ops, address);
	check(TW_SOCKOPT_DSCP, 46, 46);
	assert_int_equal(number_of_socket(link_ends.client_fd, level, name),
			 46 << 2);
	check(TW_SOCKOPT_PRIORITY, 5, 5);
	assert_int_equal(number_of_socket(link_ends.server_fd, SOL_SOCKET,
					  SO_PRIORITY), 5);
	check(TW_SOCKOPT_DSCP, 0, 0);
	/* Of an emulator of one process, it cannot be read back. */
	if (!lacks_interface())
		check(TW_SOCKOPT_INTERFACE, if_nametoindex("lo"),
		      if_nametoindex("lo"));
}

static void test_tcp(void **state)
{
	(void)state;
	check_ip(&tw_transport_tcp, "127.0.0.1", IPPROTO_IP, IP_TOS);
	check(TW_SOCKOPT_QUICKACK, 0, 0);
	check(TW_SOCKOPT_QUICKACK, 1, 1);
}

static void test_tcp_ipv6(void **state)
{
	(void)state;
	check_ip(&tw_transport_tcp, "::1", IPPROTO_IPV6, IPV6_TCLASS);
}

static void test_udp(void **state)
{
	(void)state;
	check_ip(&tw_transport_udp, "127.0.0.1", IPPROTO_IP, IP_TOS);
	/* Whole jiffies, of any kernel. */
	check(TW_SOCKOPT_TIMEOUT, 3000000, 3000000);
	check(TW_SOCKOPT_TIMEOUT, 1200000, 1200000);
}

static void test_timeout_is_rounded_up(void **state)
{
	int64_t wanted[TW_SOCKOPTS] = NOT_SET, got[TW_SOCKOPTS];
	enum tw_sockopt_id failed;

	(void)state;
	link_by(&tw_transport_udp, "127.0.0.1");
	wanted[TW_SOCKOPT_TIMEOUT] = 1;
	assert_int_equal(tw_sockopt_set(&link_ends, wanted, &failed), 0);
	tw_sockopt_get(transport.ops, link_ends.client_fd, got);
	assert_in_range(got[TW_SOCKOPT_TIMEOUT], 1, 10000);
}

static void test_busy_poll(void **state)
{
	int64_t wanted[TW_SOCKOPTS] = NOT_SET;
	enum tw_sockopt_id failed = TW_SOCKOPTS;
	int err;

	(void)state;
	if (lacks_busy_poll()) {
		print_message("# skip: SO_BUSY_POLL is not known here: an emulator\n");
		skip();
	}
	link_by(&tw_transport_tcp, "127.0.0.1");
	check(TW_SOCKOPT_BUSY_POLL, 0, 0);
	wanted[TW_SOCKOPT_BUSY_POLL] = 70;
	err = tw_sockopt_set(&link_ends, wanted, &failed);
	if (err) {
		assert_int_equal(err, -EPERM);
		assert_int_equal(failed, TW_SOCKOPT_BUSY_POLL);
	} else {
		check(TW_SOCKOPT_BUSY_POLL, 70, 70);
	}
}

/* IP_TOS sets a priority of its own: the user's comes after it. */
static void test_order(void **state)
{
	int64_t wanted[TW_SOCKOPTS] = NOT_SET, got[TW_SOCKOPTS];
	enum tw_sockopt_id failed;

	(void)state;
	link_by(&tw_transport_udp, "127.0.0.1");
	wanted[TW_SOCKOPT_PRIORITY] = 3;
	wanted[TW_SOCKOPT_DSCP] = 46;
	assert_int_equal(tw_sockopt_set(&link_ends, wanted, &failed), 0);
	tw_sockopt_get(transport.ops, link_ends.client_fd, got);
	assert_int_equal(got[TW_SOCKOPT_PRIORITY], 3);
	assert_int_equal(got[TW_SOCKOPT_DSCP], 46);
	tw_sockopt_get(transport.ops, link_ends.server_fd, got);
	assert_int_equal(got[TW_SOCKOPT_PRIORITY], 3);
}

static void check_fits(const struct tw_transport_ops *ops, const char *fits)
{
	int64_t got[TW_SOCKOPTS];
	int id;

	for (id = 0; id < TW_SOCKOPTS; id++)
		assert_int_equal(tw_sockopts[id].fits(ops), fits[id] == 'x');
	/* Of what it does not take, nothing is said. */
	tw_sockopt_get(ops, link_ends.client_fd, got);
	for (id = 0; id < TW_SOCKOPTS; id++)
		assert_int_equal(got[id] == TW_SOCKOPT_NONE, fits[id] != 'x');
}

static void test_fits(void **state)
{
	(void)state;
	link_by(&tw_transport_tcp, "127.0.0.1");
	check_fits(&tw_transport_tcp, "xxxxx-");
	close_link();
	close(listener);
	link_by(&tw_transport_udp, "127.0.0.1");
	check_fits(&tw_transport_udp, "xxxx-x");
	close_link();
	close(listener);
	link_by(&tw_transport_unix, "127.0.0.1");
	check_fits(&tw_transport_unix, "------");
	check_fits(&tw_transport_seqpacket, "------");
	check_fits(&tw_transport_vsock, "------");
}

/* Each by its name, of either end. */
static void test_failure(void **state)
{
	int64_t wanted[TW_SOCKOPTS] = NOT_SET;
	struct tw_link half;
	enum tw_sockopt_id failed = TW_SOCKOPTS;

	(void)state;
	link_by(&tw_transport_tcp, "127.0.0.1");
	wanted[TW_SOCKOPT_PRIORITY] = 1;
	wanted[TW_SOCKOPT_INTERFACE] = 0x7fffffff;
	assert_int_equal(tw_sockopt_set(&link_ends, wanted, &failed), -ENXIO);
	assert_int_equal(failed, TW_SOCKOPT_INTERFACE);
	half = (struct tw_link) { link_ends.client_fd, 1 << 20 };
	assert_int_equal(tw_sockopt_set(&half, wanted, &failed), -EBADF);
	assert_int_equal(failed, TW_SOCKOPT_PRIORITY);
}

/* The other end is on another host, which sets it. */
static void test_half(void **state)
{
	int64_t wanted[TW_SOCKOPTS] = NOT_SET, got[TW_SOCKOPTS];
	struct tw_link half;
	enum tw_sockopt_id failed = TW_SOCKOPTS;

	(void)state;
	link_by(&tw_transport_tcp, "127.0.0.1");
	wanted[TW_SOCKOPT_PRIORITY] = 2;
	half = (struct tw_link) { -1, link_ends.server_fd };
	assert_int_equal(tw_sockopt_set(&half, wanted, &failed), 0);
	tw_sockopt_get(&tw_transport_tcp, link_ends.server_fd, got);
	assert_int_equal(got[TW_SOCKOPT_PRIORITY], 2);
	tw_sockopt_get(&tw_transport_tcp, link_ends.client_fd, got);
	assert_int_equal(got[TW_SOCKOPT_PRIORITY], 0);
	wanted[TW_SOCKOPT_PRIORITY] = 3;
	half = (struct tw_link) { link_ends.client_fd, -1 };
	assert_int_equal(tw_sockopt_set(&half, wanted, &failed), 0);
	tw_sockopt_get(&tw_transport_tcp, link_ends.client_fd, got);
	assert_int_equal(got[TW_SOCKOPT_PRIORITY], 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LINKED(test_tcp),
		LINKED(test_tcp_ipv6),
		LINKED(test_udp),
		LINKED(test_timeout_is_rounded_up),
		LINKED(test_busy_poll),
		LINKED(test_order),
		LINKED(test_fits),
		LINKED(test_failure),
		LINKED(test_half),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
