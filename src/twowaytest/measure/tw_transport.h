/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Transports of requests; each has an ops struct. main connects client and
 * server before it forks them; their loops only send and receive.
 */
#ifndef TW_TRANSPORT_H
#define TW_TRANSPORT_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

union tw_address {
	struct sockaddr any;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
	struct sockaddr_storage room;
};

static inline socklen_t tw_address_size(const union tw_address *address)
{
	return address->any.sa_family == AF_INET6 ? sizeof(address->in6) :
						    sizeof(address->in);
}

/* A connection: both ends are blocking and tuned. */
struct tw_link {
	int client_fd;
	int server_fd;
};

struct tw_transport_ops {
	const char *name;
	/*
	 * Listens on @address; its port 0: the kernel chooses one. Returns a
	 * socket, or -errno: -EADDRINUSE; -EACCES if the port is below 1024.
	 * NULL: nothing listens, and there is no port.
	 */
	int (*listen)(const union tw_address *address);
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
	/* In place of connect() and accept(), as tw_transport_link(). */
	int (*link)(int listener, struct tw_link *link, uint64_t *strangers);
	/* In place of accept(): refuses one stranger. Returns 0 or -errno. */
	int (*refuse)(int listener);
	const char *where;	/* for messages: what it has for an address */
	const char *needs;	/* for a message: what to see to */
	int64_t size_max;	/* largest request in bytes; 0: any */
	bool internet;		/* it has an address and a port of IP */
	bool datagrams;		/* each can be lost */
};

extern const struct tw_transport_ops tw_transport_tcp;

/* A transport, and what the user wants of it. */
struct tw_transport {
	const struct tw_transport_ops *ops;
	union tw_address address;
	const char *where;	/* the address, for messages */
	/*
	 * Sets the user's options for a new link. Returns 0; or -errno, and the
	 * option in *failed. NULL: there are none.
	 */
	int (*settle)(const struct tw_link *link, const char **failed);
	const char *failed;	/* "--dscp=46"; NULL: no option failed */
};

/* TCP on 127.0.0.1. */
void tw_transport_init(struct tw_transport *transport);

/*
 * Listens on @port, if the transport does; *listener is -1 if not. Returns 0 or
 * -errno, as listen().
 */
int tw_transport_listen(const struct tw_transport *transport, uint16_t port,
			int *listener);

/*
 * Makes a link. With a @listener, connects to it and finds its own connection
 * among those accepted; closes all others and adds their number to *strangers.
 * Returns 0 or -errno; -ETIMEDOUT after 2 s.
 */
int tw_transport_link(struct tw_transport *transport, int listener,
		      struct tw_link *link, uint64_t *strangers);

/*
 * Sets the user's options for a link; an end that is -1 is on another host.
 * Returns 0; or -errno, and the option in transport->failed. Then the link is
 * closed.
 */
int tw_transport_settle(struct tw_transport *transport, struct tw_link *link);

/*
 * Refuses what strangers have sent to @listener since then. Returns the number
 * of connections, or datagrams.
 */
uint64_t tw_transport_turn_away(const struct tw_transport_ops *ops,
				int listener);

/*
 * Waits until a non-blocking socket is connected. Returns 0; -ETIMEDOUT after
 * @limit_ms; or -errno of the connection.
 */
int tw_transport_await(int fd, int limit_ms);

/* Returns 0 or -errno. */
int tw_transport_make_blocking(int fd);

/* How many segments were sent again over @fd so far; -1: it is not TCP. */
int64_t tw_transport_retransmitted(int fd);

/* Returns the port of @listener; 0: it has none. */
uint16_t tw_transport_port(int listener);

#endif /* TW_TRANSPORT_H */
