// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "tw_link_far.h"
#include "tw_loop.h"

bool tw_far_swaps;

/* As on one host, the clock is read before errors are looked at. */
static int exchange(const struct tw_loop *loop, struct tw_cycle *cycle)
{
	struct tw_reply reply;
	int err;

	tw_far_order_request(loop->request);
	err = tw_wire_send(loop->fd, loop->request, loop->size, loop->stop);
	if (!err)
		err = tw_wire_receive(loop->fd, &reply, sizeof(reply),
				      loop->stop);
	cycle->t3_ns = loop->now_ns();
	if (err)
		return err;
	tw_far_order(&reply);
	cycle->t1_ns = reply.t1_ns;
	cycle->t2_ns = reply.t2_ns;
	return reply.seq == cycle->seq && tw_far_possible(cycle) ? 0 : -EPROTO;
}

const struct tw_link_ops tw_link_far_tcp = {
	.name = "tcp", .exchange = exchange
};
