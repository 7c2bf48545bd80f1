// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * timer: a POSIX timer wakes a task periodically. AEGIS's jitter is wakeup;
 * interval shows a late expiry twice.
 */

#include "pt_rows.h"
#include "tw_clocks.h"
#include "tw_timer.h"

static int expire_once(struct pt_task *task, struct pt_trial *trial)
{
	struct tw_timer *timer = pt_room(task);
	const struct tw_clock *clock = tw_config.clock;
	int64_t ahead_ns = 0;
	int err;

	do {
		err = timer->ops->wait(timer);
		trial->t_ns[1] = pt_now(task);
	} while (err == -EINTR);
	if (err)
		return pt_failed(task, "sigwaitinfo", err);
	timer->ops->settle(timer, tw_now_ns(timer->clockid));
	/* The timer of another clock runs on CLOCK_MONOTONIC. */
	if (clock != &tw_clock_realtime && clock != &tw_clock_monotonic)
		ahead_ns = tw_clock_ahead_ns(clock);
	trial->t_ns[0] = timer->planned_ns + ahead_ns;
	if (!pt_warms_up(task))
		task->in->missed += timer->missed;
	return 0;
}

static int run(struct pt_task *task)
{
	int err = tw_timer_start(pt_room(task), &tw_timer_posix,
				 tw_config.clock->timer_clockid,
				 pt_kind_value(task->in) * TW_NS_PER_US, 0);

	return err ? pt_failed(task, "timer_create", err) :
	       pt_lead(task, expire_once);
}

static int64_t interval_ps(const struct pt_trial *now,
			   const struct pt_trial *before)
{
	return before ? (now->t_ns[1] - before->t_ns[1]) * PT_PS_PER_NS :
			PT_NO_VALUE;
}

static int64_t period_ps(const struct pt_case *c)
{
	return pt_kind_value(c) * TW_NS_PER_US * PT_PS_PER_NS;
}

static const struct pt_metric metrics[] = {
	PT_METRIC("wakeup", "Wake-up", 0, 1, PT_SPAN(PT_TO_EXPIRE, 0, 0)),
	PT_METRIC("interval", "Interval", 0, 0, .value_ps = interval_ps,
		  .target_ps = period_ps, PT_SPAN(PT_TO_ADD, 0, 0)),
	{ .token = NULL }
};

/* No switch is needed: of a task that is late, the next expiry has passed. */
static const struct pt_kind kinds[] = {
	{ "1000", .value = 1000, .trials = 10000 },
	{ "10000", .value = 10000, .trials = 1000 },
	{ "100000", .value = 100000, .trials = 100 },
	{ .name = NULL }
};

/* As those of the table: 10 s, whatever the period. */
static void own_kind(struct pt_kind *kind)
{
	kind->trials = 10 * TW_NS_PER_S / (kind->value * TW_NS_PER_US);
}

/* AEGIS's jitter of an interval: its largest less its smallest. */
static void verify(struct pt_case *c)
{
	struct pt_sum interval;

	if (pt_sum_in(c, "interval", &interval))
		pt_verdict(c, false, "jitter %.0f ns, the largest interval less the smallest",
			   interval.max_ns - interval.min_ns);
}

const struct pt_test pt_timer = {
	.name = "timer",
	.about = "a POSIX timer; the kind is its period in us",
	.groups = PT_AEGIS | PT_SAMPLES | PT_RHEALSTONE,
	.flags = PT_ALONE,
	.own = PT_OWN_PERIOD, .own_kind = own_kind,
	.kinds = kinds, .metrics = metrics, .run = run,
	.trials = 1000, .room = sizeof(struct tw_timer), .verify = verify,
};
