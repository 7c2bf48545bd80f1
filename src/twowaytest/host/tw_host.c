// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tw_time.h"
#include "host/tw_host.h"
#include "host/tw_meet.h"

static int parse_port(const char *text, uint16_t *port)
{
	unsigned long number;
	char *end;

	if (!isdigit((unsigned char)*text))
		return -EINVAL;
	number = strtoul(text, &end, 10);
	if (*end || !number || number > UINT16_MAX)
		return -EINVAL;
	*port = (uint16_t)number;
	return 0;
}

int tw_host_split(const char *text, char host[TW_HOST_NAME], uint16_t *port)
{
	const char *end = strchr(text, ':');
	const char *bracket = *text == '[' ? strchr(text, ']') : NULL;
	size_t len;

	if (*text == '[' && !bracket)
		return -EINVAL;
	if (bracket) {
		text++;
		end = bracket[1] ? bracket + 1 : NULL;
		len = (size_t)(bracket - text);
	} else if (end && strchr(end + 1, ':')) {
		end = NULL;	/* an address of IPv6, without a port */
		len = strlen(text);
	} else {
		len = end ? (size_t)(end - text) : strlen(text);
	}
	if (!len || len >= TW_HOST_NAME || (end && *end != ':'))
		return -EINVAL;
	memcpy(host, text, len);
	host[len] = '\0';
	return end ? parse_port(end + 1, port) : 0;
}

bool tw_host_is_plain(const char *host)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789.-_:%@";

	return *host && *host != '-' && !host[strspn(host, allowed)];
}

/* Addresses of @host for TCP; NULL: *why is the reason. */
static struct addrinfo *look_up(const char *host, const char **why)
{
	const struct addrinfo hints = {
		.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM,
	};
	struct addrinfo *found;
	int err = getaddrinfo(host, NULL, &hints, &found);

	*why = err ? gai_strerror(err) : NULL;
	return err ? NULL : found;
}

/* False if it is of no family that we know. */
static bool take(const struct addrinfo *info, uint16_t port,
		 union tw_address *address)
{
	if (info->ai_addrlen > sizeof(*address))
		return false;
	memset(address, 0, sizeof(*address));
	memcpy(address, info->ai_addr, info->ai_addrlen);
	tw_meet_set_port(address, port);
	return true;
}

int tw_host_dial(const char *host, uint16_t port, int limit_ms,
		 union tw_address *address, const char **why)
{
	int64_t end_ns = tw_now_ns(CLOCK_MONOTONIC) + limit_ms * TW_NS_PER_MS;
	struct addrinfo *found = look_up(host, why), *info;
	int fd = -EADDRNOTAVAIL;

	if (!found)
		return fd;
	for (info = found; info && fd < 0; info = info->ai_next)
		if (take(info, port, address))
			fd = tw_meet_dial(SOCK_STREAM, address,
					  tw_left_ms(end_ns));
	freeaddrinfo(found);
	*why = fd < 0 ? strerror(-fd) : NULL;
	return fd;
}

const char *tw_host_find(const char *host, uint16_t port,
			 union tw_address *address)
{
	const char *why;
	struct addrinfo *found = look_up(host, &why), *info;

	for (info = found; info && !take(info, port, address);
	     info = info->ai_next)
		;
	if (found)
		freeaddrinfo(found);
	return why;
}
