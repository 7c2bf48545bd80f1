// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/socket.h>

#include "measure/tw_client.h"
#include "measure/tw_io.h"
#include "measure/tw_wire.h"

/* The loop's own state. */
struct loop {
	const struct tw_client *client;
	struct tw_timer timer;
	struct tw_cycle cycle;		/* under way */
	struct tw_cycle done;		/* complete, not recorded yet */
	bool pending;			/* there is such a one */
	struct tw_ahead ahead;		/* of the timer's clock */
	/* What the reply comes by, and who gets the cycle after that. */
	int (*receive)(struct loop *loop);
	void (*record)(void *sink, const struct tw_cycle *cycle);
};

static void record(const struct loop *loop, const struct tw_cycle *cycle)
{
	const struct tw_client *client = loop->client;

	if (cycle->seq > client->warmup)
		loop->record(client->sink, cycle);
	else
		client->warm(client->sink, cycle);
}

static void record_pending(struct loop *loop)
{
	if (loop->pending)
		record(loop, &loop->done);
	loop->pending = false;
}

static int receive_stream(struct loop *loop)
{
	const struct tw_client *client = loop->client;
	char buf[TW_REPLY_SIZE];
	struct tw_reply reply;
	ssize_t len;
	int err;

	len = tw_io_receive(client->fd, buf, sizeof(buf), client->stop);
	loop->cycle.t3_ns = client->clock->read_ns(client->clock);
	err = tw_client_check(client, len);
	if (!err)
		err = tw_wire_get_reply(buf, len, loop->cycle.seq, &reply);
	if (err)
		return err;
	tw_client_take(&loop->cycle, &reply);
	/* It was what the server had counted before. */
	loop->cycle.inversions = reply.inversions - loop->cycle.inversions;
	return 0;
}

static int receive_other(struct loop *loop)
{
	const struct tw_client *client = loop->client;
	int err = client->receive(client, &loop->cycle);
	bool lost = err == -ETIMEDOUT && tw_cycle_is_lost(&loop->cycle);

	/* Each client has its own server. */
	loop->cycle.inversions = 0;
	loop->record = lost ? client->lose : client->record;
	return lost ? 0 : err;
}

/* One exchange; t0 is in the cycle already, t1, t2 and t3 come in here. */
static int exchange(struct loop *loop)
{
	const struct tw_client *client = loop->client;
	int err;

	loop->cycle.inversions = atomic_load_explicit(client->inversions,
						      memory_order_relaxed);
	err = tw_io_send(client->fd, client->request, client->size,
			 client->stop);
	if (err)
		return err;
	record_pending(loop);
	err = loop->receive(loop);
	loop->cycle.client_cpu = sched_getcpu();
	return err;
}

/* The next expiry: 0, -ECANCELED if told to stop, or -errno. */
static int await_expiry(struct loop *loop)
{
	int err;

	do {
		if (tw_client_stopped(loop->client))
			return -ECANCELED;
		err = loop->timer.ops->wait(&loop->timer);
	} while (err == -EINTR);
	return err;
}

/*
 * A cycle is recorded in the slack before the next expiry. Measured against
 * loops that record nothing, that makes no difference to the response. A
 * closed loop has no slack but while the server has the next request; one
 * that may have to stop at this cycle can not send that.
 */
static void finish(struct loop *loop)
{
	if (loop->client->period_ns || loop->client->prompt) {
		record(loop, &loop->cycle);
	} else {
		loop->done = loop->cycle;
		loop->pending = true;
	}
}

/* Those that are told to stop before disturb it by their end. */
static bool disturbed(const struct tw_client *client,
		      const struct tw_cycle *cycle)
{
	return client->several && cycle->seq > client->warmup + 1 &&
	       tw_client_stopped(client);
}

static int run(struct loop *loop)
{
	const struct tw_client *client = loop->client;
	const struct tw_clock *clock = client->clock;
	struct tw_timer *timer = &loop->timer;
	struct tw_cycle *cycle = &loop->cycle;
	uint64_t last = client->loops ? client->warmup + client->loops :
					UINT64_MAX;
	int64_t ahead_ns;
	int err;

	/* The first expiry only gives the interval its beginning. */
	err = await_expiry(loop);
	cycle->t0_ns = clock->read_ns(clock);
	ahead_ns = tw_clock_ahead_ns(clock, &loop->ahead);
	timer->ops->settle(timer, cycle->t0_ns - ahead_ns);

	while (!err && cycle->seq < last) {
		if (cycle->seq == client->warmup)
			client->steady(client->sink);
		/* All that can be done before the expiry is done before. */
		cycle->prev_t0_ns = cycle->t0_ns;
		tw_wire_put_request(client->request, ++cycle->seq);

		err = await_expiry(loop);
		cycle->t0_ns = clock->read_ns(clock);
		if (!err)
			err = exchange(loop);
		if (!err && disturbed(client, cycle))
			err = -ECANCELED;
		if (err)
			break;

		ahead_ns = tw_clock_ahead_ns(clock, &loop->ahead);
		timer->ops->settle(timer, cycle->t0_ns - ahead_ns);
		cycle->planned_ns = timer->planned_ns + ahead_ns;
		cycle->missed = timer->missed;
		finish(loop);
	}
	record_pending(loop);
	return err == -ECANCELED ? 0 : err;
}

int tw_client_run(const struct tw_client *client)
{
	struct loop loop = {
		.client = client, .record = client->record,
		.receive = client->receive ? receive_other : receive_stream,
	};
	int err;

	err = tw_timer_start(&loop.timer, client->timer_ops,
			     client->clock->timer_clockid, client->period_ns,
			     client->first_ns);
	if (err)
		return err;
	err = run(&loop);
	loop.timer.ops->stop(&loop.timer);
	if (!err && client->done)
		client->done(client->sink);
	/* The server sees the end of a stream; of datagrams, this is it. */
	if (client->datagrams)
		send(client->fd, NULL, 0, MSG_DONTWAIT | MSG_NOSIGNAL);
	return err;
}
