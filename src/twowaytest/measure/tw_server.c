// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <time.h>

#include "base/tw_time.h"
#include "measure/tw_io.h"
#include "measure/tw_server.h"
#include "measure/tw_stamped.h"
#include "measure/tw_wire.h"

static void sleep_for(struct timespec left, const atomic_int *stop)
{
	while (nanosleep(&left, &left) && !tw_io_failed(stop))
		;
}

/* --sleep=0: no system call. */
static void sleep_not(struct timespec left, const atomic_int *stop)
{
	(void)left;
	(void)stop;
}

void tw_server_sleep(int64_t sleep_ns, const atomic_int *stop)
{
	if (sleep_ns)
		sleep_for(tw_ns_to_ts(sleep_ns), stop);
}

/* @stamped is constant: each of the callers below has code of its own. */
static inline __attribute__((always_inline)) int
take_one(const struct tw_server *server, struct tw_wait *wait,
	 struct tw_reply *reply, const bool stamped)
{
	const struct tw_clock *clock = server->clock;
	ssize_t len;
	int err;

	/* Before the wait, which full error queues would end. */
	if (stamped)
		tw_stamped_server(server, reply);
	wait->ops->wait(wait);
	len = stamped ?
	      tw_stamps_receive(server->fd, server->request, server->size,
				server->stop, &server->stamps->server.in) :
	      tw_io_receive(server->fd, server->request, server->size,
			    server->stop);
	reply->t1_ns = clock->read_ns(clock);
	if (len <= 0)
		return len == -ECANCELED ? 0 : (int)len;
	err = tw_wire_get_request(server->request, len, server->size,
				  ++reply->seq);
	return err ? err : 1;
}

int tw_server_take(const struct tw_server *server, struct tw_wait *wait,
		   struct tw_reply *reply)
{
	return take_one(server, wait, reply, false);
}

int tw_server_take_stamped(const struct tw_server *server,
			   struct tw_wait *wait, struct tw_reply *reply)
{
	return take_one(server, wait, reply, true);
}

/* @stamped is constant: there are two loops, each without the other's part. */
static inline __attribute__((always_inline)) int
run(const struct tw_server *server, struct tw_wait *wait, const bool stamped)
{
	const size_t size = stamped ? TW_STAMPED_SIZE : TW_REPLY_SIZE;
	int (*take)(const struct tw_server *server, struct tw_wait *wait,
		    struct tw_reply *reply) =
		server->take ? server->take :
		stamped ? tw_server_take_stamped : tw_server_take;
	void (*pause)(struct timespec left, const atomic_int *stop) =
		server->sleep_ns ? sleep_for : sleep_not;
	const struct timespec sleep = tw_ns_to_ts(server->sleep_ns);
	const struct tw_clock *clock = server->clock;
	struct tw_reply reply = { .seq = 0 };
	uint64_t steady_at = server->warmup;
	char buf[TW_STAMPED_SIZE];
	int err;

	for (;;) {
		/* Not at that number alone: its request may be lost. */
		if (reply.seq >= steady_at) {
			server->steady(server->sink);
			steady_at = UINT64_MAX;
		}
		err = take(server, wait, &reply);
		if (err <= 0)
			return err;

		/* No system call: glibc uses the vDSO or rseq. */
		reply.cpu = sched_getcpu();
		pause(sleep, server->stop);
		reply.t2_ns = clock->read_ns(clock);
		if (stamped)
			tw_wire_put_stamped(buf, &reply,
					    &server->stamps->server.reply);
		else
			tw_wire_put_reply(buf, &reply);
		err = tw_io_send(server->fd, buf, size, server->stop);
		if (err)
			return err == -ECANCELED || err == -ECONNREFUSED ?
			       0 : err;
	}
}

static int run_stamped(const struct tw_server *server, struct tw_wait *wait)
{
	int err = tw_stamps_begin(server->fd, &server->stamps->server.out.id);

	return err ? err : run(server, wait, true);
}

int tw_server_run(const struct tw_server *server)
{
	struct tw_wait wait;
	int err;

	err = tw_wait_open(&wait, server->wait_ops, server->fd);
	if (err)
		return err;
	err = server->stamps ? run_stamped(server, &wait) :
			       run(server, &wait, false);
	wait.ops->close(&wait);
	return err;
}
