// SPDX-License-Identifier: GPL-2.0-or-later
/* Sockets between virtual machines and their host; here within one system. */
#include <errno.h>
#include <sys/socket.h>
#include <linux/vm_sockets.h>
#include <unistd.h>

#include "measure/tw_transport_kinds.h"

#define BACKLOG	128

#ifndef VMADDR_CID_LOCAL
#define VMADDR_CID_LOCAL	1
#endif

static struct sockaddr *any(struct sockaddr_vm *address)
{
	return (struct sockaddr *)address;
}

static int open_socket(void)
{
	int fd = socket(AF_VSOCK, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
			0);

	return fd < 0 ? -errno : fd;
}

/* Its ports are not those of IP: the kernel chooses one. */
static int vsock_listen(const union tw_address *unused)
{
	struct sockaddr_vm address = {
		.svm_family = AF_VSOCK, .svm_cid = VMADDR_CID_LOCAL,
		.svm_port = VMADDR_PORT_ANY,
	};
	int fd = open_socket();
	int err;

	(void)unused;
	if (fd < 0)
		return fd;
	if (bind(fd, any(&address), sizeof(address)) || listen(fd, BACKLOG)) {
		err = -errno;
		close(fd);
		return err;
	}
	return fd;
}

static int vsock_connect(int listener)
{
	struct sockaddr_vm address;
	socklen_t len = sizeof(address);
	int fd, err;

	if (getsockname(listener, any(&address), &len))
		return -errno;
	fd = open_socket();
	if (fd < 0)
		return fd;
	if (connect(fd, any(&address), len) && errno != EINPROGRESS) {
		err = -errno;
		close(fd);
		return err;
	}
	return fd;
}

static int vsock_accept(int listener, int client, int *ours)
{
	struct sockaddr_vm peer, local;
	socklen_t peer_len = sizeof(peer), local_len = sizeof(local);
	int fd;

	fd = accept4(listener, any(&peer), &peer_len, SOCK_CLOEXEC);
	if (fd < 0)
		return -errno;
	/* Of one system, no two sockets have the same port. */
	*ours = client >= 0 && !getsockname(client, any(&local), &local_len) &&
		peer.svm_cid == VMADDR_CID_LOCAL &&
		peer.svm_port == local.svm_port;
	return fd;
}

static int vsock_tune(int fd)
{
	(void)fd;
	return 0;
}

const struct tw_transport_ops tw_transport_vsock = {
	.name = "vsock", .listen = vsock_listen, .connect = vsock_connect,
	.accept = vsock_accept, .tune = vsock_tune,
	.where = "the local vsock address",
	.needs = "the kernel needs its vsock loopback (CONFIG_VSOCKETS_LOOPBACK; modprobe vsock_loopback)",
};
