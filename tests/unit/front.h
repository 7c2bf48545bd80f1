/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A front with listeners on the loopback, and clients of it. */
#ifndef FRONT_H
#define FRONT_H

#include <arpa/inet.h>
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "hello.h"

static struct tw_front front;
static struct tw_front_run front_run;
static int front_listeners[2];

/* -1: there is no IPv6. */
static inline int front_listen(int family)
{
	union tw_address address = { .any.sa_family = (sa_family_t)family };
	int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -1;
	if (family == AF_INET6)
		address.in6.sin6_addr = in6addr_loopback;
	else
		address.in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(fd, &address.any, tw_address_size(&address)) ||
	    listen(fd, 64)) {
		close(fd);
		return -1;
	}
	return fd;
}

static inline int front_setup(void **state)
{
	(void)state;
	front_listeners[0] = front_listen(AF_INET);
	front_listeners[1] = front_listen(AF_INET6);
	assert_true(front_listeners[0] >= 0);
	assert_int_equal(tw_front_open(&front, front_listeners,
				       front_listeners[1] < 0 ? 1 : 2, NULL,
				       &hello_ours), 0);
	/* No machine is so slow that a peer is closed by mistake. */
	assert_int_equal(front.limit_ms, TW_HELLO_MS);
	front.limit_ms = 60000;
	return 0;
}

static inline int front_teardown(void **state)
{
	(void)state;
	tw_front_close(&front);
	close(front_listeners[0]);
	if (front_listeners[1] >= 0)
		close(front_listeners[1]);
	return 0;
}

/* A client that is connected to a listener. */
static inline int front_client(int listener)
{
	union tw_address address;
	socklen_t size = sizeof(address);
	int fd;

	assert_int_equal(getsockname(listener, &address.any, &size), 0);
	fd = socket(address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_true(fd >= 0);
	assert_int_equal(connect(fd, &address.any, size), 0);
	return fd;
}

static inline void front_send(int fd, const void *data, size_t length)
{
	assert_int_equal(send(fd, data, length, MSG_NOSIGNAL), length);
}

static inline void front_say(int fd, enum tw_frame_type type,
			     const char *body)
{
	assert_int_equal(tw_frame_send(fd, type, body, strlen(body), 1000),
			 0);
}

/* All that is to be done now; nobody asks for a run. */
static inline void front_settle(void)
{
	int i;

	for (i = 0; i < 20; i++)
		assert_int_equal(tw_front_poll(&front, NULL, 0, 0,
					       &front_run), 0);
}

/* The next frame that has come is of that type. */
static inline void front_check_answer(int fd, enum tw_frame_type type)
{
	static struct tw_frame_reader reader;
	struct tw_frame frame;

	tw_frame_reset(&reader);
	assert_int_equal(tw_frame_receive(&reader, fd, -1, 10000, &frame), 0);
	assert_int_equal(frame.type, type);
	assert_int_equal(tw_frame_behind(&reader), 0);
}

/* The front has closed the connection; frees it. */
static inline void front_check_closed(int fd)
{
	char byte;
	ssize_t got = recv(fd, &byte, 1, MSG_DONTWAIT);

	if (got > 0)
		fail_msg("more bytes");
	if (got < 0 && errno == EAGAIN)
		fail_msg("still open");
	close(fd);
}

/* How many have been closed, for any reason. */
static inline unsigned int front_closed(void)
{
	unsigned int sum = 0, reason;

	for (reason = 0; reason < TW_FRONT_REASONS; reason++)
		sum += (unsigned int)front.closed[reason];
	return sum;
}

#endif /* FRONT_H */
