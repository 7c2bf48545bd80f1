// SPDX-License-Identifier: GPL-2.0-or-later
/* What client and server of the connections have in common; the client. */
#include <endian.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <string.h>
#include <unistd.h>

#include "base/tw_time.h"
#include "host/tw_meet.h"
#include "host/tw_meet_greeting.h"

#define PROBE_S		2	/* between two questions whether it is there */

uint16_t tw_meet_port(const union tw_address *address)
{
	/* The same place in both families. */
	return ntohs(address->in.sin_port);
}

void tw_meet_set_port(union tw_address *address, uint16_t port)
{
	address->in.sin_port = htons(port);
}

int tw_meet_watch(int fd)
{
	const struct {
		int level, name, value;
	} options[] = {
		/* Nothing comes: the kernel asks whether it is still there. */
		{ SOL_SOCKET, SO_KEEPALIVE, 1 },
		{ IPPROTO_TCP, TCP_KEEPIDLE, TW_ALIVE_S - 3 * PROBE_S },
		{ IPPROTO_TCP, TCP_KEEPINTVL, PROBE_S },
		{ IPPROTO_TCP, TCP_KEEPCNT, 3 },
		/* What was sent is not acknowledged. */
		{ IPPROTO_TCP, TCP_USER_TIMEOUT, TW_ALIVE_S * 1000 },
	};
	size_t i;

	for (i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (setsockopt(fd, options[i].level, options[i].name,
			       &options[i].value, sizeof(int)))
			return -errno;
	return 0;
}

size_t tw_meet_greeting(char buf[TW_GREETING_MAX],
			const uint8_t cookie[TW_COOKIE], unsigned int pair,
			size_t size)
{
	uint64_t number = htobe64(pair);

	memset(buf, 0, TW_GREETING_MAX);
	memcpy(buf, cookie, TW_COOKIE);
	memcpy(buf + TW_COOKIE, &number, sizeof(number));
	/* A late one must not be taken for a request. */
	return size == TW_GREETING ? TW_GREETING_MAX : TW_GREETING;
}

int64_t tw_meet_check(const char *buf, size_t len, const struct tw_meet *meet)
{
	bool longer = meet->ops->datagrams && meet->size == TW_GREETING;
	volatile uint8_t differs = 0;
	uint64_t number;
	size_t i;

	if (len != (longer ? TW_GREETING_MAX : TW_GREETING))
		return -1;
	/* In a time that does not tell how much of it is right. */
	for (i = 0; i < TW_COOKIE; i++)
		differs |= (uint8_t)buf[i] ^ meet->cookie[i];
	memcpy(&number, buf + TW_COOKIE, sizeof(number));
	number = be64toh(number);
	return differs || number >= meet->pairs ? -1 : (int64_t)number;
}

int tw_meet_dial(int type, const union tw_address *address, int limit_ms)
{
	int fd = socket(address->any.sa_family,
			type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int err = 0;

	if (fd < 0)
		return -errno;
	if (connect(fd, &address->any, tw_address_size(address)))
		err = errno == EINPROGRESS ? tw_transport_await(fd, limit_ms) :
					     -errno;
	if (err) {
		close(fd);
		return err;
	}
	return fd;
}

void tw_meet_greet(int fd, const uint8_t cookie[TW_COOKIE], unsigned int pair,
		   size_t size)
{
	char buf[TW_GREETING_MAX];

	send(fd, buf, tw_meet_greeting(buf, cookie, pair, size),
	     MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* A new connection has room for the greeting. */
static int greet_stream(int fd, const struct tw_transport_ops *ops,
			const char *buf)
{
	if (send(fd, buf, TW_GREETING, MSG_NOSIGNAL) != TW_GREETING)
		return errno ? -errno : -EAGAIN;
	return ops->tune(fd);
}

int tw_meet_connect(const struct tw_transport_ops *ops,
		    const union tw_address *address,
		    const uint8_t cookie[TW_COOKIE], unsigned int pair,
		    size_t size, int limit_ms)
{
	char buf[TW_GREETING_MAX];
	int fd, err = 0;

	fd = tw_meet_dial(ops->datagrams ? SOCK_DGRAM : SOCK_STREAM, address,
			  limit_ms);
	if (fd < 0)
		return fd;
	tw_meet_greeting(buf, cookie, pair, size);
	if (ops->datagrams) {
		tw_meet_greet(fd, cookie, pair, size);
	} else {
		err = greet_stream(fd, ops, buf);
		if (!err)
			err = tw_meet_watch(fd);
	}
	if (!err)
		err = tw_transport_make_blocking(fd);
	if (err) {
		close(fd);
		return err;
	}
	return fd;
}
