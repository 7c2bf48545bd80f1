/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Both ends of a link over this host, for tests of something else. */
#ifndef ENDS_H
#define ENDS_H

#include <unistd.h>

#include "measure/tw_transport_kinds.h"
#include "unit.h"

static inline struct tw_link link_over(struct tw_transport *transport)
{
	uint64_t strangers = 0;
	struct tw_link link;
	int listener;

	assert_int_equal(tw_transport_listen(transport, 0, &listener), 0);
	assert_int_equal(tw_transport_link(transport, listener, &link,
					   &strangers), 0);
	if (listener >= 0)
		close(listener);
	return link;
}

static inline struct tw_link link_as(const struct tw_transport_ops *ops)
{
	struct tw_transport transport;

	tw_transport_init(&transport);
	transport.ops = ops;
	return link_over(&transport);
}

static inline void close_ends(const struct tw_link *link)
{
	close(link->client_fd);
	close(link->server_fd);
}

#endif /* ENDS_H */
