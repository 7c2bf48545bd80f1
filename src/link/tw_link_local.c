// SPDX-License-Identifier: GPL-2.0-or-later
/* Streams that are not of the Internet: Unix sockets, and vsock. */
#include <errno.h>
#include <sys/socket.h>
#include <linux/vm_sockets.h>

#include "tw_link.h"

#ifndef VMADDR_CID_LOCAL
#define VMADDR_CID_LOCAL	1
#endif

/* The kernel makes both ends: there is no name that others could connect to. */
static int unix_open(int *client_fd, int *server_fd)
{
	int fds[2] = { -1, -1 };
	int err = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) ?
		  -errno : 0;

	*client_fd = fds[0];
	*server_fd = fds[1];
	return err;
}

/* Made for a virtual machine and its host; here both are this system. */
static int vsock_open(int *client_fd, int *server_fd)
{
	const struct sockaddr_vm own = {
		.svm_family = AF_VSOCK, .svm_cid = VMADDR_CID_LOCAL,
		.svm_port = VMADDR_PORT_ANY,
	};

	return tw_link_connect((const struct sockaddr *)&own, sizeof(own),
			       client_fd, server_fd);
}

const struct tw_link_ops tw_link_unix = {
	"unix", "a kernel with Unix sockets", unix_open, tw_link_exchange,
	tw_link_take
};

const struct tw_link_ops tw_link_vsock = {
	"vsock", "the kernel's vsock loopback (CONFIG_VSOCKETS_LOOPBACK; modprobe vsock_loopback)",
	vsock_open, tw_link_exchange, tw_link_take
};
