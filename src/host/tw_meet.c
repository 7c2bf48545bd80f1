// SPDX-License-Identifier: GPL-2.0-or-later
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "tw_lines.h"
#include "tw_meet.h"
#include "tw_reach.h"
#include "tw_time.h"

#define HELLO_S		10	/* until a connection has said who it is */
#define AGAIN_MS	50	/* a datagram may be lost */

/* The first message. A copy that comes late must not look like a request. */
struct hello {
	uint8_t cookie[TW_COOKIE];
	uint32_t pair;		/* big-endian */
	uint32_t more;
};

static ssize_t hello_size(void)
{
	ssize_t usual = offsetof(struct hello, more);

	return tw_config.size == usual ? (ssize_t)sizeof(struct hello) : usual;
}

/* A local address of either family, for both. */
union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static struct hello hello_of(const struct tw_meeting *meeting, int pair)
{
	struct hello hello = { .pair = htonl(pair) };

	memcpy(hello.cookie, meeting->cookie, TW_COOKIE);
	return hello;
}

/* The number of a pair that is not connected yet; -1: it is none. */
static int pair_of(const struct tw_meeting *meeting, const struct hello *hello)
{
	uint32_t pair = ntohl(hello->pair);
	uint8_t differ = 0;
	int i;

	for (i = 0; i < TW_COOKIE; i++)
		differ |= hello->cookie[i] ^ meeting->cookie[i];
	return !differ && pair < (uint32_t)meeting->pairs ? (int)pair : -1;
}

/* Bound to all addresses, of both families if there are both. */
static int open_any(int type, int *port)
{
	union address own = { .v6.sin6_family = AF_INET6 };
	socklen_t length = sizeof(own.v6);
	int off = 0, on = 1, hello_s = HELLO_S, err = 0;
	int fd = socket(AF_INET6, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	/* PKTINFO: which address a datagram came to. */
	if (fd < 0) {
		fd = socket(AF_INET, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		own.v4 = (struct sockaddr_in) { .sin_family = AF_INET };
		length = sizeof(own.v4);
		setsockopt(fd, IPPROTO_IP, IP_PKTINFO, &on, sizeof(on));
	} else {
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
		setsockopt(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, &on,
			   sizeof(on));
	}
	if (fd < 0)
		return -errno;
	/* Until it has sent something, the kernel keeps a connection. */
	if (bind(fd, &own.any, length) ||
	    (type == SOCK_STREAM &&
	     (setsockopt(fd, IPPROTO_TCP, TCP_DEFER_ACCEPT, &hello_s,
			 sizeof(hello_s)) || listen(fd, TW_PAIRS_MAX))) ||
	    getsockname(fd, &own.any, &length))
		err = -errno;
	/* Both families have it at the same place. */
	*port = ntohs(own.v4.sin_port);
	if (!err)
		return fd;
	close(fd);
	return err;
}

int tw_meet_listen(struct tw_meeting *meeting)
{
	int i, err = 0;

	meeting->listener = -1;
	for (i = 0; i < meeting->pairs; i++)
		meeting->fds[i] = -1;
	if (getrandom(meeting->cookie, TW_COOKIE, 0) != TW_COOKIE)
		return -errno;
	if (!meeting->udp) {
		meeting->listener = open_any(SOCK_STREAM, &meeting->ports[0]);
		for (i = 1; i < meeting->pairs; i++)
			meeting->ports[i] = meeting->ports[0];
		return meeting->listener < 0 ? meeting->listener : 0;
	}
	for (i = 0; i < meeting->pairs && !err; i++) {
		meeting->fds[i] = open_any(SOCK_DGRAM, &meeting->ports[i]);
		err = meeting->fds[i] < 0 ? meeting->fds[i] : 0;
	}
	return err;
}

/* Returns 1 if it is a new pair; one that does not say so at once is closed. */
static int admit_stream(struct tw_meeting *meeting)
{
	int fd = accept4(meeting->listener, NULL, NULL,
			 SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct hello hello = { .pair = 0 };
	int pair;

	if (fd < 0)
		return 0;
	pair = recv(fd, &hello, sizeof(hello), 0) == hello_size() ?
	       pair_of(meeting, &hello) : -1;
	if (pair < 0 || meeting->fds[pair] >= 0 || tw_reach_prepare(fd)) {
		close(fd);
		return 0;
	}
	fcntl(fd, F_SETFL, 0);
	meeting->fds[pair] = fd;
	return 1;
}

/* The local address that a datagram has come to, with @port. */
static socklen_t local_address(struct msghdr *message, int port,
			       union address *own)
{
	struct cmsghdr *part;

	for (part = CMSG_FIRSTHDR(message); part;
	     part = CMSG_NXTHDR(message, part)) {
		if (part->cmsg_level == IPPROTO_IP &&
		    part->cmsg_type == IP_PKTINFO) {
			const struct in_pktinfo *info =
				(void *)CMSG_DATA(part);

			own->v4 = (struct sockaddr_in) {
				.sin_family = AF_INET,
				.sin_port = htons(port),
				.sin_addr = info->ipi_addr,
			};
			return sizeof(own->v4);
		}
		if (part->cmsg_level == IPPROTO_IPV6 &&
		    part->cmsg_type == IPV6_PKTINFO) {
			const struct in6_pktinfo *info =
				(void *)CMSG_DATA(part);
			bool local = IN6_IS_ADDR_LINKLOCAL(&info->ipi6_addr);

			own->v6 = (struct sockaddr_in6) {
				.sin6_family = AF_INET6,
				.sin6_port = htons(port),
				.sin6_addr = info->ipi6_addr,
				.sin6_scope_id = local ?
						 info->ipi6_ifindex : 0,
			};
			return sizeof(own->v6);
		}
	}
	return 0;
}

/*
 * In place of the socket that is bound to all addresses: one that answers from
 * the address which the client knows, and hears nobody else.
 */
static int replace(int fd, const union address *own, socklen_t length,
		   const union address *peer, socklen_t peer_length)
{
	int new = socket(own->any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int off = 0, err = 0;

	close(fd);
	if (new < 0)
		return -errno;
	if (own->any.sa_family == AF_INET6)
		setsockopt(new, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
	if (bind(new, &own->any, length) ||
	    connect(new, &peer->any, peer_length))
		err = -errno;
	if (!err)
		return new;
	close(new);
	return err;
}

/* Returns 1 if the pair is connected now, 0, or -errno. */
static int admit_datagram(struct tw_meeting *meeting, int pair)
{
	char control[256];
	struct hello hello = { .pair = 0 };
	union address own, peer;
	struct iovec part = { &hello, sizeof(hello) };
	struct msghdr message = {
		.msg_name = &peer, .msg_namelen = sizeof(peer),
		.msg_iov = &part, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	socklen_t length;

	if (recvmsg(meeting->fds[pair], &message, 0) != hello_size() ||
	    pair_of(meeting, &hello) != pair)
		return 0;
	length = local_address(&message, meeting->ports[pair], &own);
	if (!length)
		return 0;
	meeting->fds[pair] = replace(meeting->fds[pair], &own, length, &peer,
				     message.msg_namelen);
	if (meeting->fds[pair] < 0)
		return meeting->fds[pair];
	return send(meeting->fds[pair], &hello, hello_size(), 0) < 0 ?
	       -errno : 1;
}

int tw_meet_accept(struct tw_meeting *meeting, int other_fd, int64_t end_ns)
{
	struct pollfd all[TW_PAIRS_MAX + 1];
	int i, found = 0, err = 0;
	int fds = meeting->udp ? meeting->pairs : 1;

	for (i = 0; i < fds; i++)
		all[i] = (struct pollfd) {
			.fd = meeting->udp ? meeting->fds[i] :
					     meeting->listener,
			.events = POLLIN
		};
	all[fds] = (struct pollfd) { .fd = other_fd, .events = POLLIN };
	while (found < meeting->pairs && err >= 0) {
		int count = poll(all, fds + 1, tw_lines_ms_until(end_ns));

		if (count < 0 && errno != EINTR)
			return -errno;
		if (!count)
			return -ETIMEDOUT;
		if (all[fds].revents)
			return -EINTR;
		for (i = 0; i < fds && err >= 0; i++) {
			err = !all[i].revents ? 0 : !meeting->udp ?
			      admit_stream(meeting) :
			      admit_datagram(meeting, i);
			found += err == 1;
			if (err == 1 && meeting->udp)
				all[i] = (struct pollfd) { .fd = -1 };
		}
	}
	if (!meeting->udp)
		close(meeting->listener);
	return err < 0 ? err : 0;
}

/* Sends it again until it comes back: 0 or -errno. */
static int greet(int fd, const struct hello *hello, int other_fd,
		 int64_t end_ns)
{
	struct hello answer = { .pair = 0 };

	while (tw_now_ns(CLOCK_MONOTONIC) < end_ns) {
		struct pollfd other = { .fd = other_fd, .events = POLLIN };

		if (send(fd, hello, hello_size(), 0) < 0 &&
		    errno != ECONNREFUSED)
			return -errno;
		if (tw_lines_ready(fd, other_fd, tw_now_ns(CLOCK_MONOTONIC) +
				   AGAIN_MS * TW_NS_PER_MS) &&
		    recv(fd, &answer, sizeof(answer), MSG_DONTWAIT) ==
		    hello_size() && !memcmp(&answer, hello, hello_size()))
			return 0;
		if (poll(&other, 1, 0) > 0)
			return -EINTR;
	}
	return -ETIMEDOUT;
}

/* An address that does not answer over udp looks as if it were connected. */
static int connect_datagram(struct tw_meeting *meeting, int pair,
			    const struct addrinfo **addresses, int other_fd,
			    int64_t end_ns)
{
	const struct hello hello = hello_of(meeting, pair);
	int left = tw_reach_count(*addresses), fd, err = -EADDRNOTAVAIL;
	const struct addrinfo *at;

	for (at = *addresses; at; at = at->ai_next) {
		int64_t now_ns = tw_now_ns(CLOCK_MONOTONIC);
		const struct addrinfo *from = at;

		fd = tw_reach_connect(&from, meeting->ports[pair], other_fd,
				      end_ns);
		if (fd < 0)
			return fd;
		at = from;
		err = greet(fd, &hello, other_fd,
			    now_ns + (end_ns - now_ns) / left--);
		if (!err) {
			*addresses = at;
			return fd;
		}
		close(fd);
		if (err == -EINTR)
			break;
	}
	return err;
}

static int connect_stream(struct tw_meeting *meeting, int pair,
			  const struct addrinfo **addresses, int other_fd,
			  int64_t end_ns)
{
	const struct hello hello = hello_of(meeting, pair);
	int err, fd = tw_reach_connect(addresses, meeting->ports[pair],
				       other_fd, end_ns);

	if (fd < 0)
		return fd;
	/* It is empty: this cannot block. */
	if (send(fd, &hello, hello_size(), MSG_NOSIGNAL) == hello_size())
		return fd;
	err = -errno;
	close(fd);
	return err;
}

int tw_meet_connect(struct tw_meeting *meeting,
		    const struct addrinfo **addresses, int other_fd,
		    int64_t end_ns)
{
	int i;

	for (i = 0; i < meeting->pairs; i++) {
		meeting->fds[i] = meeting->udp ?
			connect_datagram(meeting, i, addresses, other_fd,
					 end_ns) :
			connect_stream(meeting, i, addresses, other_fd, end_ns);
		if (meeting->fds[i] < 0)
			return meeting->fds[i];
	}
	return 0;
}
