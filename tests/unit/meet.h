/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Both ends of the connections by which two hosts measure, in one process. */
#ifndef MEET_H
#define MEET_H

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "host/tw_meet_greeting.h"
#include "measure/tw_transport_kinds.h"
#include "open_files.h"
#include "unit.h"

#define SIZE	8	/* of a request */

static struct tw_meet meet;
static struct tw_granted granted;
static const int none[2] = { -1, -1 };
static int files;

static inline int set_up(void **state)
{
	(void)state;
	files = count_open_files();
	tw_meet_init(&meet);
	memset(&granted, 0, sizeof(granted));
	return 0;
}

static inline int tear_down(void **state)
{
	(void)state;
	tw_meet_close(&meet);
	return count_open_files() == files ? 0 : -1;
}

static inline union tw_address loopback(uint16_t port)
{
	union tw_address address = { .in = { .sin_family = AF_INET } };

	address.in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	tw_meet_set_port(&address, port);
	return address;
}

static inline void open_meet(const struct tw_transport_ops *ops,
			     unsigned int pairs, size_t size)
{
	const union tw_address local = loopback(0);

	assert_int_equal(tw_meet_open(&meet, ops, &local, pairs, size,
				      &granted), 0);
	assert_memory_equal(meet.cookie, granted.cookie, TW_COOKIE);
}

/* Where pair @pair measures. */
static inline union tw_address place(unsigned int pair)
{
	return loopback((uint16_t)granted.at[granted.ports > 1 ? pair :
							 0].port);
}

static inline int join(unsigned int pair)
{
	const union tw_address address = place(pair);
	int fd = tw_meet_connect(meet.ops, &address, granted.cookie, pair,
				 meet.size, 2000);

	assert_true(fd >= 0);
	assert_int_equal(fcntl(fd, F_GETFL) & O_NONBLOCK, 0);
	return fd;
}

static inline void send_text(int fd, const char *text)
{
	assert_int_equal(send(fd, text, strlen(text), 0), strlen(text));
}

/* The next byte that comes; 0: the end. */
static inline int next_byte(int fd)
{
	char byte = 0;
	ssize_t len = recv(fd, &byte, 1, 0);

	return len < 0 ? -errno : len ? byte : 0;
}

/* Both ends of pair @pair are of one connection, and blocking. */
static inline void talk(unsigned int pair, int client)
{
	int server = tw_meet_take(&meet, pair);
	char text[2] = { (char)('a' + pair), '\0' };

	assert_true(server >= 0);
	assert_int_equal(fcntl(server, F_GETFL) & O_NONBLOCK, 0);
	assert_int_equal(meet.fds[pair], -1);
	send_text(client, text);
	assert_int_equal(next_byte(server), text[0]);
	send_text(server, text);
	assert_int_equal(next_byte(client), text[0]);
	close(server);
	close(client);
}

#define TEST(test)	cmocka_unit_test_setup_teardown(test, set_up, tear_down)

#endif /* MEET_H */
