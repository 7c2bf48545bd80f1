// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sync2: a task posts and waits, another answers. There are two semaphores,
 * one each way: with one, the poster would take back what it has posted.
 */
#include <time.h>

#include "core/pt_pace.h"
#include "core/pt_record.h"
#include "core/pt_report.h"
#include "rows/pt_channel.h"
#include "rows/pt_rows.h"
#include "rows/pt_sync2_mutex.h"

/* One task asks, and leads. */
static int ask(struct pt_task *task)
{
	const struct pt_channel_ops *ops = pt_channel_of(task->in);
	struct pt_channel *channel = pt_room(task);
	struct pt_pace pace;
	struct pt_trial trial = { .t_ns = { 0 } };
	int err = 0;

	pt_pace_start(&pace, task);
	while (!err && pt_more(task)) {
		pt_pace_wait(&pace);
		trial.t_ns[0] = pt_now(task);
		err = ops->post(&channel[0]);
		if (!err)
			err = ops->wait(&channel[1]);
		trial.t_ns[2] = pt_now(task);
		trial.t_ns[1] = task->in->stamp_ns;
		if (!err)
			pt_record(task, &trial);
	}
	/* The other one waits for the next trial. */
	return err ? err : ops->post(&channel[0]);
}

static int answer(struct pt_task *task)
{
	const struct pt_channel_ops *ops = pt_channel_of(task->in);
	struct pt_channel *channel = pt_room(task);
	int err;

	for (;;) {
		err = ops->wait(&channel[0]);
		if (err || pt_over(task))
			return err;
		task->in->stamp_ns = pt_now(task);
		err = ops->post(&channel[1]);
		if (err)
			return err;
	}
}

static int open_channels(struct pt_case *c)
{
	return pt_channels_open(c, 2);
}

static void close_channels(struct pt_case *c)
{
	pt_channels_close(c, 2);
}

/* AEGIS's switch contains the futex calls; the other does not. */
static void derive(const struct pt_sums *sums, const struct pt_case *c)
{
	static const char aegis[] = "roundtrip / 2 - sync1 pair";
	static const char net[] = "roundtrip / 2 - sync1.futex.pair";
	struct pt_sum trip, pair;
	char name[PT_NAME + 16];

	if (!pt_sum_in(c, "roundtrip", &trip))
		return;
	snprintf(name, sizeof(name), "sync1.%s.pair", c->choice.kind->name);
	if (pt_sum_of(sums, name, &pair)) {
		pt_derive(sums, trip.mean_ns / 2 - pair.mean_ns, aegis,
			  "%s.switch", c->name);
		pt_derive(sums, trip.min_ns / 2 - pair.min_ns, aegis,
			  "%s.switch.min", c->name);
	}
	if (pt_sum_of(sums, "sync1.futex.pair", &pair)) {
		pt_derive(sums, trip.mean_ns / 2 - pair.mean_ns, net,
			  "%s.switch_net", c->name);
		pt_derive(sums, trip.min_ns / 2 - pair.min_ns, net,
			  "%s.switch_net.min", c->name);
	}
}

static const struct pt_metric metrics[] = {
	{ .token = "out", .label = "Post to the other task", .from = 0,
	  .to = 1, .span = { PT_TO_WAIT, 1, 0 } },
	{ .token = "back", .label = "Its answer", .from = 1, .to = 2,
	  .span = { PT_TO_WAIT, 0, 1 } },
	{ .token = "roundtrip", .label = "Post and answer", .from = 0,
	  .to = 2, .rate = "round trips" },
	{ .token = NULL }
};

static const struct pt_kind kinds[] = {
	{ "unnamed", .ops = &pt_channel_unnamed, .switches = 2 },
	{ "named", .ops = &pt_channel_named, .switches = 2 },
	{ "sysv", .ops = &pt_channel_sysv, .switches = 2 },
	{ "eventfd", .ops = &pt_channel_eventfd, .switches = 2 },
	{ "futex", .ops = &pt_channel_futex, .switches = 2 },
	{ "cond", .ops = &pt_channel_cond, .switches = 2 },
	{ "pi", .ops = &pt_channel_pi, .switches = 2 },
	{ "mutex", .ops = &pt_sync2_mutex_ops, .switches = 4,
	  .metrics = pt_sync2_mutex_metrics, .roles = pt_sync2_mutex_roles },
	{ .name = NULL }
};

static const struct pt_role roles[] = {
	{ "asks", PT_MID, false, ask },
	{ "answers", PT_ORDERED, true, answer },
	{ .name = NULL }
};

const struct pt_test pt_sync2 = {
	.name = "sync2",
	.about = "semaphore to another task and back",
	.groups = PT_AEGIS | PT_SAMPLES,
	.kinds = kinds, .metrics = metrics, .roles = roles,
	.trials = 10000, .room = 2 * sizeof(struct pt_channel),
	.open = open_channels, .close = close_channels, .derive = derive,
};
