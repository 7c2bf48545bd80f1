/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Links over any transport on loopback addresses. */
#ifndef LINK_H
#define LINK_H

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "measure/tw_address.h"
#include "measure/tw_transport_kinds.h"
#include "open_files.h"
#include "unit.h"

static struct tw_transport transport;
static struct tw_link link_ends;
static int listener, files;
static uint64_t strangers;

static inline int set_up(void **state)
{
	(void)state;
	files = count_open_files();
	listener = -1;
	strangers = 0;
	link_ends = (struct tw_link) { -1, -1 };
	tw_transport_init(&transport);
	return 0;
}

static inline void close_link(void)
{
	close(link_ends.client_fd);
	close(link_ends.server_fd);
}

static inline int tear_down(void **state)
{
	(void)state;
	close_link();
	if (listener >= 0)
		close(listener);
	return count_open_files() == files ? 0 : -1;
}

/* By these ops; of IPv6 skipped where there is none. */
static inline void link_by(const struct tw_transport_ops *ops,
			   const char *address)
{
	int err;

	transport.ops = ops;
	assert_int_equal(tw_address_parse(address, &transport.address), 0);
	err = tw_transport_listen(&transport, 0, &listener);
	if (err && transport.address.any.sa_family == AF_INET6) {
		print_message("# skip: no IPv6 here: %s\n", strerror(-err));
		skip();
	}
	assert_int_equal(err, 0);
	assert_int_equal(tw_transport_link(&transport, listener, &link_ends,
					   &strangers), 0);
}

static inline int number_of_socket(int fd, int level, int name)
{
	int value = -1;
	socklen_t len = sizeof(value);

	assert_int_equal(getsockopt(fd, level, name, &value, &len), 0);
	return value;
}

static inline union tw_address name_of_socket(int fd)
{
	union tw_address address = { .in.sin_port = 0 };
	socklen_t len = sizeof(address);

	assert_int_equal(getsockname(fd, &address.any, &len), 0);
	return address;
}

static inline void assert_message(int from, int to, const char *text)
{
	char got[64] = "";

	assert_int_equal(send(from, text, strlen(text), 0), strlen(text));
	assert_int_equal(recv(to, got, sizeof(got), 0), strlen(text));
	assert_string_equal(got, text);
}

/* Both ways, blocking, and not for what a child executes. */
static inline void assert_linked(void)
{
	const int ends[] = { link_ends.client_fd, link_ends.server_fd };
	int i;

	for (i = 0; i < 2; i++) {
		assert_message(ends[i], ends[!i], "abc");
		assert_false(fcntl(ends[i], F_GETFL) & O_NONBLOCK);
		assert_true(fcntl(ends[i], F_GETFD) & FD_CLOEXEC);
	}
}

#define LINKED(test)	cmocka_unit_test_setup_teardown(test, set_up, tear_down)

#endif /* LINK_H */
