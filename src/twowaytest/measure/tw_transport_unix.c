// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Unix sockets: the kernel makes both ends at once. There is no name that a
 * stranger could connect to.
 */
#include <errno.h>
#include <sys/socket.h>

#include "measure/tw_transport_kinds.h"

static int link_pair(int type, struct tw_link *link)
{
	int ends[2];

	if (socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends))
		return -errno;
	link->client_fd = ends[0];
	link->server_fd = ends[1];
	return 0;
}

static int link_stream(int listener, struct tw_link *link, uint64_t *strangers)
{
	(void)listener;
	(void)strangers;
	return link_pair(SOCK_STREAM, link);
}

/* Keeps the limits of messages, and loses none. */
static int link_seqpacket(int listener, struct tw_link *link,
			  uint64_t *strangers)
{
	(void)listener;
	(void)strangers;
	return link_pair(SOCK_SEQPACKET, link);
}

#define WHERE	"a pair of Unix sockets"
#define NEEDS	"does this kernel have Unix sockets, and are descriptors left?"

const struct tw_transport_ops tw_transport_unix = {
	.name = "unix", .link = link_stream, .where = WHERE, .needs = NEEDS,
};

const struct tw_transport_ops tw_transport_seqpacket = {
	.name = "seqpacket", .link = link_seqpacket, .where = WHERE,
	.needs = NEEDS,
};
