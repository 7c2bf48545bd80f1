// SPDX-License-Identifier: GPL-2.0-or-later
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "measure/tw_address.h"

static bool is_loopback(const union tw_address *address)
{
	if (address->any.sa_family == AF_INET6)
		return IN6_IS_ADDR_LOOPBACK(&address->in6.sin6_addr);
	return ntohl(address->in.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
}

/* @text without its brackets, if it has both. */
static const char *bare(const char *text, char buf[TW_ADDRESS_TEXT])
{
	size_t len = strlen(text);

	if (*text != '[' || text[len - 1] != ']' || len > TW_ADDRESS_TEXT)
		return text;
	snprintf(buf, TW_ADDRESS_TEXT, "%.*s", (int)len - 2, text + 1);
	/* Only addresses of IPv6 stand in brackets. */
	return strchr(buf, ':') ? buf : text;
}

int tw_address_parse(const char *text, union tw_address *address)
{
	char buf[TW_ADDRESS_TEXT];
	const char *number = bare(text, buf);

	memset(address, 0, sizeof(*address));
	if (inet_pton(AF_INET6, number, &address->in6.sin6_addr) == 1)
		address->any.sa_family = AF_INET6;
	else if (inet_pton(AF_INET, number, &address->in.sin_addr) == 1)
		address->any.sa_family = AF_INET;
	else
		return -EINVAL;
	return is_loopback(address) ? 0 : -EADDRNOTAVAIL;
}

const char *tw_address_format(const union tw_address *address,
			      char text[TW_ADDRESS_TEXT])
{
	bool six = address->any.sa_family == AF_INET6;

	inet_ntop(address->any.sa_family,
		  six ? (const void *)&address->in6.sin6_addr :
			(const void *)&address->in.sin_addr,
		  text, TW_ADDRESS_TEXT);
	return text;
}
