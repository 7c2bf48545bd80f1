// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The mutex of sync2. Nobody may unlock what another has locked, so that there
 * is one way only: a task unlocks what the other one waits for.
 */
#include <errno.h>
#include <time.h>

#include "core/pt_pace.h"
#include "core/pt_record.h"
#include "rows/pt_sync2_mutex.h"

#define PAUSE_NS	(50 * TW_NS_PER_US)

enum { GO, DONE };

/* Its semaphores only say when the other one shall lock, and that it has. */
static int open_mutex(struct pt_channel *channel, struct pt_case *c)
{
	int err = pt_channel_cond.open(channel, c);

	return err ? err : pt_channel_unnamed.open(channel, c);
}

const struct pt_channel_ops pt_sync2_mutex_ops = {
	.open = open_mutex, .post = NULL, .wait = NULL,
};

/*
 * Whether the other one waits for the mutex as soon as it is told to; else this
 * one has to sleep, so that the other one gets there.
 */
static bool waits_at_once(const struct pt_task *task)
{
	const struct pt_case *c = task->in;

	return task->priority && !c->choice.cross &&
	       c->config->order == PT_HIGHER;
}

static int hold(struct pt_task *task, struct pt_channel *channel)
{
	const struct timespec pause = tw_ns_to_ts(PAUSE_NS);
	int err = pthread_mutex_lock(&channel[GO].mutex);

	if (err)
		return -err;
	sem_post(channel[GO].sem);
	if (!waits_at_once(task))
		while (clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL) ==
		       EINTR)
			;
	return 0;
}

/* The other one ends its turn before the next: it waits only when told to. */
static int unlock(struct pt_task *task)
{
	struct pt_channel *channel = pt_room(task);
	struct pt_pace pace;
	struct pt_trial trial = { .t_ns = { 0 } };
	int err = 0;

	pt_pace_start(&pace, task);
	while (!err && pt_more(task)) {
		pt_pace_wait(&pace);
		err = hold(task, channel);
		if (err)
			return pt_failed(task, "pthread_mutex_lock", err);
		trial.t_ns[0] = pt_now(task);
		err = pthread_mutex_unlock(&channel[GO].mutex);
		if (err)
			return pt_failed(task, "pthread_mutex_unlock", -err);
		err = pt_channel_unnamed.wait(&channel[DONE]);
		trial.t_ns[1] = task->in->stamp_ns;
		if (!err)
			pt_record(task, &trial);
	}
	return err ? err : pt_channel_unnamed.post(&channel[GO]);
}

static int lock(struct pt_task *task)
{
	struct pt_channel *channel = pt_room(task);
	int err;

	for (;;) {
		err = pt_channel_unnamed.wait(&channel[GO]);
		if (err || pt_over(task))
			return err;
		err = pthread_mutex_lock(&channel[GO].mutex);
		task->in->stamp_ns = pt_now(task);
		if (err)
			return pt_failed(task, "pthread_mutex_lock", -err);
		pthread_mutex_unlock(&channel[GO].mutex);
		err = pt_channel_unnamed.post(&channel[DONE]);
		if (err)
			return err;
	}
}

const struct pt_metric pt_sync2_mutex_metrics[] = {
	{ .token = "out", .label = "Unlock what the other task waits for",
	  .from = 0, .to = 1, .rate = "mutexes",
	  .span = { PT_TO_WAIT, 1, 0 } },
	{ .token = NULL }
};

const struct pt_role pt_sync2_mutex_roles[] = {
	{ "asks", PT_MID, false, unlock },
	{ "answers", PT_ORDERED, true, lock },
	{ .name = NULL }
};
