/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The connections over which two hosts measure. The server listens for one run
 * only; whoever connects has to begin with that run's cookie and the number of
 * the pair. All waits have a limit. Called by main.
 */
#ifndef TW_MEET_H
#define TW_MEET_H

#include <stddef.h>

#include "host/tw_terms.h"
#include "measure/tw_transport.h"

/* Time without a sign of life after which a host counts as gone. */
#define TW_ALIVE_S	10
#define TW_NO_LIFE	"nothing has come from %s for %d s; is the host or the link down?"

/* What a connection begins with. */
#define TW_GREETING	(TW_COOKIE + 8)

/* The server's side. Initialise it with tw_meet_init(). */
struct tw_meet {
	const struct tw_transport_ops *ops;
	unsigned int pairs;
	size_t size;			/* of a request */
	uint8_t cookie[TW_COOKIE];
	/* Datagrams come from there, from any port; AF_UNSPEC: anywhere. */
	union tw_address from;
	int fds[TW_FAR_PAIRS];		/* of pairs; -1: not there yet */
	int listener;			/* of streams; -1: none */
	uint64_t strangers;
};

void tw_meet_init(struct tw_meet *meet);

/*
 * Chooses a cookie and listens on @local, whose port is set: on any port if 0,
 * else there and, for datagrams, on those after it. Returns 0, and the ports in
 * *granted; or -errno.
 */
int tw_meet_open(struct tw_meet *meet, const struct tw_transport_ops *ops,
		 const union tw_address *local, unsigned int pairs,
		 size_t size, struct tw_granted *granted);

/*
 * Waits until all pairs are there, and listens no longer. What does not begin
 * with the cookie is closed, or dropped, and counted. Returns 0; -ETIMEDOUT;
 * -EINTR: one of @wake_fds (-1: none) can be read; or -errno.
 */
int tw_meet_await(struct tw_meet *meet, const int wake_fds[2], int limit_ms);

/* Returns the descriptor of a pair, blocking; from then on the caller's. */
int tw_meet_take(struct tw_meet *meet, unsigned int pair);

void tw_meet_close(struct tw_meet *meet);

/*
 * The client's side: connects pair @pair to @address, with its port, and sends
 * the greeting. Returns a blocking socket, or -errno.
 */
int tw_meet_connect(const struct tw_transport_ops *ops,
		    const union tw_address *address,
		    const uint8_t cookie[TW_COOKIE], unsigned int pair,
		    size_t size, int limit_ms);

/* Sends the greeting again, for datagrams: it may have been lost. */
void tw_meet_greet(int fd, const uint8_t cookie[TW_COOKIE], unsigned int pair,
		   size_t size);

/* The kernel ends a connection whose other host is gone. 0 or -errno. */
int tw_meet_watch(int fd);

/* Connects a socket of @type to @address. Returns it, non-blocking, or -errno. */
int tw_meet_dial(int type, const union tw_address *address, int limit_ms);

/* The port of an address, in the byte order of the host. */
uint16_t tw_meet_port(const union tw_address *address);
void tw_meet_set_port(union tw_address *address, uint16_t port);

#endif /* TW_MEET_H */
