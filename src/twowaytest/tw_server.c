// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <sched.h>
#include <time.h>

#include "tw_io.h"
#include "tw_server.h"
#include "tw_time.h"
#include "tw_wire.h"

static void sleep_for(struct timespec left, const atomic_int *stop)
{
	while (nanosleep(&left, &left) && !tw_io_failed(stop))
		;
}

/* --sleep=0: not even the call. */
static void sleep_not(struct timespec left, const atomic_int *stop)
{
	(void)left;
	(void)stop;
}

static int run(const struct tw_server *server, struct tw_wait *wait)
{
	void (*pause)(struct timespec left, const atomic_int *stop) =
		server->sleep_ns ? sleep_for : sleep_not;
	const struct timespec sleep = tw_ns_to_ts(server->sleep_ns);
	const struct tw_clock *clock = server->clock;
	struct tw_reply reply = { .seq = 0 };
	char buf[TW_REPLY_SIZE];
	ssize_t len;
	int err;

	for (;;) {
		if (reply.seq++ == server->warmup)
			server->steady(server->sink);

		wait->ops->wait(wait);
		len = tw_io_receive(server->fd, server->request, server->size,
				    server->stop);
		reply.t1_ns = clock->read_ns(clock);
		if (len <= 0)
			return len == -ECANCELED ? 0 : (int)len;
		err = tw_wire_get_request(server->request, len, server->size,
					  reply.seq);
		if (err)
			return err;

		/* No system call: the vDSO, or what the kernel keeps for us. */
		reply.cpu = sched_getcpu();
		pause(sleep, server->stop);
		reply.t2_ns = clock->read_ns(clock);
		tw_wire_put_reply(buf, &reply);
		err = tw_io_send(server->fd, buf, sizeof(buf), server->stop);
		if (err)
			return err == -ECANCELED ? 0 : err;
	}
}

int tw_server_run(const struct tw_server *server)
{
	struct tw_wait wait;
	int err;

	err = tw_wait_open(&wait, server->wait_ops, server->fd);
	if (err)
		return err;
	err = run(server, &wait);
	wait.ops->close(&wait);
	return err;
}
