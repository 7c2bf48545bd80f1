/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Transports of requests; each has an ops struct. main connects client and
 * server before it forks them; their loops only send and receive.
 */
#ifndef TW_TRANSPORT_H
#define TW_TRANSPORT_H

#include <stdint.h>

struct tw_transport_ops {
	const char *name;
	/*
	 * Listens on the loopback address. @port 0: the kernel chooses one.
	 * Returns a socket, or -errno: -EADDRINUSE; -EACCES if the port is
	 * below 1024.
	 */
	int (*listen)(uint16_t port);
	/*
	 * Returns a non-blocking socket that connects to @listener, or -errno.
	 */
	int (*connect)(int listener);
	/*
	 * Returns the next connection to @listener, or -errno; -EAGAIN: none.
	 * *ours: whether @client is its other end.
	 */
	int (*accept)(int listener, int client, int *ours);
	/* Sets socket options for the measurement. Returns 0 or -errno. */
	int (*tune)(int fd);
};

extern const struct tw_transport_ops tw_transport_tcp;

/* A connection: both ends are blocking and tuned. */
struct tw_link {
	int client_fd;
	int server_fd;
};

/*
 * Connects to @listener and finds its own connection among those accepted.
 * Closes all others and adds their number to *strangers. Returns 0 or -errno;
 * -ETIMEDOUT after 2 s.
 */
int tw_transport_link(const struct tw_transport_ops *ops, int listener,
		      struct tw_link *link, uint64_t *strangers);

/*
 * Refuses the connections made to @listener since then. Returns their number.
 */
uint64_t tw_transport_turn_away(const struct tw_transport_ops *ops,
				int listener);

/* Returns the port of @listener. */
uint16_t tw_transport_port(int listener);

#endif /* TW_TRANSPORT_H */
