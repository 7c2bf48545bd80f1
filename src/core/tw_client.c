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

/*
 * Left out is a cycle in which a clock was set, and the one after it, whose
 * interval begins before.
 */
static bool record(const struct tw_loop *loop, const struct tw_timer *timer,
		   const struct tw_cycle *cycle, bool was_set)
{
	if (cycle->seq <= loop->warmup)
		return false;
	if (!was_set && !timer->watch.doubts)
		return loop->record(loop->sink, cycle);
	return loop->record(loop->sink, &(const struct tw_cycle) {
		.seq = cycle->seq, .missed = cycle->missed
	});
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

	while (!err && cycle->seq < last &&
	       tw_watch_convert(&timer->watch, free_ns) < end_ns) {
		/* What can be prepared before the expiry is no part of it. */
		cycle->prev_t0_ns = cycle->t0_ns;
		cycle->ready_ns = free_ns;
		/* Of the warm-up, for main alone, if its next cycle hangs. */
		if (cycle->seq <= loop->warmup && loop->duration_ns)
			*loop->end_ns = loop->duration_ns +
				tw_watch_convert(&timer->watch, cycle->t0_ns);
		if (cycle->seq == loop->warmup && loop->duration_ns)
			end_ns = *loop->end_ns;
		request->seq = htole64(++cycle->seq);

		err = await_expiry(loop, timer);
		cycle->t0_ns = loop->now_ns();
		if (err)
			return cut(loop, cycle, false, err);
		err = loop->link->exchange(loop, cycle);
		if (err < 0)
			return cut(loop, cycle, true, err);
		free_ns = cycle->t3_ns;
		if (err == TW_LINK_LOST)
			tw_cycle_forget(cycle);
		timer->ops->settle(timer, cycle->t0_ns);
		tw_cycle_plan(cycle, timer->planned_ns);
		cycle->missed = timer->missed;
		if (record(loop, timer, cycle, err == TW_LINK_SET))
			*loop->stop = 1;
		err = 0;
	}
	cycle->seq = 0;
	return err;
}

int tw_client_run(const struct tw_loop *loop)
{
	int64_t first_ns = *loop->first_ns ?
			   *loop->first_ns + loop->offset_ns : 0;
	struct tw_timer *timer = &loop->progress->timer;
	int err = tw_timer_start(timer, loop->timer, loop->period_ns, first_ns);

	if (!err)
		err = run(loop, timer);
	/* As all stop, a server may be first to see it. */
	if (err == -ECONNRESET &&
	    atomic_load_explicit(loop->stop, memory_order_relaxed))
		return 0;
	return err == -ECANCELED ? 0 : err;
}
