/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who may connect: networks and addresses of IPv4 and IPv6. Pure functions. */
#ifndef TW_ALLOW_H
#define TW_ALLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/tw_transport.h"

#define TW_ALLOW_MAX	32

struct tw_allow_entry {
	int family;		/* AF_INET or AF_INET6 */
	unsigned int bits;	/* of the network */
	uint8_t address[16];	/* IPv4: the first 4 */
};

struct tw_allow {
	unsigned int count;
	struct tw_allow_entry entries[TW_ALLOW_MAX];
};

/*
 * Reads a list such as "192.0.2.0/24,2001:db8::1". Without "/BITS", an entry is
 * one address. "::ffff:192.0.2.0/120" is an entry of IPv4. Returns 0 or
 * -EINVAL; then @why (@size bytes) names the entry and what is wrong with it.
 */
int tw_allow_parse(const char *text, struct tw_allow *allow, char *why,
		   size_t size);

/*
 * Whether an entry has @address. An IPv4-mapped address of IPv6 is one of IPv4;
 * entries of IPv6, even "::/0", have none of these.
 */
bool tw_allow_match(const struct tw_allow *allow,
		    const union tw_address *address);

#endif /* TW_ALLOW_H */
