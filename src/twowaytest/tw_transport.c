// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tw_time.h"
#include "tw_transport.h"

#define LINK_TIMEOUT_NS	(2 * TW_NS_PER_S)
#define TURN_AWAY_MAX	128	/* a flood of them must not hold main up */

static int make_blocking(int fd)
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

static int connected(int fd)
{
	struct pollfd ready = { .fd = fd, .events = POLLOUT };
	socklen_t len = sizeof(int);
	int err = 0;

	if (poll(&ready, 1, LINK_TIMEOUT_NS / TW_NS_PER_MS) != 1)
		return -ETIMEDOUT;
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &len))
		return -errno;
	return -err;
}

int tw_transport_link(const struct tw_transport_ops *ops, int listener,
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

	err = connected(client);
	if (!err)
		err = make_blocking(client);
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

uint64_t tw_transport_turn_away(const struct tw_transport_ops *ops,
				int listener)
{
	uint64_t count;
	int fd, ours;

	for (count = 0; count < TURN_AWAY_MAX; count++) {
		fd = ops->accept(listener, -1, &ours);
		if (fd < 0)
			break;
		close(fd);
	}
	return count;
}
