// SPDX-License-Identifier: GPL-2.0-or-later
/* The transports beside TCP over IPv4: what each link is, and refuses. */
#include <stdio.h>

#include "link.h"

static void test_table(void **state)
{
	static const char *const names[] = {
		"tcp", "udp", "unix", "seqpacket", "vsock"
	};
	size_t i;

	(void)state;
	for (i = 0; tw_transport_kinds[i]; i++) {
		const struct tw_transport_ops *ops = tw_transport_kinds[i];

		assert_string_equal(ops->name, names[i]);
		assert_non_null(ops->needs);
		/* What has no address of IP has a name in its place. */
		assert_int_equal(!ops->where, ops->internet);
		assert_int_equal(ops->datagrams, !strcmp(ops->name, "udp"));
	}
	assert_int_equal(i, 5);
}

static void test_tcp_ipv6(void **state)
{
	union tw_address address;

	(void)state;
	link_by(&tw_transport_tcp, "::1");
	assert_linked();
	address = name_of_socket(listener);
	assert_int_equal(address.any.sa_family, AF_INET6);
	assert_int_equal(ntohs(address.in6.sin6_port),
			 tw_transport_port(listener));
	assert_true(tw_transport_port(listener) > 0);
	assert_int_equal(strangers, 0);
}

/* The connection to @listener of somebody else, from @port or any. */
static int stranger(in_port_t port)
{
	const union tw_address to = name_of_socket(listener);
	union tw_address from = { .in6 = {
		.sin6_family = AF_INET6, .sin6_port = port,
		.sin6_addr = IN6ADDR_LOOPBACK_INIT,
	} };
	int fd = socket(AF_INET6, SOCK_STREAM, 0);

	assert_int_equal(bind(fd, &from.any, sizeof(from.in6)), 0);
	assert_int_equal(connect(fd, &to.any, sizeof(to.in6)), 0);
	return fd;
}

static void test_tcp_ipv6_stranger(void **state)
{
	int fd;

	(void)state;
	link_by(&tw_transport_tcp, "::1");
	close_link();
	fd = stranger(0);
	assert_int_equal(tw_transport_link(&transport, listener, &link_ends,
					   &strangers), 0);
	assert_int_equal(strangers, 1);
	assert_linked();
	close(fd);
}

static void test_port_of_another_address(void **state)
{
	int port, other;

	(void)state;
	link_by(&tw_transport_tcp, "127.0.0.9");
	port = tw_transport_port(listener);
	assert_int_equal(tw_transport_listen(&transport, (uint16_t)port,
					     &other), -EADDRINUSE);
	assert_int_equal(other, -1);
}

/* Both ends at once: no listener, and so no port. */
static void check_pair(const struct tw_transport_ops *ops, int type)
{
	link_by(ops, "127.0.0.1");
	assert_int_equal(listener, -1);
	assert_int_equal(tw_transport_port(listener), 0);
	assert_int_equal(number_of_socket(link_ends.client_fd, SOL_SOCKET,
					  SO_TYPE), type);
	assert_int_equal(number_of_socket(link_ends.server_fd, SOL_SOCKET,
					  SO_DOMAIN), AF_UNIX);
	assert_linked();
	assert_int_equal(strangers, 0);
}

static void test_unix(void **state)
{
	(void)state;
	check_pair(&tw_transport_unix, SOCK_STREAM);
}

static void test_seqpacket(void **state)
{
	char got[8];

	(void)state;
	check_pair(&tw_transport_seqpacket, SOCK_SEQPACKET);
	/* The limits of messages are kept. */
	assert_int_equal(send(link_ends.client_fd, "ab", 2, 0), 2);
	assert_int_equal(send(link_ends.client_fd, "cd", 2, 0), 2);
	assert_int_equal(recv(link_ends.server_fd, got, sizeof(got),
			      MSG_WAITALL), 2);
}

static void test_no_descriptors(void **state)
{
	int fds[1024], count = 0;

	(void)state;
	transport.ops = &tw_transport_unix;
	while (count < 1024 && (fds[count] = dup(0)) >= 0)
		count++;
	if (count < 1024) {
		close(fds[--count]);
		assert_int_equal(tw_transport_link(&transport, -1, &link_ends,
						   &strangers), -EMFILE);
		assert_int_equal(link_ends.client_fd, -1);
	}
	while (count)
		close(fds[--count]);
}

/* As far as this kernel has its loopback. */
static void test_vsock(void **state)
{
	int err;

	(void)state;
	transport.ops = &tw_transport_vsock;
	err = tw_transport_listen(&transport, 0, &listener);
	if (err) {
		assert_true(err == -EADDRNOTAVAIL || err == -EAFNOSUPPORT ||
			    err == -EPERM || err == -EACCES);
		assert_int_equal(listener, -1);
		print_message("# skip: no vsock loopback here: %s\n",
			      strerror(-err));
		skip();
	}
	assert_int_equal(tw_transport_port(listener), 0);
	assert_int_equal(tw_transport_link(&transport, listener, &link_ends,
					   &strangers), 0);
	assert_linked();
	assert_int_equal(strangers, 0);
}

static int settle_err;

static int settle(const struct tw_link *made, const char **failed)
{
	assert_int_equal(fcntl(made->client_fd, F_GETFL) & O_NONBLOCK, 0);
	assert_true(made->server_fd >= 0);
	*failed = "--option";
	return settle_err;
}

/* What the user wants of the sockets, or no link. */
static void test_settle(void **state)
{
	(void)state;
	transport.ops = &tw_transport_unix;
	transport.settle = settle;
	settle_err = -EPERM;
	assert_int_equal(tw_transport_link(&transport, -1, &link_ends,
					   &strangers), -EPERM);
	assert_string_equal(transport.failed, "--option");
	assert_int_equal(link_ends.client_fd, -1);
	assert_int_equal(count_open_files(), files);
	transport.settle = NULL;
	assert_int_equal(tw_transport_link(&transport, -1, &link_ends,
					   &strangers), 0);
	assert_null(transport.failed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LINKED(test_table),
		LINKED(test_tcp_ipv6),
		LINKED(test_tcp_ipv6_stranger),
		LINKED(test_port_of_another_address),
		LINKED(test_unix),
		LINKED(test_seqpacket),
		LINKED(test_no_descriptors),
		LINKED(test_vsock),
		LINKED(test_settle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
