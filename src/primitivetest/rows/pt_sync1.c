// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sync1: a task posts and waits for its own semaphore, or locks and unlocks a
 * mutex: for some kinds, Linux needs no system call for this. sysv, eventfd and
 * futex do enter the kernel.
 */
#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/pt_record.h"
#include "rows/pt_channel.h"
#include "rows/pt_rows.h"

#define PAIRS	100

static int open_mutex(struct pt_channel *channel, struct pt_case *c)
{
	return pt_channel_cond.open(channel, c);
}

static int lock(struct pt_channel *channel)
{
	return -pthread_mutex_lock(&channel->mutex);
}

static int unlock(struct pt_channel *channel)
{
	return -pthread_mutex_unlock(&channel->mutex);
}

static int init_word(struct pt_channel *channel, struct pt_case *c)
{
	(void)c;
	atomic_init(&channel->word, 0);
	return 0;
}

/* Nobody waits, so that none is woken; and a wait for another value. */
static int wake_none(struct pt_channel *channel)
{
	return syscall(SYS_futex, &channel->word, FUTEX_WAKE, 1, NULL, NULL,
		       0) ? -errno : 0;
}

static int wait_refused(struct pt_channel *channel)
{
	return syscall(SYS_futex, &channel->word, FUTEX_WAIT, 1, NULL, NULL,
		       0) < 0 && errno == EAGAIN ? 0 : -EPROTO;
}

PT_PAIRS(pairs_mutex, lock, unlock)
PT_PAIRS(pairs_futex, wake_none, wait_refused)

static const struct pt_channel_ops own_mutex = {
	open_mutex, NULL, lock, unlock, pairs_mutex,
};

static const struct pt_channel_ops own_futex = {
	init_word, NULL, wake_none, wait_refused, pairs_futex,
};

static int run(struct pt_task *task)
{
	const struct pt_channel_ops *ops = pt_channel_of(task->in);
	struct pt_channel *channel = pt_room(task);
	struct pt_trial trial = { .t_ns = { 0 } };
	int err = 0;

	while (!err && pt_more(task)) {
		trial.t_ns[0] = pt_now(task);
		err = ops->pairs(channel, PAIRS);
		trial.t_ns[1] = pt_now(task);
		if (!err)
			pt_record(task, &trial);
	}
	return err;
}

static int open_channel(struct pt_case *c)
{
	return pt_channels_open(c, 1);
}

static void close_channel(struct pt_case *c)
{
	pt_channels_close(c, 1);
}

static const struct pt_metric metrics[] = {
	{ .token = "pair", .label = "Post and wait, or lock and unlock",
	  .from = 0, .to = 1, .per = PAIRS, .rate = "pairs",
	  .span = { PT_TO_RUN, 0, 0 } },
	{ .token = NULL }
};

static const struct pt_kind kinds[] = {
	{ "unnamed", .ops = &pt_channel_unnamed },
	{ "named", .ops = &pt_channel_named },
	{ "mutex", .ops = &own_mutex },
	{ "sysv", .ops = &pt_channel_sysv },
	{ "eventfd", .ops = &pt_channel_eventfd },
	{ "futex", .ops = &own_futex },
	{ .name = NULL }
};

static const struct pt_role roles[] = {
	{ "high", PT_HIGH, false, run },
	{ .name = NULL }
};

const struct pt_test pt_sync1 = {
	.name = "sync1",
	.about = "post and wait of one's own semaphore, 100 times",
	.groups = PT_AEGIS | PT_SAMPLES,
	.flags = PT_ALONE,
	.kinds = kinds, .metrics = metrics, .roles = roles,
	.trials = 10000, .room = sizeof(struct pt_channel),
	.open = open_channel, .close = close_channel,
};
