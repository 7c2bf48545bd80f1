// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tw_run.h"

static int new_socket(void)
{
	return socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

static int no_delay(int fd)
{
	int on = 1;

	return setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

/* On loopback, connect() ends before accept(), so one process can do both. */
static int connect_both(int listener, int *client_fd, int *server_fd)
{
	struct sockaddr_in to, own, peer;
	socklen_t len = sizeof(to);

	if (getsockname(listener, (struct sockaddr *)&to, &len) ||
	    connect(*client_fd, (struct sockaddr *)&to, len) ||
	    getsockname(*client_fd, (struct sockaddr *)&own, &len))
		return -errno;
	*server_fd = accept4(listener, (struct sockaddr *)&peer, &len,
			     SOCK_CLOEXEC);
	if (*server_fd < 0 || no_delay(*client_fd) || no_delay(*server_fd))
		return -errno;
	/* Another process could have connected first. */
	return peer.sin_port == own.sin_port ? 0 : -EPERM;
}

int tw_link_tcp(int *client_fd, int *server_fd)
{
	struct sockaddr_in any = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int listener = new_socket();
	int err;

	*server_fd = -1;
	*client_fd = new_socket();
	if (listener < 0 || *client_fd < 0 ||
	    bind(listener, (struct sockaddr *)&any, sizeof(any)) ||
	    listen(listener, 1))
		err = -errno;
	else
		err = connect_both(listener, client_fd, server_fd);
	if (listener >= 0)
		close(listener);
	return err;
}
