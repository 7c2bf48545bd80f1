/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an emulator of one process does not know of sockets. */
#ifndef LACKS_H
#define LACKS_H

#include <net/if.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Whether option @name of SOL_SOCKET cannot be set and read back. */
static inline bool lacks_option(int name, const void *value, socklen_t size)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char got[IF_NAMESIZE] = "";
	socklen_t len = sizeof(got);
	bool lacks = setsockopt(fd, SOL_SOCKET, name, value, size) ||
		     getsockopt(fd, SOL_SOCKET, name, got, &len) ||
		     memcmp(got, value, size);

	close(fd);
	return lacks;
}

static inline bool lacks_interface(void)
{
	return lacks_option(SO_BINDTODEVICE, "lo", sizeof("lo"));
}

static inline bool lacks_busy_poll(void)
{
	const int none = 0;

	return lacks_option(SO_BUSY_POLL, &none, sizeof(none));
}

#endif /* LACKS_H */
