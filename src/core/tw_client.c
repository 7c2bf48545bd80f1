// SPDX-License-Identifier: GPL-2.0-or-later
/* The client's loop: wait for the timer, send a request, wait for the reply. */
#include <errno.h>

#include "tw_loop.h"
#include "tw_wire.h"

/* The next expiry: 0, -ECANCELED if told to stop, or -errno. */
static int await_expiry(const struct tw_loop *loop, struct tw_timer *timer)
{
	int err;

	do {
		if (atomic_load_explicit(loop->stop, memory_order_relaxed))
			return -ECANCELED;
		err = timer->ops->wait(timer);
	} while (err == -EINTR);
	return err;
}

/* A wait failed: main sees which one, and when. Returns @err. */
static int cut(const struct tw_loop *loop, struct tw_cycle *cycle, bool woken,
	       int err)
{
	cycle->cut_ns = loop->now_ns();
	if (!woken)
		cycle->t0_ns = 0;
	return err;
}

static int run(const struct tw_loop *loop, struct tw_timer *timer)
{
	uint64_t last = loop->loops ? loop->warmup + loop->loops : UINT64_MAX;
	struct tw_cycle *cycle = &loop->progress->cycle;
	struct tw_request *request = loop->request;
	int64_t end_ns = INT64_MAX, free_ns = 0;
	int err;

	/* At the first expiry, no request is sent: it begins the interval. */
	err = await_expiry(loop, timer);
	cycle->t0_ns = loop->now_ns();
	timer->ops->settle(timer, cycle->t0_ns);

	while (!err && cycle->seq < last && free_ns < end_ns) {
		/* What can be prepared before the expiry is no part of it. */
		cycle->prev_t0_ns = cycle->t0_ns;
		cycle->prev_t3_ns = free_ns;
		if (cycle->seq == loop->warmup && loop->duration_ns)
			*loop->end_ns = end_ns = cycle->t0_ns +
						 loop->duration_ns;
		request->seq = ++cycle->seq;

		err = await_expiry(loop, timer);
		cycle->t0_ns = loop->now_ns();
		if (err)
			return cut(loop, cycle, false, err);
		err = loop->link->exchange(loop, cycle);
		if (err < 0)
			return cut(loop, cycle, true, err);
		free_ns = cycle->t3_ns;
		if (err == TW_LINK_LOST) {
			cycle->t1_ns = cycle->t2_ns = cycle->t3_ns = 0;
			err = 0;
		}
		timer->ops->settle(timer, cycle->t0_ns);
		cycle->planned_ns = timer->planned_ns;
		cycle->missed = timer->missed;
		if (cycle->seq > loop->warmup &&
		    loop->record(loop->sink, cycle))
			*loop->stop = 1;
	}
	cycle->seq = 0;
	return err;
}

int tw_client_run(const struct tw_loop *loop)
{
	int64_t first_ns = *loop->first_ns ?
			   *loop->first_ns + loop->offset_ns : 0;
	struct tw_timer *timer = &loop->progress->timer;
	int err = tw_timer_start(timer, loop->timer, loop->timer_clockid,
				 loop->period_ns, first_ns);

	if (!err)
		err = run(loop, timer);
	return err == -ECANCELED ? 0 : err;
}
