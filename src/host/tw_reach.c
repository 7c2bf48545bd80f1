// SPDX-License-Identifier: GPL-2.0-or-later
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tw_array.h"
#include "tw_await.h"
#include "tw_child.h"
#include "tw_datagram.h"
#include "tw_link.h"
#include "tw_option.h"
#include "tw_reach.h"

#define IDLE_S		5	/* until the kernel asks whether the peer is there */
#define ASK_S		1	/* and again */
#define GONE_MS		8000	/* until it is not, if it does not answer */
#define HELLO_S		10	/* until a connection has said who it is */

bool tw_reach_parse(const char *text, struct tw_host *host)
{
	bool bracket = *text == '[';
	const char *begin = text + bracket, *colon = strchr(begin, ':');
	size_t length = bracket ? strcspn(begin, "]") :
			colon && !strchr(colon + 1, ':') ? (size_t)(colon - begin) :
			strlen(begin);
	const char *end = begin + length + bracket;
	int64_t port = 0;

	if (!length || length >= sizeof(host->name) || *begin == '-' ||
	    (bracket && begin[length] != ']') ||
	    strspn(begin, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.:_@%-") < length)
		return false;
	if (*end && (*end != ':' || !tw_option_whole(end + 1, 1, 65535, &port)))
		return false;
	snprintf(host->name, sizeof(host->name), "%.*s", (int)length, begin);
	host->port = (int)port;
	return true;
}

struct addrinfo *tw_reach_find(const char *name, const char **why)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	const char *user = strchr(name, '@');
	struct addrinfo *found = NULL;
	int err = getaddrinfo(user ? user + 1 : name, NULL, &hints, &found);

	*why = err == EAI_SYSTEM ? strerror(errno) : gai_strerror(err);
	return found;
}

int tw_reach_socket(int family, int type)
{
	int off = 0, fd = socket(family, type | SOCK_CLOEXEC, 0);

	if (fd >= 0 && family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
	return fd;
}

int tw_reach_prepare(int fd)
{
	const struct {
		int level, name, value;
	} options[] = {
		{ IPPROTO_TCP, TCP_NODELAY, 1 },
		{ SOL_SOCKET, SO_KEEPALIVE, 1 },
		{ IPPROTO_TCP, TCP_KEEPIDLE, IDLE_S },
		{ IPPROTO_TCP, TCP_KEEPINTVL, ASK_S },
		{ IPPROTO_TCP, TCP_USER_TIMEOUT, GONE_MS },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(options); i++)
		if (setsockopt(fd, options[i].level, options[i].name,
			       &options[i].value, sizeof(int)))
			return -errno;
	return 0;
}

static int connect_one(const struct addrinfo *at, int port, int other_fd,
		       int64_t end_ns)
{
	int fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0), err;
	/* Both families have the port at the same place. */
	struct sockaddr_in6 *to = (void *)at->ai_addr;

	if (fd < 0)
		return -errno;
	to->sin6_port = htons(port);
	err = tw_link_await(fd, at->ai_addr, at->ai_addrlen, other_fd, end_ns);
	if (!err)
		err = tw_reach_prepare(fd);
	if (!err)
		return fd;
	close(fd);
	return err;
}

int tw_reach_connect(const struct addrinfo **addresses, int port, int other_fd,
		     int64_t end_ns)
{
	int left = 0, fd = -EADDRNOTAVAIL;
	const struct addrinfo *at;

	for (at = *addresses; at; at = at->ai_next)
		left++;
	for (at = *addresses; at; at = at->ai_next) {
		int64_t now_ns = tw_await_in_ms(0);

		fd = connect_one(at, port, other_fd,
				 now_ns + (end_ns - now_ns) / left--);
		if (fd >= 0)
			*addresses = at;
		if (fd >= 0 || fd == -EINTR)
			break;
	}
	return fd;
}

pid_t tw_reach_start(const char *command, int *fd)
{
	int ends[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return -errno;
	pid = tw_child_start(SIGTERM);
	if (pid) {
		close(ends[1]);
		if (pid < 0)
			close(ends[0]);
		*fd = ends[0];
		return pid;
	}
	/* Typed at the terminal: main ends the run by it, in good order. */
	signal(SIGINT, SIG_IGN);
	if (dup2(ends[1], STDIN_FILENO) >= 0 &&
	    dup2(ends[1], STDOUT_FILENO) >= 0)
		tw_child_shell(command);
	_exit(127);
}

/* The first message of a stream. */
struct hello {
	char cookie[TW_COOKIE];
	uint32_t pair;		/* big-endian */
};

static int listener;		/* of the server's side */

/* Whether it has the cookie; in a time that does not tell how much of it. */
static bool knows(const struct tw_meeting *meeting, const char *cookie)
{
	int i, differ = 0;

	for (i = 0; i < TW_COOKIE; i++)
		differ |= cookie[i] ^ meeting->cookie[i];
	return !differ;
}

/* Through a login, nobody knows the address: then it is any. */
static int open_listener(int stream)
{
	union tw_address own = { .any = { .sa_family = AF_UNIX } };
	socklen_t length = sizeof(own);
	int fd;

	getsockname(stream, &own.any, &length);
	if (own.any.sa_family != AF_INET && own.any.sa_family != AF_INET6) {
		fd = tw_reach_socket(AF_INET6, SOCK_STREAM);
		return fd < 0 ? tw_reach_socket(AF_INET, SOCK_STREAM) : fd;
	}
	own.v4.sin_port = 0;
	fd = tw_reach_socket(own.any.sa_family, SOCK_STREAM);
	return fd < 0 || bind(fd, &own.any, length) ? -1 : fd;
}

int tw_reach_meet_listen(struct tw_meeting *meeting, int stream)
{
	int i, hello_s = HELLO_S, fd = open_listener(stream);
	union tw_address own;
	socklen_t length = sizeof(own);
	uint64_t random[2];

	if (fd < 0 || getrandom(random, sizeof(random), 0) < 0)
		return -errno;
	for (i = 0; i < TW_COOKIE; i += 16)
		sprintf(meeting->cookie + i, "%016llx",
			(unsigned long long)random[i / 16]);
	for (i = 0; i < TW_PAIRS_MAX; i++)
		meeting->fds[i] = -1;
	/* Until it has sent something, the kernel keeps a connection. */
	if (setsockopt(fd, IPPROTO_TCP, TCP_DEFER_ACCEPT, &hello_s,
		       sizeof(hello_s)) || listen(fd, TW_PAIRS_MAX) ||
	    getsockname(fd, &own.any, &length))
		return -errno;
	fcntl(fd, F_SETFL, O_NONBLOCK);
	listener = fd;
	meeting->port = ntohs(own.v4.sin_port);
	return 0;
}

/*
 * With udp, either side replaces the stream by a socket at the same address, and
 * tells the other one its port: nobody else's datagrams are ever heard. Returns
 * it, or -errno.
 */
static int to_datagrams(const struct tw_meeting *meeting, int stream)
{
	union tw_address own, peer;
	socklen_t length = sizeof(own), peer_length = sizeof(peer);
	int fd, err = 0;

	if (getsockname(stream, &own.any, &length) ||
	    getpeername(stream, &peer.any, &peer_length))
		return -errno;
	own.v4.sin_port = 0;
	fd = tw_reach_socket(own.any.sa_family, SOCK_DGRAM);
	if (fd < 0 || bind(fd, &own.any, length) ||
	    getsockname(fd, &own.any, &length) ||
	    send(stream, &own.v4.sin_port, 2, MSG_NOSIGNAL) != 2)
		err = -errno;
	if (!err)
		err = tw_await(stream, POLLIN, meeting->other_fd,
			       meeting->end_ns);
	if (!err && recv(stream, &peer.v4.sin_port, 2, MSG_DONTWAIT) != 2)
		err = -EPROTO;
	if (!err && tw_datagram_connect(fd, &peer.any, peer_length))
		err = -errno;
	if (!err)
		return fd;
	close(fd);
	return err;
}

/* The socket of a pair; @fd: the stream that is connected. */
static int socket_of(const struct tw_meeting *meeting, int fd)
{
	int stream = fd;

	if (!strcmp(tw_config.link->name, "udp")) {
		fd = to_datagrams(meeting, stream);
		close(stream);
	}
	return fd;
}

/* Returns 1 if it is a new pair; one that does not say so at once is closed. */
static int admit(struct tw_meeting *meeting)
{
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	struct hello hello = { .pair = 0 };
	uint32_t pair = TW_PAIRS_MAX;

	if (fd < 0)
		return 0;
	if (recv(fd, &hello, sizeof(hello), MSG_DONTWAIT) == sizeof(hello) &&
	    knows(meeting, hello.cookie))
		pair = ntohl(hello.pair);
	if (pair >= (uint32_t)tw_config.pairs || meeting->fds[pair] >= 0 ||
	    tw_reach_prepare(fd)) {
		close(fd);
		return 0;
	}
	meeting->fds[pair] = socket_of(meeting, fd);
	return meeting->fds[pair] < 0 ? meeting->fds[pair] : 1;
}

int tw_reach_meet_accept(struct tw_meeting *meeting)
{
	int found = 0, err = 0;

	while (found < tw_config.pairs && err >= 0) {
		err = tw_await(listener, POLLIN, meeting->other_fd,
			       meeting->end_ns);
		if (!err)
			err = admit(meeting);
		found += err > 0;
	}
	close(listener);
	return err < 0 ? err : 0;
}

int tw_reach_meet_connect(struct tw_meeting *meeting,
			  const struct addrinfo **addresses)
{
	struct hello hello;
	uint32_t i;
	int fd;

	memcpy(hello.cookie, meeting->cookie, TW_COOKIE);
	for (i = 0; i < (uint32_t)tw_config.pairs; i++) {
		fd = tw_reach_connect(addresses, meeting->port,
				      meeting->other_fd, meeting->end_ns);
		if (fd < 0)
			return fd;
		hello.pair = htonl(i);
		/* Nothing was sent before: this cannot block. */
		if (send(fd, &hello, sizeof(hello), MSG_NOSIGNAL) < 0)
			return -errno;
		meeting->fds[i] = socket_of(meeting, fd);
		if (meeting->fds[i] < 0)
			return meeting->fds[i];
	}
	return 0;
}
