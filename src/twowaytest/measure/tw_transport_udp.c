// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * UDP: two connected sockets, so that the kernel keeps strangers away from
 * them. The listener holds the port, and gets what strangers send there.
 */
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "measure/tw_datagram.h"
#include "measure/tw_transport_kinds.h"

#define QUEUE_MAX	4096	/* datagrams; more than a queue holds */

static int let_share(int fd)
{
	int on = 1;

	return setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
}

/* @share: before the port is taken, which it then shares with a listener. */
static int open_at(const union tw_address *address, bool share)
{
	int fd = socket(address->any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int err;

	if (fd < 0)
		return -errno;
	if ((share && let_share(fd)) ||
	    bind(fd, &address->any, tw_address_size(address))) {
		err = -errno;
		close(fd);
		return err;
	}
	return fd;
}

/* Refuses a port that is taken; then lets the links share it. */
static int udp_listen(const union tw_address *address)
{
	int fd = open_at(address, false);

	if (fd >= 0)
		let_share(fd);
	return fd;
}

static int udp_refuse(int listener)
{
	char byte;

	return recv(listener, &byte, 1, MSG_DONTWAIT) < 0 ? -errno : 0;
}

static int address_of(int fd, union tw_address *address)
{
	socklen_t len = sizeof(*address);

	return getsockname(fd, &address->any, &len) ? -errno : 0;
}

static int connect_to(int fd, int other)
{
	union tw_address address;
	int err = address_of(other, &address);

	if (err)
		return err;
	return connect(fd, &address.any, tw_address_size(&address)) ? -errno :
								      0;
}

/* What came before the sockets were connected. */
static uint64_t drain(int fd)
{
	uint64_t count = 0;

	while (count < QUEUE_MAX && !udp_refuse(fd))
		count++;
	return count;
}

static int open_ends(int listener, struct tw_link *link)
{
	union tw_address address;
	int err = address_of(listener, &address);

	if (err)
		return err;
	link->server_fd = open_at(&address, true);
	if (link->server_fd < 0)
		return link->server_fd;
	/* The port is at the same place in both families. */
	address.in.sin_port = 0;
	link->client_fd = open_at(&address, false);
	if (link->client_fd >= 0)
		return 0;
	close(link->server_fd);
	return link->client_fd;
}

static int udp_link(int listener, struct tw_link *link, uint64_t *strangers)
{
	int err = open_ends(listener, link);

	if (err)
		return err;
	err = connect_to(link->client_fd, link->server_fd);
	if (!err)
		err = connect_to(link->server_fd, link->client_fd);
	if (err) {
		close(link->client_fd);
		close(link->server_fd);
		return err;
	}
	*strangers += drain(link->server_fd) + drain(link->client_fd);
	return 0;
}

const struct tw_transport_ops tw_transport_udp = {
	.name = "udp", .listen = udp_listen, .link = udp_link,
	.refuse = udp_refuse,
	.needs = "is the loopback interface up, and not filtered?",
	.size_max = TW_DATAGRAM_MAX, .internet = true, .datagrams = true,
};
