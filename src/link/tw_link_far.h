/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests and replies between hosts. They have the server's byte order, so
 * that its loop is the same as on one host: the client converts.
 */
#ifndef TW_LINK_FAR_H
#define TW_LINK_FAR_H

#include <arpa/inet.h>
#include <byteswap.h>
#include <stdbool.h>

#include "tw_cycle.h"
#include "tw_link.h"
#include "tw_wire.h"

/* The exchange() of clients whose server is on another host. */
extern const struct tw_link_ops tw_link_far_tcp;
extern const struct tw_link_ops tw_link_far_udp;

/* Of this host; whether the other one's is another. Set before the start. */
static inline const char *tw_far_order_name(void)
{
	return htonl(1) == 1 ? "big" : "little";
}
extern bool tw_far_swaps;

static inline void tw_far_order_request(struct tw_request *request)
{
	if (tw_far_swaps)
		request->seq = bswap_64(request->seq);
}

static inline void tw_far_order(struct tw_reply *reply)
{
	if (!tw_far_swaps)
		return;
	reply->seq = bswap_64(reply->seq);
	reply->t1_ns = (int64_t)bswap_64(reply->t1_ns);
	reply->t2_ns = (int64_t)bswap_64(reply->t2_ns);
}

/*
 * Whether the server can have read these times: its sleep lies within the
 * response, as far as the clocks' rates are the same.
 */
static inline bool tw_far_possible(const struct tw_cycle *cycle)
{
	int64_t response_ns = cycle->t3_ns - cycle->t0_ns;

	return cycle->t1_ns >= 0 && cycle->t2_ns >= cycle->t1_ns &&
	       cycle->t2_ns - cycle->t1_ns <=
	       response_ns + response_ns / 1000 + 1000 &&
	       cycle->t2_ns < INT64_MAX / 2;
}

#endif /* TW_LINK_FAR_H */
