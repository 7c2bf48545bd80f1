// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/tw_server_loop.h"

void tw_server_sleep(int64_t sleep_ns, const atomic_int *stop)
{
	if (sleep_ns)
		tw_server_sleep_for(tw_ns_to_ts(sleep_ns), stop);
}

int tw_server_take(const struct tw_server *server, struct tw_wait *wait,
		   struct tw_reply *reply)
{
	ssize_t len;

	wait->ops->wait(wait);
	len = tw_io_receive(server->fd, server->request, server->size,
			    server->stop);
	reply->t1_ns = server->clock->read_ns(server->clock);
	return tw_server_check(server, len, reply);
}

static void put(const struct tw_server *server, void *buf,
		const struct tw_reply *reply)
{
	(void)server;
	tw_wire_put_reply(buf, reply);
}

int tw_server_run(const struct tw_server *server)
{
	static const struct tw_server_kind plain = {
		tw_server_take, put, TW_REPLY_SIZE
	};

	return tw_server_loop(server, &plain);
}
