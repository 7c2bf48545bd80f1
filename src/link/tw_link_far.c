// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stddef.h>

#include "tw_config.h"
#include "tw_loop.h"
#include "tw_say.h"
#include "tw_time.h"
#include "tw_transport.h"

#define SILENT_NS	(9 * TW_NS_PER_S)

static int (*plain)(const struct tw_loop *loop, struct tw_cycle *cycle);

/*
 * Whether the server can have read these times: its sleep lies within the
 * response, as far as the clocks' rates are the same.
 */
static bool is_possible(const struct tw_cycle *cycle)
{
	int64_t response_ns = cycle->t3_ns - cycle->t0_ns;

	return cycle->t1_ns >= 0 && cycle->t2_ns >= cycle->t1_ns &&
	       cycle->t2_ns - cycle->t1_ns <=
	       response_ns + response_ns / 1000 + 1000 &&
	       cycle->t2_ns < INT64_MAX / 2;
}

/* A clock that can be set; no sleep is shorter than it was asked for. */
static bool was_set(const struct tw_loop *loop, const struct tw_cycle *cycle)
{
	return tw_config.clock->can_jump &&
	       (!is_possible(cycle) || cycle->t2_ns - cycle->t1_ns <
				       loop->sleep_ns - loop->sleep_ns / 8);
}

/*
 * Over udp, no socket tells that a host is gone, or a firewall between both, and
 * ssh does not for hours. A datagram that is lost is followed by others.
 */
static bool is_silent(const struct tw_loop *loop, int64_t since_ns,
		      int64_t now_ns)
{
	if (now_ns - since_ns < SILENT_NS +
				2 * (loop->period_ns + loop->sleep_ns))
		return false;
	tw_say_warn("no reply has come for %d s over udp: the other host is gone, or there is a firewall\n",
		    (int)((now_ns - since_ns) / TW_NS_PER_S));
	return true;
}

static int exchange(const struct tw_loop *loop, struct tw_cycle *cycle)
{
	static int64_t heard_ns;	/* by this client, CLOCK_MONOTONIC */
	int err = plain(loop, cycle);
	int64_t now_ns = tw_now_ns(CLOCK_MONOTONIC);

	if (!err || !heard_ns)
		heard_ns = now_ns;
	if (err == TW_LINK_LOST && is_silent(loop, heard_ns, now_ns))
		return -ETIMEDOUT;
	if (err)
		return err;
	return was_set(loop, cycle) ? TW_LINK_SET :
	       is_possible(cycle) ? 0 : -EPROTO;
}

void tw_link_far(struct tw_link_ops *link)
{
	plain = link->exchange;
	link->exchange = exchange;
	link->take = NULL;
}
