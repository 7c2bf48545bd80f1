// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <linux/vm_sockets.h>

#include "tw_await.h"
#include "tw_link.h"
#include "tw_loop.h"
#include "tw_wire.h"

/*
 * What connect() and accept() may take. The kernel's network may get no CPU
 * beside real-time tasks, nor then its timers, on which both depend.
 */
#define CONNECT_MS	5000

int tw_link_await(int fd, const struct sockaddr *to, socklen_t len,
		  int other_fd, int64_t end_ns)
{
	int result, err;
	socklen_t size = sizeof(result);

	if (fcntl(fd, F_SETFL, O_NONBLOCK))
		return -errno;
	err = connect(fd, to, len) ? -errno : 0;
	if (err == -EINPROGRESS)
		err = tw_await(fd, POLLOUT, other_fd, end_ns);
	if (err)
		return err;
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &result, &size) ||
	    fcntl(fd, F_SETFL, 0))
		return -errno;
	return -result;
}

/* On one host, connect() ends before accept(), so one process can do both. */
static int connect_both(int listener, int *client_fd, int *server_fd)
{
	struct sockaddr_storage to, own, peer;
	socklen_t len = sizeof(to), own_len = sizeof(own);
	socklen_t peer_len = sizeof(peer);
	int err;

	if (getsockname(listener, (struct sockaddr *)&to, &len))
		return -errno;
	err = tw_link_await(*client_fd, (struct sockaddr *)&to, len, -1,
			    tw_await_in_ms(CONNECT_MS));
	if (!err)
		err = tw_await(listener, POLLIN, -1,
			       tw_await_in_ms(CONNECT_MS));
	if (err)
		return err;
	if (getsockname(*client_fd, (struct sockaddr *)&own, &own_len))
		return -errno;
	*server_fd = accept4(listener, (struct sockaddr *)&peer, &peer_len,
			     SOCK_CLOEXEC);
	if (*server_fd < 0)
		return -errno;
	/* Another process could have connected first. */
	return own_len == peer_len && !memcmp(&own, &peer, own_len) ?
	       0 : -EPERM;
}

/*
 * open() of a stream whose client and server both get the address @own, with a
 * port that the kernel chooses. -EPERM: another process was faster to connect.
 */
static int connect_at(const struct sockaddr *own, socklen_t len, int *client_fd,
		      int *server_fd)
{
	int listener = socket(own->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int err;

	*server_fd = -1;
	*client_fd = socket(own->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (listener < 0 || *client_fd < 0 || bind(listener, own, len) ||
	    bind(*client_fd, own, len) || listen(listener, 1))
		err = -errno;
	else
		err = connect_both(listener, client_fd, server_fd);
	if (listener >= 0)
		close(listener);
	return err;
}

static int no_delay(int fd)
{
	int on = 1;

	return setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

/* On 127.0.0.1, without Nagle's delay. */
static int tcp_open(int *client_fd, int *server_fd)
{
	const struct sockaddr_in own = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int err = connect_at((const struct sockaddr *)&own, sizeof(own),
			     client_fd, server_fd);

	if (err)
		return err;
	return no_delay(*client_fd) || no_delay(*server_fd) ? -errno : 0;
}

/* Here and below, the clock is read before errors are looked at. */
static int stream_exchange(const struct tw_loop *loop, struct tw_cycle *cycle)
{
	struct tw_reply reply;
	int err;

	err = tw_wire_send(loop->fd, loop->request, loop->size, loop->stop);
	if (!err)
		err = tw_wire_receive(loop->fd, &reply, sizeof(reply),
				      loop->stop);
	cycle->t3_ns = loop->now_ns();
	if (err)
		return err;
	if (le64toh(reply.seq) != cycle->seq)
		return -EPROTO;
	cycle->t1_ns = (int64_t)le64toh(reply.t1_ns);
	cycle->t2_ns = (int64_t)le64toh(reply.t2_ns);
	return 0;
}

static void poll_wait(int fd, const atomic_int *stop)
{
	struct pollfd ready = { .fd = fd, .events = POLLIN };

	poll(&ready, 1, -1);
}

const struct tw_wait_ops tw_wait_poll = {
	"poll", NULL, poll_wait
};

static int stream_take(const struct tw_loop *loop, int wait_fd,
		       struct tw_reply *reply)
{
	struct tw_request *request = loop->request;
	int err;

	loop->wait->wait(wait_fd, loop->stop);
	err = tw_wire_receive(loop->fd, request, loop->size, loop->stop);
	reply->t1_ns = htole64(loop->now_ns());
	if (err)
		return err;
	reply->seq = htole64(le64toh(reply->seq) + 1);
	return request->seq == reply->seq ? 0 : -EPROTO;
}

const struct tw_link_ops tw_link_tcp = {
	"tcp", "the loopback interface", tcp_open, stream_exchange,
	stream_take
};

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

	return connect_at((const struct sockaddr *)&own, sizeof(own),
			  client_fd, server_fd);
}

const struct tw_link_ops tw_link_unix = {
	"unix", "a kernel with Unix sockets", unix_open, stream_exchange,
	stream_take
};

const struct tw_link_ops tw_link_vsock = {
	"vsock", "the kernel's vsock loopback (CONFIG_VSOCKETS_LOOPBACK; modprobe vsock_loopback)",
	vsock_open, stream_exchange, stream_take
};
