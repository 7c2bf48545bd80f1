/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How requests travel: one ops struct a transport. Main makes the connection
 * before it forks the two sides; the loops then just send and receive.
 */
#ifndef TW_TRANSPORT_H
#define TW_TRANSPORT_H

#include <stdint.h>

struct tw_transport_ops {
	const char *name;
	/*
	 * Listens on the loopback address at @port, or for 0 at one that the
	 * kernel chooses. Returns the socket, or -errno: -EADDRINUSE,
	 * -EACCES (a port below 1024).
	 */
	int (*listen)(uint16_t port);
	/* A non-blocking socket that is connecting to @listener, or -errno. */
	int (*connect)(int listener);
	/*
	 * The next connection that waits at @listener, or -errno: -EAGAIN if
	 * there is none. *ours tells whether @client is its other end.
	 */
	int (*accept)(int listener, int client, int *ours);
	/* Sets what the measurement wants of an end; 0 or -errno. */
	int (*tune)(int fd);
};

extern const struct tw_transport_ops tw_transport_tcp;

/* One connection: both ends, blocking, tuned. */
struct tw_link {
	int client_fd;
	int server_fd;
};

/*
 * Connects to @listener and picks this very connection out of those that
 * arrive; others are closed and counted into *strangers. Errors: -errno,
 * -ETIMEDOUT after 2 s.
 */
int tw_transport_link(const struct tw_transport_ops *ops, int listener,
		      struct tw_link *link, uint64_t *strangers);

/* Closes what has connected to @listener since; returns how many. */
uint64_t tw_transport_turn_away(const struct tw_transport_ops *ops,
				int listener);

/* The port that @listener is bound to. */
uint16_t tw_transport_port(int listener);

#endif /* TW_TRANSPORT_H */
