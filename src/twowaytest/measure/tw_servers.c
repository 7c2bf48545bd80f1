// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <time.h>

#include "base/tw_time.h"
#include "measure/tw_io.h"
#include "measure/tw_server.h"
#include "measure/tw_servers.h"
#include "measure/tw_wire.h"

/* For each client before @index, this was one that should have waited. */
static void count_inversion(const struct tw_servers *servers, int index)
{
	_Atomic uint32_t *count;

	/* Nobody else writes: it need not be one operation. */
	while (index--) {
		count = servers->served[index].inversions;
		atomic_store_explicit(count, atomic_load_explicit(count,
						memory_order_relaxed) + 1,
				      memory_order_release);
	}
}

/* A request of client @index: 0, -ECONNRESET if it has gone, or -errno. */
static int serve(const struct tw_servers *servers, int index)
{
	struct tw_served *served = &servers->served[index];
	const struct tw_clock *clock = servers->clock;
	struct tw_reply reply = { .seq = ++served->seq };
	char buf[TW_REPLY_SIZE];
	ssize_t len;
	int err;

	len = tw_io_receive(served->fd, servers->request, servers->size,
			    servers->stop);
	reply.t1_ns = clock->read_ns(clock);
	if (len <= 0)
		return len ? (int)len : -ECONNRESET;
	err = tw_wire_get_request(servers->request, len, servers->size,
				  reply.seq);
	if (err)
		return err;
	reply.inversions = atomic_load_explicit(served->inversions,
						memory_order_relaxed);
	reply.cpu = sched_getcpu();
	tw_server_sleep(servers->sleep_ns, servers->stop);
	reply.t2_ns = clock->read_ns(clock);
	tw_wire_put_reply(buf, &reply);
	err = tw_io_send(served->fd, buf, sizeof(buf), servers->stop);
	if (err)
		return err;
	count_inversion(servers, index);
	if (reply.seq == servers->warmup)
		servers->steady(served->sink);
	return 0;
}

static int run(struct tw_servers *servers, struct tw_order *order)
{
	int left = servers->count;
	int index, err;

	while (left) {
		index = order->ops->next(order);
		/* Clients may still wait for a reply before the signal. */
		if (index == -EINTR && !atomic_load(servers->stop))
			continue;
		if (index < 0)
			return index == -EINTR ? 0 : index;
		err = serve(servers, index);
		if (err == -ECANCELED)
			return 0;
		if (err != -ECONNRESET) {
			if (err)
				return err;
			continue;
		}
		order->ops->forget(order, index);
		servers->served[index].fd = -1;
		left--;
	}
	return 0;
}

int tw_servers_run(struct tw_servers *servers)
{
	struct tw_order order = {
		.ops = servers->order, .servers = servers,
	};
	int i, err;

	for (i = 0; !servers->warmup && i < servers->count; i++)
		servers->steady(servers->served[i].sink);
	err = order.ops->open(&order);
	if (err)
		return err;
	err = run(servers, &order);
	order.ops->close(&order);
	return err;
}
