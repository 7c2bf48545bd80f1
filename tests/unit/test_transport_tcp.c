// SPDX-License-Identifier: GPL-2.0-or-later
/* The single functions of TCP: what they set, refuse, and leave open. */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "unit.h"
#include "open_files.h"

#include "measure/tw_transport.h"

static const struct tw_transport_ops *const tcp = &tw_transport_tcp;
static int listener, files;

static int set_up(void **state)
{
	const union tw_address address = { .in = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	} };

	(void)state;
	files = count_open_files();
	listener = tcp->listen(&address);
	return listener < 0 ? -1 : 0;
}

static int tear_down(void **state)
{
	(void)state;
	close(listener);
	return count_open_files() == files ? 0 : -1;
}

static struct sockaddr_in name_of(int fd)
{
	struct sockaddr_in addr;
	socklen_t len = sizeof(addr);

	memset(&addr, 0, sizeof(addr));
	assert_int_equal(getsockname(fd, (struct sockaddr *)&addr, &len), 0);
	return addr;
}

/* The next connection; it has to come. */
static int accept_next(int client, int *ours)
{
	int fd;

	do {
		fd = tcp->accept(listener, client, ours);
	} while (fd == -EAGAIN);
	assert_true(fd >= 0);
	return fd;
}

/* Main must not wait for a connection: it has a time limit. */
static void test_connect(void **state)
{
	int fd = tcp->connect(listener);

	(void)state;
	assert_true(fd >= 0);
	assert_true(fcntl(fd, F_GETFL) & O_NONBLOCK);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	close(fd);
}

static void test_connect_refused(void **state)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	const int before = count_open_files();

	(void)state;
	assert_int_equal(tcp->connect(-1), -EBADF);
	assert_int_equal(count_open_files(), before);
	/* A listener of another kind has no address to connect to. */
	assert_true(tcp->connect(fd) < 0);
	assert_int_equal(count_open_files(), before);
	close(fd);
}

static void test_accept(void **state)
{
	int client, server, ours = 7;

	(void)state;
	assert_int_equal(tcp->accept(listener, -1, &ours), -EAGAIN);
	client = tcp->connect(listener);
	assert_true(client >= 0);
	server = accept_next(client, &ours);
	assert_true(ours);
	assert_true(fcntl(server, F_GETFD) & FD_CLOEXEC);
	close(client);
	close(server);

	/* Nobody's, if there is no client. */
	client = tcp->connect(listener);
	server = accept_next(-1, &ours);
	assert_false(ours);
	close(client);
	close(server);
	assert_int_equal(tcp->accept(-1, -1, &ours), -EBADF);
}

/* A client at another address of this host, from the same port or another. */
static void check_stranger(in_addr_t address, int same_port)
{
	const struct sockaddr_in to = name_of(listener);
	int client, server, other, ours = 7;
	struct sockaddr_in from;

	client = tcp->connect(listener);
	assert_true(client >= 0);
	from = name_of(client);
	from.sin_addr.s_addr = htonl(address);
	if (!same_port)
		from.sin_port = 0;
	server = accept_next(client, &ours);
	assert_true(ours);
	close(server);
	other = socket(AF_INET, SOCK_STREAM, 0);
	assert_true(other >= 0);
	if (bind(other, (struct sockaddr *)&from, sizeof(from)) ||
	    connect(other, (const struct sockaddr *)&to, sizeof(to))) {
		close(other);
		close(client);
		print_message("# skip: only one address here: %s\n",
			      strerror(errno));
		skip();
	}
	server = accept_next(client, &ours);
	assert_false(ours);
	close(server);
	close(other);
	close(client);
}

static void test_stranger(void **state)
{
	(void)state;
	check_stranger(INADDR_LOOPBACK, 0);
	check_stranger(INADDR_LOOPBACK + 1, 0);
	check_stranger(INADDR_LOOPBACK + 1, 1);
}

static void test_tune(void **state)
{
	socklen_t len = sizeof(int);
	int fds[2], on = 0;

	(void)state;
	assert_int_equal(tcp->tune(listener), 0);
	assert_int_equal(getsockopt(listener, IPPROTO_TCP, TCP_NODELAY, &on,
				    &len), 0);
	assert_true(on);
	assert_int_equal(tcp->tune(-1), -EBADF);
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(tcp->tune(fds[0]), -ENOTSOCK);
	close(fds[0]);
	close(fds[1]);
}

static void test_port(void **state)
{
	(void)state;
	assert_int_equal(tw_transport_port(listener),
			 ntohs(name_of(listener).sin_port));
	assert_int_equal(tw_transport_port(-1), 0);
}

int main(void)
{
#define TEST(test)	cmocka_unit_test_setup_teardown(test, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(test_connect),
		TEST(test_connect_refused),
		TEST(test_accept),
		TEST(test_stranger),
		TEST(test_tune),
		TEST(test_port),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
