// SPDX-License-Identifier: GPL-2.0-or-later
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tw_lines.h"
#include "tw_meet.h"
#include "tw_reach.h"
#include "tw_time.h"

#define HELLO_S		10	/* until a connection has said who it is */
#define AGAIN_MS	50	/* a datagram may be lost */

/* The first message of a stream. */
struct hello {
	char cookie[TW_COOKIE];
	uint32_t pair;		/* big-endian */
};

/* Of either family; both have the port at the same place. */
union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

/* What a socket of udp begins with: the cookie, in the size of no request. */
static ssize_t knock_size(void)
{
	return TW_COOKIE + (tw_config.size == TW_COOKIE);
}

/* Whether it has the cookie; in a time that does not tell how much of it. */
static bool knows(const struct tw_meeting *meeting, const char *cookie)
{
	int i, differ = 0;

	for (i = 0; i < TW_COOKIE; i++)
		differ |= cookie[i] ^ meeting->cookie[i];
	return !differ;
}

/* For both families if there are both. */
static int open_any(int type)
{
	int off = 0, fd = socket(AF_INET6, type | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return socket(AF_INET, type | SOCK_CLOEXEC, 0);
	setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
	return fd;
}

int tw_meet_listen(struct tw_meeting *meeting)
{
	int i, hello_s = HELLO_S, fd = open_any(SOCK_STREAM);
	union address own;
	socklen_t length = sizeof(own);
	uint64_t random[2];

	if (fd < 0 || getrandom(random, sizeof(random), 0) < 0)
		return -errno;
	for (i = 0; i < TW_COOKIE; i += 16)
		sprintf(meeting->cookie + i, "%016llx",
			(unsigned long long)random[i / 16]);
	for (i = 0; i < meeting->pairs; i++)
		meeting->fds[i] = -1;
	/* Until it has sent something, the kernel keeps a connection. */
	if (setsockopt(fd, IPPROTO_TCP, TCP_DEFER_ACCEPT, &hello_s,
		       sizeof(hello_s)) || listen(fd, TW_PAIRS_MAX) ||
	    getsockname(fd, &own.any, &length))
		return -errno;
	fcntl(fd, F_SETFL, O_NONBLOCK);
	meeting->listener = fd;
	meeting->port = ntohs(own.v4.sin_port);
	return 0;
}

/* Waits for a knock, from @from: 0 or -errno. Others' datagrams are skipped. */
static int hear(const struct tw_meeting *meeting, int fd, union address *from,
		socklen_t *length, int other_fd, int64_t end_ns)
{
	char text[TW_COOKIE + 2];
	int err;

	do {
		err = tw_await(fd, POLLIN, other_fd, end_ns);
		*length = sizeof(*from);
		if (!err && recvfrom(fd, text, sizeof(text), MSG_DONTWAIT,
				     &from->any, length) == knock_size() &&
		    knows(meeting, text))
			return 0;
	} while (!err && tw_in_ms(0) < end_ns);
	return err ? err : -ETIMEDOUT;
}

/*
 * The server's side over udp: a socket at the address that the client has
 * connected to. The client is told its port; from then on it hears only him.
 */
static int serve_datagrams(const struct tw_meeting *meeting, int stream,
			   int other_fd, int64_t end_ns)
{
	int err = 0, fd = open_any(SOCK_DGRAM);
	union address own, peer;
	socklen_t length = sizeof(own);

	if (fd < 0 || getsockname(stream, &own.any, &length))
		return -errno;
	own.v4.sin_port = 0;
	if (bind(fd, &own.any, length) || getsockname(fd, &own.any, &length) ||
	    send(stream, &own.v4.sin_port, 2, MSG_NOSIGNAL) != 2)
		err = -errno;
	if (!err)
		err = hear(meeting, fd, &peer, &length, other_fd, end_ns);
	if (!err && connect(fd, &peer.any, length))
		err = -errno;
	if (!err) {
		/* What others have sent before. */
		while (recv(fd, &own, sizeof(own), MSG_DONTWAIT) >= 0)
			;
		if (send(fd, meeting->cookie, knock_size(), 0) > 0)
			return fd;
		err = -errno;
	}
	close(fd);
	return err;
}

/* The client's side of it: knocks until it is heard. */
static int connect_datagrams(const struct tw_meeting *meeting, int stream,
			     int other_fd, int64_t end_ns)
{
	union address peer, from;
	socklen_t length = sizeof(peer), from_length;
	int fd, err = tw_await(stream, POLLIN, other_fd, end_ns);

	if (err)
		return err;
	if (getpeername(stream, &peer.any, &length) ||
	    recv(stream, &peer.v4.sin_port, 2, 0) != 2)
		return -EPROTO;
	fd = socket(peer.any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || connect(fd, &peer.any, length))
		err = -errno;
	while (!err) {
		send(fd, meeting->cookie, knock_size(), 0);
		err = hear(meeting, fd, &from, &from_length, other_fd,
			   tw_in_ms(AGAIN_MS));
		if (!err)
			return fd;
		if (err == -ETIMEDOUT && tw_in_ms(0) < end_ns)
			err = 0;
	}
	close(fd);
	return err;
}

/* Returns 1 if it is a new pair; one that does not say so at once is closed. */
static int admit(struct tw_meeting *meeting, int other_fd, int64_t end_ns)
{
	int fd = accept4(meeting->listener, NULL, NULL, SOCK_CLOEXEC);
	struct hello hello = { .pair = 0 };
	uint32_t pair = TW_PAIRS_MAX;
	int stream = fd;

	if (fd < 0)
		return 0;
	if (recv(fd, &hello, sizeof(hello), MSG_DONTWAIT) == sizeof(hello) &&
	    knows(meeting, hello.cookie))
		pair = ntohl(hello.pair);
	if (pair >= (uint32_t)meeting->pairs || meeting->fds[pair] >= 0 ||
	    tw_reach_prepare(fd)) {
		close(fd);
		return 0;
	}
	if (meeting->udp) {
		fd = serve_datagrams(meeting, stream, other_fd, end_ns);
		close(stream);
	}
	meeting->fds[pair] = fd;
	return fd < 0 ? fd : 1;
}

int tw_meet_accept(struct tw_meeting *meeting, int other_fd, int64_t end_ns)
{
	int found = 0, err = 0;

	while (found < meeting->pairs && err >= 0) {
		err = tw_await(meeting->listener, POLLIN, other_fd, end_ns);
		if (!err)
			err = admit(meeting, other_fd, end_ns);
		found += err > 0;
	}
	close(meeting->listener);
	return err < 0 ? err : 0;
}

static int connect_pair(const struct tw_meeting *meeting, int pair,
			const struct addrinfo **addresses, int other_fd,
			int64_t end_ns)
{
	int err, fd = tw_reach_connect(addresses, meeting->port, other_fd,
				       end_ns);
	struct hello hello = { .pair = htonl(pair) };

	if (fd < 0)
		return fd;
	memcpy(hello.cookie, meeting->cookie, TW_COOKIE);
	/* It is empty: this cannot block. */
	err = send(fd, &hello, sizeof(hello), MSG_NOSIGNAL) == sizeof(hello) ?
	      0 : -errno;
	if (!err && !meeting->udp)
		return fd;
	if (!err)
		err = connect_datagrams(meeting, fd, other_fd, end_ns);
	close(fd);
	return err;
}

int tw_meet_connect(struct tw_meeting *meeting,
		    const struct addrinfo **addresses, int other_fd,
		    int64_t end_ns)
{
	int i;

	for (i = 0; i < meeting->pairs; i++) {
		meeting->fds[i] = connect_pair(meeting, i, addresses, other_fd,
					       end_ns);
		if (meeting->fds[i] < 0)
			return meeting->fds[i];
	}
	return 0;
}
