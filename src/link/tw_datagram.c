// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * UDP. A request or reply may be lost, come late, twice or in another order:
 * then the cycle is lost, or the datagram is only counted.
 */
#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "tw_config.h"
#include "tw_datagram.h"
#include "tw_loop.h"
#include "tw_time.h"
#include "tw_wire.h"

#define WINDOW	64	/* bits of struct seen */

/* The requests or replies that have come: the newest, and those before it. */
struct seen {
	uint64_t newest;
	uint64_t mask;		/* bit n: newest - n */
};

enum novelty { NEW, OLDER, REPEATED };

static struct tw_datagrams *counts_of[TW_PAIRS_MAX];
static int64_t timeout_ns;
static struct seen seen_of[TW_PAIRS_MAX];	/* by this process */

void tw_datagram_count(int pair, struct tw_datagrams *counts, int64_t ns)
{
	counts_of[pair] = counts;
	timeout_ns = ns;
}

static enum novelty look(struct seen *seen, uint64_t seq)
{
	uint64_t ahead = seq - seen->newest, behind = seen->newest - seq;
	bool known;

	if (seq > seen->newest) {
		seen->mask = ahead < WINDOW ? seen->mask << ahead | 1 : 1;
		seen->newest = seq;
		return NEW;
	}
	if (behind >= WINDOW)
		return OLDER;
	known = seen->mask >> behind & 1;
	seen->mask |= UINT64_C(1) << behind;
	return known ? REPEATED : OLDER;
}

static int bound_socket(struct sockaddr_in *own)
{
	socklen_t len = sizeof(*own);
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	*own = (struct sockaddr_in) {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	if (fd >= 0 && !bind(fd, (struct sockaddr *)own, len))
		getsockname(fd, (struct sockaddr *)own, &len);
	return fd;
}

int tw_datagram_connect(int fd, const struct sockaddr *to, socklen_t len)
{
	int err = connect(fd, to, len);
	char byte;

	while (!err && recv(fd, &byte, 1, MSG_DONTWAIT) >= 0)
		;
	return err;
}

int tw_datagram_set_timeout(int fd)
{
	const struct timeval timeout = {
		.tv_sec = timeout_ns / TW_NS_PER_S,
		.tv_usec = timeout_ns % TW_NS_PER_S / TW_NS_PER_US,
	};

	return setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout,
			  sizeof(timeout));
}

/* No SO_REUSEADDR: nobody else can bind these ports. */
static int udp_open(int *client_fd, int *server_fd)
{
	struct sockaddr_in client, server;

	*client_fd = bound_socket(&client);
	*server_fd = bound_socket(&server);
	if (*client_fd < 0 || *server_fd < 0 ||
	    tw_datagram_connect(*client_fd, (struct sockaddr *)&server,
				sizeof(server)) ||
	    tw_datagram_connect(*server_fd, (struct sockaddr *)&client,
				sizeof(client)) ||
	    tw_datagram_set_timeout(*client_fd))
		return -errno;
	return 0;
}

bool tw_datagram_in_time(const struct tw_cycle *cycle)
{
	return cycle->t3_ns - cycle->t0_ns <= timeout_ns;
}

/* A reply that comes after the time is late, even if it is taken at once. */
bool tw_datagram_is_reply(const struct tw_loop *loop,
			  const struct tw_cycle *cycle, uint64_t seq)
{
	struct tw_datagrams *counts = counts_of[loop->pair];
	enum novelty novelty = look(&seen_of[loop->pair], seq);
	bool repeated = novelty == REPEATED;

	if (seq == cycle->seq && tw_datagram_in_time(cycle) && !repeated)
		return true;
	if (seq > loop->warmup) {
		counts->repeated_replies += repeated;
		counts->late += !repeated;
		if (!loop->link->take)
			counts->reordered += novelty == OLDER;
	}
	return false;
}

void tw_datagram_error(const struct tw_loop *loop, int number)
{
	counts_of[loop->pair]->errors++;
	counts_of[loop->pair]->error = number;
}

int tw_datagram_sent(const struct tw_loop *loop, const struct tw_cycle *cycle,
		     int err)
{
	if (err >= 0 && cycle->seq > loop->warmup)
		counts_of[loop->pair]->sent++;
	return err;
}

/*
 * SO_RCVTIMEO ends the wait, so that this needs no further system call. It
 * begins anew with each call, so the time is looked at as well.
 */
static int await_reply(const struct tw_loop *loop, struct tw_cycle *cycle)
{
	struct tw_reply reply;

	for (;;) {
		ssize_t len = tw_wire_in(loop->fd, &reply, sizeof(reply),
					 MSG_TRUNC);
		int err;

		cycle->t3_ns = loop->now_ns();
		if (len < 0 && errno == EAGAIN)
			return TW_LINK_LOST;
		err = len < 0 ? tw_wire_failed(loop->stop) : 0;
		if (err)
			return err;
		if (len == sizeof(reply) &&
		    tw_datagram_is_reply(loop, cycle, le64toh(reply.seq))) {
			cycle->t1_ns = (int64_t)le64toh(reply.t1_ns);
			cycle->t2_ns = (int64_t)le64toh(reply.t2_ns);
			return 0;
		}
		if (!tw_datagram_in_time(cycle))
			return TW_LINK_LOST;
		cycle->t3_ns = 0;	/* it waits on: see tw_loop.h */
	}
}

static int udp_exchange(const struct tw_loop *loop, struct tw_cycle *cycle)
{
	int err = tw_wire_send(loop->fd, loop->request, loop->size,
			       loop->stop);

	if (!err)
		err = await_reply(loop, cycle);
	return tw_datagram_sent(loop, cycle, err);
}

static bool is_request(const struct tw_loop *loop, uint64_t seq)
{
	struct tw_datagrams *counts = counts_of[loop->pair];
	enum novelty novelty = look(&seen_of[loop->pair], seq);

	if (seq > loop->warmup) {
		counts->requests += novelty == NEW;
		counts->repeated_requests += novelty == REPEATED;
		counts->reordered += novelty == OLDER;
	}
	return novelty == NEW;
}

static int udp_take(const struct tw_loop *loop, int wait_fd,
		    struct tw_reply *reply)
{
	const struct tw_request *request = loop->request;

	for (;;) {
		ssize_t len;
		int err;

		loop->wait->wait(wait_fd, loop->stop);
		len = tw_wire_in(loop->fd, loop->request, loop->size,
				 MSG_TRUNC);
		reply->t1_ns = htole64(loop->now_ns());
		err = len < 0 ? tw_wire_failed(loop->stop) : 0;
		if (err)
			return err;
		if (len == (ssize_t)loop->size &&
		    is_request(loop, le64toh(request->seq))) {
			reply->seq = request->seq;
			return 0;
		}
	}
}

const struct tw_link_ops tw_link_udp = {
	"udp", "the loopback interface", udp_open, udp_exchange, udp_take
};
