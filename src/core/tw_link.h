/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What requests and replies go over. main connects client and server before it
 * starts them; their loops call exchange() and take().
 */
#ifndef TW_LINK_H
#define TW_LINK_H

#include <stdatomic.h>
#include <sys/socket.h>

struct tw_cycle;
struct tw_loop;
struct tw_reply;

#define TW_LINK_LOST	1	/* no reply came in time */
#define TW_LINK_SET	2	/* the server's clock was set meanwhile */

struct tw_link_ops {
	const char *name;
	const char *needed;	/* for open(), as a message has it */
	/*
	 * Connects two blocking sockets of this host. Returns 0 or -errno. The
	 * caller closes both, also after an error; one that is -1 is not open.
	 */
	int (*open)(int *client_fd, int *server_fd);
	/*
	 * Called by the client: sends the request and waits for its reply.
	 * Fills in t3 and, with a reply, t1 and t2. Returns 0; one of these;
	 * -ECANCELED if *loop->stop is set; -ECONNRESET if the server has gone;
	 * -EPROTO if the reply does not match; or -errno.
	 */
	int (*exchange)(const struct tw_loop *loop, struct tw_cycle *cycle);
	/*
	 * Called by the server: waits for the next request. Fills in seq and
	 * t1 of its reply. Returns 0, -ECANCELED, -ECONNRESET, -EPROTO or
	 * -errno. @wait_fd: see below. NULL: the peer is no server of ours.
	 */
	int (*take)(const struct tw_loop *loop, int wait_fd,
		    struct tw_reply *reply);
};

extern const struct tw_link_ops tw_link_tcp;
extern const struct tw_link_ops tw_link_udp;
extern const struct tw_link_ops tw_link_unix;
extern const struct tw_link_ops tw_link_vsock;

/* connect() until @end_ns: see tw_await(). Then @fd blocks. 0 or -errno. */
int tw_link_await(int fd, const struct sockaddr *to, socklen_t len,
		  int other_fd, int64_t end_ns);

/* The way in which the server waits for a request. */
struct tw_wait_ops {
	const char *name;
	/*
	 * Prepares to wait for @fd. Returns the descriptor for wait(), or
	 * -errno. It ends with the process. NULL: wait() takes @fd itself.
	 */
	int (*open)(int fd);
	/*
	 * Returns when there is something to read. May also return when a
	 * signal comes, and does so if *stop is set.
	 */
	void (*wait)(int fd, const atomic_int *stop);
};

extern const struct tw_wait_ops tw_wait_poll;
extern const struct tw_wait_ops tw_wait_read;	/* for one that is there */
extern const struct tw_wait_ops tw_wait_busy;

#endif /* TW_LINK_H */
