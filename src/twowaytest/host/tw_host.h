/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names and addresses of hosts, as users write them. Called by main. */
#ifndef TW_HOST_H
#define TW_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/tw_transport.h"

#define TW_HOST_NAME	256

/*
 * Splits "HOST", "HOST:PORT", "[IPv6]:PORT" or "IPv6". @port is unchanged if
 * there is none. Returns 0, or -EINVAL: no host, or no port from 1 to 65535.
 */
int tw_host_split(const char *text, char host[TW_HOST_NAME], uint16_t *port);

/*
 * Whether @host, or USER@HOST, is safe in a command line between quotation
 * marks: it is no option, and has only letters, digits and ".-_:%@".
 */
bool tw_host_is_plain(const char *host);

/*
 * Stores an address of @host. Returns NULL, or why none is known.
 */
const char *tw_host_find(const char *host, uint16_t port,
			 union tw_address *address);

/*
 * Connects a TCP socket to @host, within @limit_ms for all of its addresses
 * together. Returns it, non-blocking, and the address; or -errno. If the name
 * is not known, returns -EADDRNOTAVAIL, and *why is the reason.
 */
int tw_host_dial(const char *host, uint16_t port, int limit_ms,
		 union tw_address *address, const char **why);

#endif /* TW_HOST_H */
