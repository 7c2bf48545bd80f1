// SPDX-License-Identifier: GPL-2.0-or-later
/* UDP: two connected sockets, and what strangers send to their port. */
#include <sys/syscall.h>

#include "link.h"

static const struct tw_transport_ops *const udp = &tw_transport_udp;
static int outsider = -1;	/* sends while the link is made, if there */

static void send_to(const union tw_address *to)
{
	assert_int_equal(sendto(outsider, "me", 2, 0, &to->any,
				tw_address_size(to)), 2);
}

/* In place of the C library's: the last moment before a socket is safe. */
int connect(int fd, const struct sockaddr *address, socklen_t len)
{
	union tw_address own;

	if (outsider >= 0) {
		own = name_of_socket(fd);
		send_to(&own);
	}
	return (int)syscall(SYS_connect, fd, address, len);
}

static void open_outsider(int family)
{
	outsider = socket(family, SOCK_DGRAM, 0);
	assert_true(outsider >= 0);
}

static void close_outsider(void)
{
	close(outsider);
	outsider = -1;
}

static void check_link(const char *address)
{
	union tw_address at;

	link_by(udp, address);
	at = name_of_socket(link_ends.server_fd);
	assert_int_equal(number_of_socket(link_ends.client_fd, SOL_SOCKET,
					  SO_TYPE), SOCK_DGRAM);
	assert_true(tw_transport_port(listener) > 0);
	assert_int_equal(ntohs(at.in.sin_port), tw_transport_port(listener));
	assert_linked();
	assert_int_equal(strangers, 0);
}

static void test_link(void **state)
{
	(void)state;
	check_link("127.0.0.1");
	/* The next step's, at the same port. */
	close_link();
	assert_int_equal(tw_transport_link(&transport, listener, &link_ends,
					   &strangers), 0);
	assert_linked();
}

/* Several pairs share the port: each end hears of its own peer alone. */
static void test_several_links(void **state)
{
	struct tw_link others[3];
	char got[4];
	int i;

	(void)state;
	check_link("127.0.0.1");
	for (i = 0; i < 3; i++)
		assert_int_equal(tw_transport_link(&transport, listener,
						   &others[i], &strangers), 0);
	for (i = 0; i < 3; i++) {
		assert_message(others[i].client_fd, others[i].server_fd, "ab");
		assert_message(others[i].server_fd, others[i].client_fd, "cd");
	}
	assert_linked();
	for (i = 0; i < 3; i++) {
		assert_int_equal(recv(others[i].server_fd, got, sizeof(got),
				      MSG_DONTWAIT), -1);
		close(others[i].client_fd);
		close(others[i].server_fd);
	}
	assert_linked();
	assert_int_equal(tw_transport_turn_away(udp, listener), 0);
	assert_int_equal(strangers, 0);
}

static void test_ipv6(void **state)
{
	(void)state;
	check_link("::1");
}

static void test_port_in_use(void **state)
{
	struct tw_transport again;
	int other;

	(void)state;
	link_by(udp, "127.0.0.1");
	again = transport;
	assert_int_equal(tw_transport_listen(&again,
					     tw_transport_port(listener),
					     &other), -EADDRINUSE);
	assert_int_equal(other, -1);
}

/* After the link is made, the listener gets them. */
static void test_strangers(void **state)
{
	union tw_address server, client;
	char got[4];
	int i;

	(void)state;
	link_by(udp, "127.0.0.1");
	server = name_of_socket(link_ends.server_fd);
	client = name_of_socket(link_ends.client_fd);
	open_outsider(AF_INET);
	for (i = 0; i < 5; i++)
		send_to(&server);
	send_to(&client);	/* nobody gets it */
	close_outsider();
	assert_int_equal(tw_transport_turn_away(udp, listener), 5);
	assert_int_equal(tw_transport_turn_away(udp, listener), 0);
	assert_int_equal(recv(link_ends.client_fd, got, 4, MSG_DONTWAIT), -1);
	assert_int_equal(recv(link_ends.server_fd, got, 4, MSG_DONTWAIT), -1);
	assert_linked();
}

/* While it is made, both ends get them; they are counted, and gone. */
static void test_strangers_at_the_link(void **state)
{
	(void)state;
	open_outsider(AF_INET);
	link_by(udp, "127.0.0.1");
	close_outsider();
	strangers += tw_transport_turn_away(udp, listener);
	assert_int_equal(strangers, 2);
	assert_linked();
}

static void test_nobody_listens(void **state)
{
	(void)state;
	transport.ops = udp;
	assert_int_equal(tw_transport_link(&transport, -1, &link_ends,
					   &strangers), -EBADF);
	assert_int_equal(count_open_files(), files);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LINKED(test_link),
		LINKED(test_several_links),
		LINKED(test_ipv6),
		LINKED(test_port_in_use),
		LINKED(test_strangers),
		LINKED(test_strangers_at_the_link),
		LINKED(test_nobody_listens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
