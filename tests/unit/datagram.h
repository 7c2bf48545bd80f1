/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The two ends of UDP for the tests of the loops, and what is counted. */
#ifndef DATAGRAM_H
#define DATAGRAM_H

#include <errno.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "measure/tw_datagram.h"
#include "measure/tw_transport_kinds.h"
#include "unit.h"

static struct tw_datagrams counts;

/* Two connected sockets: nothing stays open but these. */
static inline int open_udp(int ends_of[2])
{
	struct tw_transport transport;
	struct tw_link link;
	uint64_t strangers = 0;
	int listener, err;

	tw_transport_init(&transport);
	transport.ops = &tw_transport_udp;
	err = tw_transport_listen(&transport, 0, &listener);
	if (err)
		return err;
	err = tw_transport_link(&transport, listener, &link, &strangers);
	close(listener);
	ends_of[0] = link.client_fd;
	ends_of[1] = link.server_fd;
	return err;
}

static inline void limit_receive(int fd, int ms)
{
	const struct timeval limit = {
		.tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000,
	};

	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit,
				    sizeof(limit)), 0);
}

static inline void assert_counts(const struct tw_datagram_counts *want)
{
	const struct tw_datagram_counts got = tw_datagram_count(&counts);

	assert_int_equal(got.sent, want->sent);
	assert_int_equal(got.answered, want->answered);
	assert_int_equal(got.lost, want->lost);
	assert_int_equal(got.lost_request, want->lost_request);
	assert_int_equal(got.lost_reply, want->lost_reply);
	assert_int_equal(got.late, want->late);
	assert_int_equal(got.duplicate, want->duplicate);
	assert_int_equal(got.reordered, want->reordered);
	assert_int_equal(got.strangers, want->strangers);
	/* Whatever befell. */
	assert_int_equal(got.sent, got.answered + got.lost);
	assert_int_equal(got.lost, got.lost_request + got.lost_reply);
}

#define ASSERT_COUNTS(...) \
	assert_counts(&(const struct tw_datagram_counts) { __VA_ARGS__ })

#endif /* DATAGRAM_H */
