// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * timer: a POSIX timer wakes a task periodically. AEGIS's jitter is wakeup;
 * interval shows a late expiry twice.
 */
#include <errno.h>

#include "base/tw_timer.h"
#include "core/pt_record.h"
#include "rows/pt_rows.h"

static int run(struct pt_task *task)
{
	const struct tw_clock *clock = &task->in->clock;
	int64_t period_ns = pt_kind_value(task->in) * TW_NS_PER_US;
	struct tw_timer timer = { .period_ns = period_ns };
	struct tw_ahead ahead = { 0 };
	struct pt_trial trial = { .t_ns = { 0 } };
	int64_t awake_ns;
	int err;

	err = tw_timer_start(&timer, &tw_timer_posix, clock->timer_clockid,
			     period_ns, 0);
	if (err)
		return pt_failed(task, "timer_create", err);
	while (!err && pt_more(task)) {
		err = timer.ops->wait(&timer);
		trial.t_ns[1] = pt_now(task);
		if (err == -EINTR) {
			err = 0;
			continue;
		}
		awake_ns = tw_now_ns(timer.clockid);
		timer.ops->settle(&timer, awake_ns);
		trial.t_ns[0] = timer.planned_ns +
				tw_clock_ahead_ns(clock, &ahead);
		if (!pt_warms_up(task))
			task->in->missed += timer.missed;
		pt_record(task, &trial);
	}
	timer.ops->stop(&timer);
	return err;
}

static int64_t interval_ps(const struct pt_case *c, const struct pt_trial *now,
			   const struct pt_trial *before)
{
	(void)c;
	return before ? (now->t_ns[1] - before->t_ns[1]) * PT_PS_PER_NS :
			PT_NO_VALUE;
}

static int64_t period_ps(const struct pt_case *c)
{
	return pt_kind_value(c) * TW_NS_PER_US * PT_PS_PER_NS;
}

static const struct pt_metric metrics[] = {
	{ .token = "wakeup", .label = "Wake-up", .from = 0, .to = 1,
	  .span = { PT_TO_EXPIRE, 0, 0 } },
	{ .token = "interval", .label = "Interval", .value_ps = interval_ps,
	  .target_ps = period_ps, .span = { PT_TO_ADD, 0, 0 } },
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

static const struct pt_role roles[] = {
	{ "high", PT_HIGH, false, run },
	{ .name = NULL }
};

/* AEGIS's jitter of an interval: its largest less its smallest. */
static void verify(struct pt_case *c)
{
	struct tw_status interval = tw_series_status(c->series, 1);

	if (interval.count)
		pt_verdict(c, false, "jitter %lld ns, the largest interval less the smallest",
			   (long long)((interval.max_ns - interval.min_ns) /
				       PT_PS_PER_NS));
}

const struct pt_test pt_timer = {
	.name = "timer",
	.about = "a POSIX timer; the kind is its period in us",
	.groups = PT_AEGIS | PT_SAMPLES | PT_RHEALSTONE,
	.flags = PT_ALONE,
	.own = PT_OWN_PERIOD, .own_kind = own_kind,
	.kinds = kinds, .metrics = metrics, .roles = roles,
	.trials = 1000, .verify = verify,
};
