// SPDX-License-Identifier: GPL-2.0-or-later
/* The connection: ours among strangers, over loopback and over a fake. */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure/tw_transport.h"
#include "unit.h"

static const struct tw_transport_ops *const tcp = &tw_transport_tcp;

static struct sockaddr_in name_of(int fd)
{
	struct sockaddr_in addr;
	socklen_t len = sizeof(addr);

	memset(&addr, 0, sizeof(addr));
	assert_int_equal(getsockname(fd, (struct sockaddr *)&addr, &len), 0);
	return addr;
}

static int listen_at(uint16_t port)
{
	const union tw_address address = { .in = {
		.sin_family = AF_INET, .sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	} };

	return tcp->listen(&address);
}

static int link_by(const struct tw_transport_ops *ops, int listener,
		   struct tw_link *link, uint64_t *strangers)
{
	struct tw_transport transport = { .ops = ops };

	return tw_transport_link(&transport, listener, link, strangers);
}

static int listen_anywhere(void)
{
	int listener = listen_at(0);

	assert_true(listener >= 0);
	return listener;
}

/* A connection to @listener from somebody else. */
static int stranger(int listener)
{
	const struct sockaddr_in addr = name_of(listener);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_true(fd >= 0);
	assert_int_equal(connect(fd, (const struct sockaddr *)&addr,
				 sizeof(addr)), 0);
	return fd;
}

/* Until so many connections wait to be accepted. */
static void await_queue(int listener, unsigned int length)
{
	struct tcp_info info;
	socklen_t len;

	do {
		len = sizeof(info);
		assert_int_equal(getsockopt(listener, IPPROTO_TCP, TCP_INFO,
					    &info, &len), 0);
		if (len <= offsetof(struct tcp_info, tcpi_unacked)) {
			printf("skipped: TCP_INFO has only %u bytes here: an emulator's\n",
			       (unsigned int)len);
			skip();
		}
		assert_int_equal(info.tcpi_state, TCP_LISTEN);
	} while (info.tcpi_unacked < length);
}

static void assert_turned_away(int fd)
{
	char byte;

	assert_int_equal(read(fd, &byte, 1), 0);
	close(fd);
}

static int lowest_free_fd(void)
{
	int fd = dup(0);

	close(fd);
	return fd;
}

static void test_listen(void **state)
{
	int listener = listen_anywhere();
	const struct sockaddr_in addr = name_of(listener);

	(void)state;
	assert_string_equal(tcp->name, "tcp");
	assert_int_equal(addr.sin_addr.s_addr, htonl(INADDR_LOOPBACK));
	assert_int_equal(tw_transport_port(listener), ntohs(addr.sin_port));
	assert_true(tw_transport_port(listener) > 0);
	assert_true(fcntl(listener, F_GETFD) & FD_CLOEXEC);
	assert_true(fcntl(listener, F_GETFL) & O_NONBLOCK);
	close(listener);
}

static void test_port_in_use(void **state)
{
	int listener = listen_anywhere();
	uint16_t port = tw_transport_port(listener);
	int before = lowest_free_fd();

	(void)state;
	assert_int_equal(listen_at(port), -EADDRINUSE);
	assert_int_equal(lowest_free_fd(), before);
	close(listener);
	listener = listen_at(port);
	assert_true(listener >= 0);
	assert_int_equal(tw_transport_port(listener), port);
	close(listener);
}

static int first_unprivileged_port(void)
{
	FILE *file = fopen("/proc/sys/net/ipv4/ip_unprivileged_port_start",
			   "r");
	int port = 1024;

	if (!file)
		return port;
	if (fscanf(file, "%d", &port) != 1)
		port = 1024;
	fclose(file);
	return port;
}

static void test_privileged_port(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	if (first_unprivileged_port() <= 1) {
		print_message("skipped: every port is free to all here\n");
		skip();
	}
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		if (!geteuid() && setuid(65534))
			_exit(99);
		_exit(-listen_at(1));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, EACCES << 8);
}

static void assert_tuned(int fd)
{
	socklen_t len = sizeof(int);
	int on = 0;

	assert_int_equal(getsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, &len),
			 0);
	assert_true(on);
	assert_false(fcntl(fd, F_GETFL) & O_NONBLOCK);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
}

static void assert_connected(int from, int to)
{
	char got[4] = "";

	assert_int_equal(send(from, "abc", 3, 0), 3);
	assert_int_equal(recv(to, got, 3, MSG_WAITALL), 3);
	assert_string_equal(got, "abc");
}

static void check_link(int listener, uint64_t strangers_before)
{
	struct tw_link link = { -1, -1 };
	uint64_t strangers = 7;

	assert_int_equal(link_by(tcp, listener, &link, &strangers), 0);
	assert_int_equal(strangers, 7 + strangers_before);
	assert_tuned(link.client_fd);
	assert_tuned(link.server_fd);
	assert_connected(link.client_fd, link.server_fd);
	assert_connected(link.server_fd, link.client_fd);
	close(link.client_fd);
	close(link.server_fd);
}

static void test_link(void **state)
{
	int listener = listen_anywhere();

	(void)state;
	check_link(listener, 0);
	check_link(listener, 0);
	close(listener);
}

#define STRANGERS	20

/* They came first, and are served nothing. */
static void test_link_among_strangers(void **state)
{
	int listener = listen_anywhere();
	int fds[STRANGERS], i;

	(void)state;
	for (i = 0; i < STRANGERS; i++)
		fds[i] = stranger(listener);
	await_queue(listener, STRANGERS);
	check_link(listener, STRANGERS);
	for (i = 0; i < STRANGERS; i++)
		assert_turned_away(fds[i]);
	close(listener);
}

/* A port number that has just been used is free for the next run. */
static void test_port_after_a_run(void **state)
{
	int listener = listen_anywhere();
	uint16_t port = tw_transport_port(listener);
	uint64_t strangers = 0;
	struct tw_link link;

	(void)state;
	assert_int_equal(link_by(tcp, listener, &link, &strangers), 0);
	/* The end that closes first is left in TIME_WAIT. */
	close(link.server_fd);
	close(link.client_fd);
	close(listener);
	listener = listen_at(port);
	assert_true(listener >= 0);
	close(listener);
}

static void test_turn_away(void **state)
{
	int listener = listen_anywhere();
	int fds[STRANGERS], i;

	(void)state;
	assert_int_equal(tw_transport_turn_away(tcp, listener), 0);
	for (i = 0; i < STRANGERS; i++)
		fds[i] = stranger(listener);
	await_queue(listener, STRANGERS);
	assert_int_equal(tw_transport_turn_away(tcp, listener), STRANGERS);
	assert_int_equal(tw_transport_turn_away(tcp, listener), 0);
	for (i = 0; i < STRANGERS; i++)
		assert_turned_away(fds[i]);
	close(listener);
}

static void test_nobody_listens(void **state)
{
	struct tw_link link = { -1, -1 };
	uint64_t strangers = 0;
	int before, fd;

	(void)state;
	before = lowest_free_fd();
	assert_int_equal(link_by(tcp, -1, &link, &strangers), -EBADF);
	/* Bound, but listening to nobody. */
	fd = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&(struct sockaddr_in) {
			 .sin_family = AF_INET,
			 .sin_addr.s_addr = htonl(INADDR_LOOPBACK) },
			 sizeof(struct sockaddr_in)), 0);
	assert_true(link_by(tcp, fd, &link, &strangers) < 0);
	close(fd);
	assert_int_equal(lowest_free_fd(), before);
	assert_int_equal(strangers, 0);
}

/* A transport of which only accept() does anything, by this script. */
static const int *script;
static bool fake_ours;

static int fake_connect(int listener)
{
	(void)listener;
	return dup(0);
}

static int fake_accept(int listener, int client, int *ours)
{
	int result = script ? *script++ : 1;

	(void)listener;
	(void)client;
	*ours = fake_ours;
	return result < 0 ? result : dup(0);
}

static int fake_tune(int fd)
{
	(void)fd;
	return 0;
}

static const struct tw_transport_ops fake = {
	.name = "fake", .connect = fake_connect, .accept = fake_accept,
	.tune = fake_tune,
};

/* No matter how many come: main has other things to do as well. */
static void test_flood(void **state)
{
	uint64_t count;

	(void)state;
	script = NULL;
	count = tw_transport_turn_away(&fake, 0);
	assert_in_range(count, 1, 1000);
}

/* What is passing is tried again; the rest ends it, and nothing stays open. */
static void test_accept_errors(void **state)
{
	static const int errors[] = {
		-EINTR, 1, -ECONNABORTED, -EAGAIN, 1, -EMFILE,
	};
	int before = lowest_free_fd();
	struct tw_link link = { -1, -1 };
	uint64_t strangers = 0;

	(void)state;
	script = errors;
	fake_ours = false;
	assert_int_equal(link_by(&fake, 0, &link, &strangers),
			 -EMFILE);
	assert_int_equal(strangers, 2);
	assert_int_equal(link.client_fd, -1);
	assert_int_equal(lowest_free_fd(), before);
}

/* Ours never comes, others do without end. */
static void test_link_timeout(void **state)
{
	int before = lowest_free_fd();
	struct tw_link link;
	uint64_t strangers = 0;

	(void)state;
	script = NULL;
	fake_ours = false;
	assert_int_equal(link_by(&fake, 0, &link, &strangers),
			 -ETIMEDOUT);
	assert_true(strangers > 0);
	assert_int_equal(lowest_free_fd(), before);
}

static void test_retransmitted(void **state)
{
	struct tw_link link;
	uint64_t strangers = 0;
	int fds[2], listener;
	struct tw_transport transport;

	(void)state;
	tw_transport_init(&transport);
	assert_int_equal(tw_transport_listen(&transport, 0, &listener), 0);
	assert_int_equal(tw_transport_link(&transport, listener, &link,
					   &strangers), 0);
	/* An emulator may tell less of a connection: then it is unknown. */
	assert_in_range(tw_transport_retransmitted(link.client_fd) + 1, 0, 1);
	close(link.client_fd);
	close(link.server_fd);
	close(listener);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	assert_int_equal(tw_transport_retransmitted(fds[0]), -1);
	close(fds[0]);
	close(fds[1]);
	assert_int_equal(tw_transport_retransmitted(-1), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_listen),
		cmocka_unit_test(test_port_in_use),
		cmocka_unit_test(test_privileged_port),
		cmocka_unit_test(test_link),
		cmocka_unit_test(test_link_among_strangers),
		cmocka_unit_test(test_port_after_a_run),
		cmocka_unit_test(test_turn_away),
		cmocka_unit_test(test_nobody_listens),
		cmocka_unit_test(test_flood),
		cmocka_unit_test(test_accept_errors),
		cmocka_unit_test(test_link_timeout),
		cmocka_unit_test(test_retransmitted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
