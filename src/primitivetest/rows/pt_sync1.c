// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sync1: a task posts and waits for its own semaphore, or locks and unlocks a
 * mutex: for some kinds, Linux needs no system call for this. sysv, eventfd and
 * futex do enter the kernel.
 */
#include <linux/futex.h>

#include "pt_channel.h"
#include "pt_rows.h"

#define PAIRS	100

struct own {
	int (*open)(struct pt_channel *channel, struct pt_case *c);
	int (*pairs)(struct pt_channel *channel);
};

/* With the calls in its loop: one through a pointer would take longer. */
#define KIND_OF(name, open, post, wait) \
	static int pairs_##name(struct pt_channel *channel) \
	{ \
		int i, bad = 0; \
		for (i = 0; i < PAIRS; i++) { \
			bad |= post; \
			bad |= wait; \
		} \
		return bad ? -EIO : 0; \
	} \
	static const struct own of_##name = { open, pairs_##name }

KIND_OF(unnamed, pt_channel_unnamed, sem_post(channel->sem),
	sem_wait(channel->sem));
KIND_OF(named, pt_channel_named, sem_post(channel->sem),
	sem_wait(channel->sem));
KIND_OF(mutex, pt_channel_cond, pthread_mutex_lock(&channel->mutex),
	pthread_mutex_unlock(&channel->mutex));
KIND_OF(sysv, pt_channel_sysv, pt_sysv_give(channel), pt_sysv_take(channel));
KIND_OF(eventfd, pt_channel_eventfd, pt_eventfd_give(channel),
	pt_eventfd_take(channel));
/* Nobody waits, so that none is woken; and a wait for another value. */
KIND_OF(futex, pt_channel_futex, pt_futex(channel, FUTEX_WAKE, 1) != 0,
	pt_futex(channel, FUTEX_WAIT, 1) != -1 || errno != EAGAIN);

static int once(struct pt_task *task, struct pt_trial *trial)
{
	const struct own *own = pt_kind_ops(task->in);
	int err;

	trial->t_ns[0] = pt_now(task);
	err = own->pairs(pt_room(task));
	trial->t_ns[1] = pt_now(task);
	return err;
}

static int run(struct pt_task *task)
{
	return pt_lead(task, once);
}

static int open_own(struct pt_case *c)
{
	const struct own *own = pt_kind_ops(c);

	return own->open(c->room, c);
}

static const struct pt_metric metrics[] = {
	PT_METRIC("pair", "Post and wait, or lock and unlock", 0, 1,
		  PT_SPAN(PT_TO_RUN, 0, 0), .per = PAIRS, .rate = "pairs"),
	{ .token = NULL }
};

static const struct pt_kind kinds[] = {
	{ "unnamed", .ops = &of_unnamed },
	{ "named", .ops = &of_named },
	{ "mutex", .ops = &of_mutex },
	{ "sysv", .ops = &of_sysv },
	{ "eventfd", .ops = &of_eventfd },
	{ "futex", .ops = &of_futex },
	{ .name = NULL }
};

const struct pt_test pt_sync1 = {
	.name = "sync1",
	.about = "post and wait of one's own semaphore, 100 times",
	.groups = PT_AEGIS | PT_SAMPLES,
	.flags = PT_ALONE,
	.kinds = kinds, .metrics = metrics, .run = run,
	.trials = 10000, .room = sizeof(struct pt_channel),
	.open = open_own, .close = pt_channel_close,
};
