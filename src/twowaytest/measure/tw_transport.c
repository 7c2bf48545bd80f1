// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/tw_time.h"
#include "measure/tw_transport.h"

#define LINK_TIMEOUT_NS	(2 * TW_NS_PER_S)
#define TURN_AWAY_MAX	128	/* a flood of them must not hold main up */

void tw_transport_init(struct tw_transport *transport)
{
	memset(transport, 0, sizeof(*transport));
	transport->ops = &tw_transport_tcp;
	transport->address.in.sin_family = AF_INET;
	transport->address.in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	transport->where = "127.0.0.1";
}

/* The same place in both families. */
static in_port_t *port_in(union tw_address *address)
{
	return address->any.sa_family == AF_INET6 ? &address->in6.sin6_port :
						    &address->in.sin_port;
}

int tw_transport_listen(const struct tw_transport *transport, uint16_t port,
			int *listener)
{
	union tw_address address = transport->address;
	int fd;

	*listener = -1;
	if (!transport->ops->listen)
		return 0;
	*port_in(&address) = htons(port);
	fd = transport->ops->listen(&address);
	if (fd < 0)
		return fd;
	*listener = fd;
	return 0;
}

uint16_t tw_transport_port(int listener)
{
	union tw_address address = { .in.sin_port = 0 };
	socklen_t len = sizeof(address);

	getsockname(listener, &address.any, &len);
	return ntohs(*port_in(&address));
}

int tw_transport_make_blocking(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || fcntl(fd, F_SETFL, flags & ~O_NONBLOCK))
		return -errno;
	return 0;
}

/* The one connection whose other end is @client, or -errno. */
static int accept_ours(const struct tw_transport_ops *ops, int listener,
		       int client, uint64_t *strangers)
{
	struct pollfd ready = { .fd = listener, .events = POLLIN };
	int64_t deadline = tw_now_ns(CLOCK_MONOTONIC) + LINK_TIMEOUT_NS;
	int fd, ours;

	for (;;) {
		fd = ops->accept(listener, client, &ours);
		if (fd >= 0 && ours)
			return fd;
		if (fd >= 0) {
			close(fd);
			++*strangers;
		} else if (fd == -EAGAIN) {
			poll(&ready, 1, 10);
		} else if (fd != -EINTR && fd != -ECONNABORTED) {
			return fd;
		}
		if (tw_now_ns(CLOCK_MONOTONIC) > deadline)
			return -ETIMEDOUT;
	}
}

int tw_transport_await(int fd, int limit_ms)
{
	struct pollfd ready = { .fd = fd, .events = POLLOUT };
	socklen_t len = sizeof(int);
	int err = 0;

	if (poll(&ready, 1, limit_ms) != 1)
		return -ETIMEDOUT;
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &len))
		return -errno;
	return -err;
}

static int connect_and_accept(const struct tw_transport_ops *ops, int listener,
			      struct tw_link *link, uint64_t *strangers)
{
	int client, server, err;

	client = ops->connect(listener);
	if (client < 0)
		return client;
	server = accept_ours(ops, listener, client, strangers);
	if (server < 0) {
		err = server;
		goto out_client;
	}

	err = tw_transport_await(client, LINK_TIMEOUT_NS / TW_NS_PER_MS);
	if (!err)
		err = tw_transport_make_blocking(client);
	if (!err)
		err = ops->tune(client);
	if (!err)
		err = ops->tune(server);
	if (err)
		goto out_server;

	link->client_fd = client;
	link->server_fd = server;
	return 0;

out_server:
	close(server);
out_client:
	close(client);
	return err;
}

static void close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

int tw_transport_settle(struct tw_transport *transport, struct tw_link *link)
{
	int err = 0;

	transport->failed = NULL;
	if (transport->settle)
		err = transport->settle(link, &transport->failed);
	if (err) {
		close_end(&link->client_fd);
		close_end(&link->server_fd);
	}
	return err;
}

int tw_transport_link(struct tw_transport *transport, int listener,
		      struct tw_link *link, uint64_t *strangers)
{
	const struct tw_transport_ops *ops = transport->ops;
	struct tw_link made = { -1, -1 };
	int err;

	transport->failed = NULL;
	err = ops->link ? ops->link(listener, &made, strangers) :
			  connect_and_accept(ops, listener, &made, strangers);
	if (!err)
		err = tw_transport_settle(transport, &made);
	if (!err)
		*link = made;
	return err;
}

static int refuse_connection(const struct tw_transport_ops *ops, int listener)
{
	int ours;
	int fd = ops->accept(listener, -1, &ours);

	return fd < 0 ? fd : close(fd);
}

uint64_t tw_transport_turn_away(const struct tw_transport_ops *ops,
				int listener)
{
	uint64_t count;
	int err;

	for (count = 0; count < TURN_AWAY_MAX; count++) {
		err = ops->refuse ? ops->refuse(listener) :
				    refuse_connection(ops, listener);
		if (err < 0)
			break;
	}
	return count;
}
