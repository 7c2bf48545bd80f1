// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tw_transport.h"

#define BACKLOG	128

static struct sockaddr *any(struct sockaddr_in *addr)
{
	return (struct sockaddr *)addr;
}

static int tcp_listen(uint16_t port)
{
	struct sockaddr_in addr = {
		.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int on = 1;
	int fd, err;

	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	/* A port that an ended run has left in TIME_WAIT is free. */
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) ||
	    bind(fd, any(&addr), sizeof(addr)) || listen(fd, BACKLOG)) {
		err = -errno;
		close(fd);
		return err;
	}
	return fd;
}

static int tcp_connect(int listener)
{
	struct sockaddr_in addr;
	socklen_t len = sizeof(addr);
	int fd, err;

	if (getsockname(listener, any(&addr), &len))
		return -errno;
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	if (connect(fd, any(&addr), len) && errno != EINPROGRESS) {
		err = -errno;
		close(fd);
		return err;
	}
	return fd;
}

static int tcp_accept(int listener, int client, int *ours)
{
	struct sockaddr_in peer, local;
	socklen_t peer_len = sizeof(peer), local_len = sizeof(local);
	int fd;

	fd = accept4(listener, any(&peer), &peer_len, SOCK_CLOEXEC);
	if (fd < 0)
		return -errno;
	/* Nobody else can have the address that our socket has. */
	*ours = client >= 0 && !getsockname(client, any(&local), &local_len) &&
		peer.sin_port == local.sin_port &&
		peer.sin_addr.s_addr == local.sin_addr.s_addr;
	return fd;
}

static int tcp_tune(int fd)
{
	int on = 1;

	if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)))
		return -errno;
	return 0;
}

const struct tw_transport_ops tw_transport_tcp = {
	"tcp", tcp_listen, tcp_connect, tcp_accept, tcp_tune
};

uint16_t tw_transport_port(int listener)
{
	struct sockaddr_in addr = { .sin_port = 0 };
	socklen_t len = sizeof(addr);

	getsockname(listener, any(&addr), &len);
	return ntohs(addr.sin_port);
}
