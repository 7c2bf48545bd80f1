// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdbool.h>
#include <sys/socket.h>

#include "tw_client.h"
#include "tw_io.h"
#include "tw_wire.h"

static bool stopped(const struct tw_client *client)
{
	return atomic_load_explicit(client->stop, memory_order_relaxed);
}

/* One exchange; t0 is in the cycle already, t1, t2 and t3 come in here. */
static int exchange(const struct tw_client *client, struct tw_cycle *cycle)
{
	char buf[TW_REPLY_SIZE];
	struct tw_reply reply;
	ssize_t len;
	int err;

	err = tw_io_send(client->fd, client->request, client->size,
			 client->stop);
	if (err)
		return err;
	len = tw_io_receive(client->fd, buf, sizeof(buf), client->stop);
	cycle->t3_ns = client->clock->read_ns(client->clock);
	if (len <= 0)
		return len ? (int)len : -ECONNRESET;

	err = tw_wire_get_reply(buf, len, cycle->seq, &reply);
	if (err)
		return err;
	cycle->t1_ns = reply.t1_ns;
	cycle->t2_ns = reply.t2_ns;
	return 0;
}

/* The next expiry: 0, -ECANCELED if told to stop, or -errno. */
static int await_expiry(const struct tw_client *client,
			struct tw_timer *timer)
{
	int err;

	do {
		if (stopped(client))
			return -ECANCELED;
		err = timer->ops->wait(timer);
	} while (err == -EINTR);
	return err;
}

static int run(const struct tw_client *client, struct tw_timer *timer)
{
	const struct tw_clock *clock = client->clock;
	uint64_t last = client->loops ? client->warmup + client->loops :
					UINT64_MAX;
	struct tw_cycle cycle = { .seq = 0 };
	int64_t ahead_ns = 0;
	int err;

	/* The first expiry only gives the interval its beginning. */
	err = await_expiry(client, timer);
	cycle.t0_ns = clock->read_ns(clock);
	ahead_ns = tw_clock_ahead_ns(clock, 0);
	timer->ops->settle(timer, cycle.t0_ns - ahead_ns);

	while (!err && cycle.seq < last) {
		if (cycle.seq == client->warmup)
			client->steady(client->sink);
		/* All that can be done before the expiry is done before. */
		cycle.prev_t0_ns = cycle.t0_ns;
		tw_wire_put_request(client->request, ++cycle.seq);

		err = await_expiry(client, timer);
		cycle.t0_ns = clock->read_ns(clock);
		if (!err)
			err = exchange(client, &cycle);
		if (err)
			break;

		ahead_ns = tw_clock_ahead_ns(clock, ahead_ns);
		timer->ops->settle(timer, cycle.t0_ns - ahead_ns);
		cycle.planned_ns = timer->planned_ns + ahead_ns;
		cycle.missed = timer->missed;
		if (cycle.seq > client->warmup)
			client->record(client->sink, &cycle);
		else
			client->warm(client->sink, &cycle);
	}
	return err == -ECANCELED ? 0 : err;
}

int tw_client_run(const struct tw_client *client)
{
	struct tw_timer timer;
	int err;

	err = tw_timer_start(&timer, client->timer_ops,
			     client->clock->timer_clockid, client->period_ns);
	if (err)
		return err;
	err = run(client, &timer);
	timer.ops->stop(&timer);
	return err;
}
