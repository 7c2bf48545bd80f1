// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/socket.h>

#include "tw_client.h"
#include "tw_io.h"
#include "tw_wire.h"

static bool stopped(const struct tw_client *client)
{
	return atomic_load_explicit(client->stop, memory_order_relaxed);
}

/* The loop's own state. */
struct loop {
	const struct tw_client *client;
	struct tw_timer timer;
	struct tw_cycle cycle;		/* under way */
	struct tw_cycle done;		/* complete, not recorded yet */
	bool pending;			/* there is such a one */
	struct tw_ahead ahead;		/* of the timer's clock */
};

static void record(const struct tw_client *client,
		   const struct tw_cycle *cycle)
{
	if (cycle->seq > client->warmup)
		client->record(client->sink, cycle);
	else
		client->warm(client->sink, cycle);
}

static void record_pending(struct loop *loop)
{
	if (loop->pending)
		record(loop->client, &loop->done);
	loop->pending = false;
}

/* One exchange; t0 is in the cycle already, t1, t2 and t3 come in here. */
static int exchange(struct loop *loop)
{
	const struct tw_client *client = loop->client;
	char buf[TW_REPLY_SIZE];
	struct tw_reply reply;
	ssize_t len;
	int err;

	err = tw_io_send(client->fd, client->request, client->size,
			 client->stop);
	if (err)
		return err;
	record_pending(loop);
	len = tw_io_receive(client->fd, buf, sizeof(buf), client->stop);
	loop->cycle.t3_ns = client->clock->read_ns(client->clock);
	if (len <= 0)
		return len ? (int)len : -ECONNRESET;

	err = tw_wire_get_reply(buf, len, loop->cycle.seq, &reply);
	if (err)
		return err;
	loop->cycle.t1_ns = reply.t1_ns;
	loop->cycle.t2_ns = reply.t2_ns;
	loop->cycle.server_cpu = reply.cpu;
	loop->cycle.client_cpu = sched_getcpu();
	return 0;
}

/* The next expiry: 0, -ECANCELED if told to stop, or -errno. */
static int await_expiry(struct loop *loop)
{
	int err;

	do {
		if (stopped(loop->client))
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
		record(loop->client, &loop->cycle);
	} else {
		loop->done = loop->cycle;
		loop->pending = true;
	}
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
	struct loop loop = { .client = client };
	int err;

	err = tw_timer_start(&loop.timer, client->timer_ops,
			     client->clock->timer_clockid, client->period_ns);
	if (err)
		return err;
	err = run(&loop);
	loop.timer.ops->stop(&loop.timer);
	return err;
}
