// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "base/tw_series.h"
#include "base/tw_time.h"
#include "measure/tw_stamped.h"

#define DRIFT		1000	/* clocks drift by less than 1 in so many */

void tw_stamped_init(struct tw_stamps *stamps, enum tw_stamps_mode mode,
		     size_t request)
{
	stamps->mode = mode;
	stamps->client_step = request ? (uint32_t)request : 1;
	stamps->server_step = request ? TW_STAMPED_SIZE : 1;
}

/*
 * Reads the clocks' distance after a cycle that ended at @at_ns. False: it has
 * changed by more than reading and drift account for. Then CLOCK_REALTIME was
 * set, before one of the stamps or after it.
 */
static bool follow(struct tw_stamped_clock *its, const struct tw_clock *clock,
		   int64_t at_ns)
{
	struct tw_stamped_clock last = *its;
	int64_t moved_ns, since_ns, allowed_ns;

	its->ahead_ns = clock->clockid == CLOCK_REALTIME ? 0 :
			tw_clock_follow_ns(clock, CLOCK_REALTIME, &its->ahead);
	its->at_ns = at_ns;
	its->known = true;
	if (!last.known)
		return true;
	moved_ns = tw_span_ns(last.ahead_ns, its->ahead_ns);
	since_ns = tw_span_ns(last.at_ns, at_ns);
	allowed_ns = its->ahead.trusted_ns + since_ns / DRIFT;
	return moved_ns <= allowed_ns && moved_ns >= -allowed_ns;
}

static int64_t convert(int64_t stamp_ns, bool valid, int64_t ahead_ns)
{
	if (!valid || stamp_ns == TW_STAMP_NONE)
		return TW_STAMP_NONE;
	return (int64_t)((uint64_t)stamp_ns + (uint64_t)ahead_ns);
}

/* A reader takes it only if seq is the same before and after. */
static void keep(struct tw_stamps *stamps, const struct tw_stamped *stamped)
{
	struct tw_stamped *slot;

	if (!stamps->slot)
		return;
	slot = &stamps->slot[stamped->seq & (stamps->slots - 1)];
	*(volatile uint64_t *)&slot->seq = 0;
	atomic_thread_fence(memory_order_release);
	memcpy((char *)slot + sizeof(slot->seq),
	       (const char *)stamped + sizeof(slot->seq),
	       sizeof(*slot) - sizeof(slot->seq));
	atomic_thread_fence(memory_order_release);
	*(volatile uint64_t *)&slot->seq = stamped->seq;
}

/* The pending cycle, with what the server says of it, or NULL. */
static void complete(struct tw_stamps *stamps, uint64_t warmup,
		     const struct tw_reply_stamps *reply)
{
	struct tw_stamped *pending = &stamps->client.pending;

	if (!pending->seq)
		return;
	if (reply && reply->of == (uint32_t)pending->seq) {
		pending->at_ns[TW_SERVER_RX] = reply->rx_ns;
		pending->at_ns[TW_SERVER_SCHED] = reply->sched_ns;
		pending->at_ns[TW_SERVER_SND] = reply->snd_ns;
	}
	if (pending->seq > warmup)
		tw_stamped_count(&stamps->client.sum, stamps->mode, pending);
	keep(stamps, pending);
	pending->seq = 0;
}

/* What the client knows of a cycle that is complete but for the server's. */
static void begin_pending(struct tw_stamps *stamps,
			  const struct tw_cycle *cycle, bool valid)
{
	const __typeof__(stamps->client) *own = &stamps->client;
	int64_t ahead_ns = own->clock.ahead_ns;

	stamps->client.pending = (struct tw_stamped) {
		.seq = cycle->seq,
		.t0_ns = cycle->t0_ns, .t1_ns = cycle->t1_ns,
		.t2_ns = cycle->t2_ns, .t3_ns = cycle->t3_ns,
		.at_ns = {
			[TW_CLIENT_SCHED] = convert(own->out.sched_ns, valid,
						    ahead_ns),
			[TW_CLIENT_SND] = convert(own->out.snd_ns, valid,
						  ahead_ns),
			[TW_CLIENT_RX] = convert(tw_stamps_get(&own->in.msg),
						 valid, ahead_ns),
			[TW_SERVER_RX] = TW_STAMP_NONE,
			[TW_SERVER_SCHED] = TW_STAMP_NONE,
			[TW_SERVER_SND] = TW_STAMP_NONE,
		},
	};
}

static void collect(int fd, struct tw_stamps_out *out, enum tw_stamps_mode mode,
		    uint32_t step)
{
	out->id += step;
	out->sched_ns = TW_STAMP_NONE;
	out->snd_ns = TW_STAMP_NONE;
	if (mode == TW_STAMPS_ALL)
		tw_stamps_collect(fd, out);
}

void tw_stamped_client(const struct tw_client *client,
		       const struct tw_cycle *cycle)
{
	struct tw_stamps *stamps = client->stamps;
	__typeof__(stamps->client) *own = &stamps->client;
	bool measured = cycle && cycle->seq > client->warmup;
	uint32_t version;
	int64_t now_ns;
	bool valid;

	collect(client->fd, &own->out, stamps->mode, stamps->client_step);
	version = tw_version_begin(&own->version);
	complete(stamps, client->warmup, cycle ? &own->reply : NULL);
	if (cycle) {
		valid = follow(&own->clock, client->clock, cycle->t3_ns);
		begin_pending(stamps, cycle, valid);
	}
	if (measured) {
		now_ns = client->clock->read_ns(client->clock);
		tw_stamped_value(&own->sum.work,
				 tw_span_ns(cycle->t3_ns, now_ns));
	}
	tw_version_end(&own->version, version);
}

void tw_stamped_server(const struct tw_server *server,
		       const struct tw_reply *last)
{
	struct tw_stamps *stamps = server->stamps;
	__typeof__(stamps->server) *own = &stamps->server;
	struct tw_reply_stamps *reply = &own->reply;
	int64_t ahead_ns;
	bool valid;

	/* Called again for the same reply: no new request had come. */
	if (!last->seq || reply->of == (uint32_t)last->seq)
		return;
	collect(server->fd, &own->out, stamps->mode, stamps->server_step);
	valid = follow(&own->clock, server->clock, last->t2_ns);
	ahead_ns = own->clock.ahead_ns;
	reply->of = (uint32_t)last->seq;
	reply->rx_ns = convert(tw_stamps_get(&own->in.msg), valid, ahead_ns);
	reply->sched_ns = convert(own->out.sched_ns, valid, ahead_ns);
	reply->snd_ns = convert(own->out.snd_ns, valid, ahead_ns);
}

void tw_stamped_find(const struct tw_stamps *stamps, uint64_t seq,
		     struct tw_stamped *found)
{
	const struct tw_stamped *slot;
	int id;

	slot = &stamps->slot[seq & (stamps->slots - 1)];
	if (*(const volatile uint64_t *)&slot->seq == seq) {
		atomic_thread_fence(memory_order_acquire);
		memcpy(found, slot, sizeof(*found));
		atomic_thread_fence(memory_order_acquire);
		if (*(const volatile uint64_t *)&slot->seq == seq)
			return;
	}
	found->seq = 0;
	for (id = 0; id < TW_STAMPS; id++)
		found->at_ns[id] = TW_STAMP_NONE;
}
