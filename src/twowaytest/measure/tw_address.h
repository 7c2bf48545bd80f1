/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loopback addresses of IP as text. */
#ifndef TW_ADDRESS_H
#define TW_ADDRESS_H

#include "measure/tw_transport.h"

#define TW_ADDRESS_TEXT	INET6_ADDRSTRLEN

/*
 * Reads a numeric address, of IPv6 also in brackets; its port is 0. Returns 0;
 * -EINVAL: it is none; -EADDRNOTAVAIL: it is not of the loopback.
 */
int tw_address_parse(const char *text, union tw_address *address);

/* Writes it to @text, without brackets. Returns @text. */
const char *tw_address_format(const union tw_address *address,
			      char text[TW_ADDRESS_TEXT]);

#endif /* TW_ADDRESS_H */
