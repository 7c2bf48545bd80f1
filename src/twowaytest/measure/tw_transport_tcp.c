// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <sys/socket.h>
#include <unistd.h>

#include "measure/tw_transport.h"

#define BACKLOG	128

static int tcp_listen(const union tw_address *address)
{
	int on = 1;
	int fd, err;

	fd = socket(address->any.sa_family,
		    SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	/* Allows a port that is in TIME_WAIT after an earlier run. */
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) ||
	    bind(fd, &address->any, tw_address_size(address)) ||
	    listen(fd, BACKLOG)) {
		err = -errno;
		close(fd);
		return err;
	}
	return fd;
}

static int tcp_connect(int listener)
{
	union tw_address address;
	socklen_t len = sizeof(address);
	int fd, err;

	if (getsockname(listener, &address.any, &len))
		return -errno;
	fd = socket(address.any.sa_family,
		    SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	if (connect(fd, &address.any, len) && errno != EINPROGRESS) {
		err = -errno;
		close(fd);
		return err;
	}
	return fd;
}

/* No other socket can have the same address and port as ours. */
static int is_same(const union tw_address *a, const union tw_address *b)
{
	if (a->any.sa_family == AF_INET6)
		return a->in6.sin6_port == b->in6.sin6_port &&
		       IN6_ARE_ADDR_EQUAL(&a->in6.sin6_addr,
					  &b->in6.sin6_addr);
	return a->in.sin_port == b->in.sin_port &&
	       a->in.sin_addr.s_addr == b->in.sin_addr.s_addr;
}

static int tcp_accept(int listener, int client, int *ours)
{
	union tw_address peer, local;
	socklen_t peer_len = sizeof(peer), local_len = sizeof(local);
	int fd;

	fd = accept4(listener, &peer.any, &peer_len, SOCK_CLOEXEC);
	if (fd < 0)
		return -errno;
	*ours = client >= 0 && !getsockname(client, &local.any, &local_len) &&
		is_same(&peer, &local);
	return fd;
}

int64_t tw_transport_retransmitted(int fd)
{
	struct tcp_info info = { .tcpi_state = 0 };
	socklen_t len = sizeof(info);

	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) ||
	    len < offsetof(struct tcp_info, tcpi_total_retrans) +
		  sizeof(info.tcpi_total_retrans))
		return -1;
	return info.tcpi_total_retrans;
}

static int tcp_tune(int fd)
{
	int on = 1;

	if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)))
		return -errno;
	return 0;
}

const struct tw_transport_ops tw_transport_tcp = {
	.name = "tcp", .listen = tcp_listen, .connect = tcp_connect,
	.accept = tcp_accept, .tune = tcp_tune,
	.needs = "is the loopback interface up, and not filtered?",
	.internet = true,
};
