/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Between hosts, messages have the server's byte order, so that its loop is the
 * same as on one host: the client converts.
 */
#ifndef TW_LINK_FAR_H
#define TW_LINK_FAR_H

#include <arpa/inet.h>
#include <byteswap.h>
#include <stdbool.h>
#include <stdint.h>

struct tw_link_ops;

/* Turns tcp or udp into that of a client whose server is on another host. */
void tw_link_far(struct tw_link_ops *link);

/* Of this host; whether the other one's is another. Set before the start. */
static inline const char *tw_link_far_order_name(void)
{
	return htonl(1) == 1 ? "big" : "little";
}
extern bool tw_link_far_swaps;

static inline uint64_t tw_link_far_order(uint64_t number)
{
	return tw_link_far_swaps ? bswap_64(number) : number;
}

#endif /* TW_LINK_FAR_H */
