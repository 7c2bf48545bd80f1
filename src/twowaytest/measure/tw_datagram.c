// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdbool.h>
#include <sys/socket.h>

#include "measure/tw_datagram.h"
#include "measure/tw_io.h"
#include "measure/tw_stamped.h"

#define SEEN	64	/* bits of tw_seen.mask */

/* @stamped is constant: the loops with stamps and without are two of each. */
#define VARIANT	static inline __attribute__((always_inline))

int tw_seen_add(struct tw_seen *seen, uint64_t seq)
{
	uint64_t ahead = seq - seen->newest, behind = seen->newest - seq;
	bool known;

	if (seq > seen->newest) {
		seen->mask = ahead < SEEN ? seen->mask << ahead : 0;
		seen->mask |= 1;
		seen->newest = seq;
		return 1;
	}
	if (behind >= SEEN)
		return 0;
	known = seen->mask >> behind & 1;
	seen->mask |= UINT64_C(1) << behind;
	return known ? -1 : 0;
}

/* True if it is the reply to @cycle; other datagrams are counted. */
VARIANT bool is_reply(const struct tw_client *client, struct tw_cycle *cycle,
		      const void *buf, size_t len, bool stamped)
{
	struct tw_datagrams *counts = client->datagrams;
	struct tw_reply reply;
	uint64_t seq;
	int err;

	err = stamped ?
	      tw_wire_get_stamped(buf, len, cycle->seq, &reply,
				  &client->stamps->client.reply) :
	      tw_wire_get_reply(buf, len, cycle->seq, &reply);
	seq = err && err != -EPROTO ? UINT64_MAX : tw_wire_seq(buf);
	if (seq > cycle->seq) {
		counts->client.strangers++;
		return false;
	}
	if (seq < cycle->seq) {
		/* One of the warm-up is in no count. */
		if (tw_seen_add(&counts->client.seen, seq) < 0)
			counts->client.duplicate += seq > client->warmup;
		else
			counts->client.late += seq > client->warmup;
		return false;
	}
	tw_seen_add(&counts->client.seen, seq);
	cycle->t1_ns = reply.t1_ns;
	cycle->t2_ns = reply.t2_ns;
	cycle->server_cpu = reply.cpu;
	return true;
}

/*
 * SO_RCVTIMEO ends the wait, so that no further system call is needed. It
 * begins anew with each call: a flood of other datagrams must not hold up the
 * client, so the time is looked at, too. Returns 0, -ETIMEDOUT or -errno.
 */
VARIANT int await_reply(const struct tw_client *client, struct tw_cycle *cycle,
			bool stamped)
{
	const int64_t timeout_ns = client->datagrams->timeout_ns;
	char buf[TW_STAMPED_SIZE];
	ssize_t len;
	int err;

	do {
		len = stamped ?
		      tw_stamps_recv(client->fd, buf, TW_STAMPED_SIZE,
				     MSG_TRUNC, &client->stamps->client.in) :
		      recv(client->fd, buf, TW_REPLY_SIZE, MSG_TRUNC);
		cycle->t3_ns = client->clock->read_ns(client->clock);
		if (len < 0 && errno == EAGAIN)
			return -ETIMEDOUT;
		if (len < 0 && errno == ECONNREFUSED)
			return -ECONNRESET;
		err = len < 0 ? tw_io_failed(client->stop) : 0;
		if (err)
			return err;
		if (len >= 0 && is_reply(client, cycle, buf, len, stamped))
			return 0;
	} while (cycle->t3_ns - cycle->t0_ns < timeout_ns);
	return -ETIMEDOUT;
}

VARIANT int receive(const struct tw_client *client, struct tw_cycle *cycle,
		    bool stamped)
{
	struct tw_datagrams *counts = client->datagrams;
	bool measured = cycle->seq > client->warmup;
	int err;

	counts->client.sent += measured;
	err = await_reply(client, cycle, stamped);
	if (!err) {
		counts->client.answered += measured;
	} else if (err == -ETIMEDOUT) {
		counts->client.lost += measured;
		cycle->server_cpu = TW_CYCLE_LOST;
	} else {
		/* The end of the run: nobody knows what became of it. */
		counts->client.sent -= measured;
		return err;
	}
	counts->client.last = cycle->seq;
	return err;
}

int tw_datagram_receive(const struct tw_client *client,
			struct tw_cycle *cycle)
{
	return receive(client, cycle, false);
}

int tw_datagram_receive_stamped(const struct tw_client *client,
				struct tw_cycle *cycle)
{
	int err = receive(client, cycle, true);
	bool lost = err == -ETIMEDOUT;

	/* What is behind t3 belongs to the slack. */
	if (!err || lost)
		tw_stamped_client(client, lost ? NULL : cycle);
	return err;
}

/* True if it is a newer request; other datagrams are counted. */
VARIANT bool is_request(const struct tw_server *server, size_t len,
			struct tw_reply *reply)
{
	struct tw_datagrams *counts = server->datagrams;
	uint64_t seq;
	bool measured;
	int novelty;

	if (len != server->size) {
		counts->server.strangers++;
		return false;
	}
	seq = tw_wire_seq(server->request);
	measured = seq > server->warmup;
	novelty = tw_seen_add(&counts->server.seen, seq);
	if (novelty > 0) {
		reply->seq = seq;
		counts->server.taken += measured;
	} else if (novelty < 0) {
		counts->server.duplicate += measured;
	} else {
		counts->server.reordered += measured;
	}
	return novelty > 0;
}

VARIANT int take(const struct tw_server *server, struct tw_wait *wait,
		 struct tw_reply *reply, bool stamped)
{
	ssize_t len;
	int err;

	for (;;) {
		wait->ops->wait(wait);
		len = stamped ?
		      tw_stamps_recv(server->fd, server->request,
				     server->size, MSG_TRUNC,
				     &server->stamps->server.in) :
		      recv(server->fd, server->request, server->size,
			   MSG_TRUNC);
		reply->t1_ns = server->clock->read_ns(server->clock);
		/* The client's farewell, or its port is closed. */
		if (!len || (len < 0 && errno == ECONNREFUSED))
			return 0;
		err = len < 0 ? tw_io_failed(server->stop) : 0;
		if (err)
			return err == -ECANCELED ? 0 : err;
		if (len > 0 && is_request(server, len, reply))
			return 1;
		if (server->tells_junk)
			return -EAGAIN;
	}
}

int tw_datagram_take(const struct tw_server *server, struct tw_wait *wait,
		     struct tw_reply *reply)
{
	return take(server, wait, reply, false);
}

int tw_datagram_take_stamped(const struct tw_server *server,
			     struct tw_wait *wait, struct tw_reply *reply)
{
	tw_stamped_server(server, reply);
	return take(server, wait, reply, true);
}

struct tw_datagram_counts
tw_datagram_count(const struct tw_datagrams *datagrams)
{
	const __typeof__(datagrams->client) *client = &datagrams->client;
	const __typeof__(datagrams->server) *server = &datagrams->server;
	struct tw_datagram_counts sum = datagrams->before;
	/* The request that was under way at the end is in no count. */
	bool ahead = server->seen.newest > client->last;
	uint64_t lost_reply = server->taken - ahead - client->answered;

	/*
	 * Read while they run, the counts are of different moments; and of the
	 * warm-up, nothing was taken.
	 */
	if (lost_reply > client->lost)
		lost_reply = client->lost;
	sum.sent += client->sent;
	sum.answered += client->answered;
	sum.lost += client->lost;
	sum.lost_request += client->lost - lost_reply;
	sum.lost_reply += lost_reply;
	sum.late += client->late;
	sum.duplicate += client->duplicate + server->duplicate;
	sum.reordered += server->reordered;
	sum.strangers += client->strangers + server->strangers;
	return sum;
}

void tw_datagram_add(struct tw_datagram_counts *sum,
		     const struct tw_datagram_counts *more)
{
	sum->sent += more->sent;
	sum->answered += more->answered;
	sum->lost += more->lost;
	sum->lost_request += more->lost_request;
	sum->lost_reply += more->lost_reply;
	sum->late += more->late;
	sum->duplicate += more->duplicate;
	sum->reordered += more->reordered;
	sum->strangers += more->strangers;
}

void tw_datagram_merge(struct tw_datagrams *sum,
		       const struct tw_datagrams *datagrams)
{
	const struct tw_datagram_counts more = tw_datagram_count(datagrams);

	tw_datagram_add(&sum->before, &more);
}
