// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stream: a task sends messages through a POSIX queue, another receives them,
 * and none is answered: only an empty or a full queue makes one of them wait.
 */
#include <errno.h>
#include <stdio.h>

#include "core/pt_pace.h"
#include "core/pt_record.h"
#include "core/pt_report.h"
#include "rows/pt_queue.h"
#include "rows/pt_rows.h"

#define MESSAGES		120
#define MB_PER_GB	1000

static int send_all(struct pt_task *task)
{
	struct pt_queue *queue = pt_room(task);
	struct pt_queue_side *side = &queue->asks;
	size_t size = pt_queue_size(task->in);
	int i, err = 0;

	for (i = 0; !err && i < MESSAGES; i++) {
		pt_queue_count(side->buffer, size, (uint64_t)side->sent);
		err = pt_queue_send(task, queue->out, side);
	}
	return err;
}

static int send(struct pt_task *task)
{
	struct pt_queue *queue = pt_room(task);
	struct pt_trial trial = { .t_ns = { 0 } };
	struct pt_pace pace;
	int err = 0;

	pt_queue_fill(queue->asks.buffer, pt_queue_size(task->in), 0);
	pt_pace_start(&pace, task);
	while (pt_more(task)) {
		pt_pace_wait(&pace);
		trial.t_ns[0] = pt_now(task);
		err = send_all(task);
		if (!err && sem_wait(&queue->done))
			err = -errno;
		if (err)
			return err;
		trial.t_ns[1] = task->in->stamp_ns;
		pt_record(task, &trial);
	}
	/* The other one waits for the next trial. */
	return pt_queue_send(task, queue->out, &queue->asks);
}

static int receive(struct pt_task *task)
{
	struct pt_queue *queue = pt_room(task);
	struct pt_queue_side *side = &queue->answers;
	size_t size = pt_queue_size(task->in);
	int i, err;

	for (;;) {
		for (i = 0; i < MESSAGES; i++) {
			err = pt_queue_receive(task, queue->out, side);
			if (err || pt_over(task))
				return err;
			side->wrong += !pt_queue_is_counted(side->buffer, size,
				(uint64_t)side->received - 1);
		}
		task->in->stamp_ns = pt_now(task);
		/* The pattern is the same in all; of one it is compared. */
		side->wrong += !pt_queue_is_filled(side->buffer, size,
			(uint64_t)side->received - 1);
		if (sem_post(&queue->done))
			return -errno;
	}
}

/*
 * If the one that receives has the higher priority, it takes each message at
 * once. If it has the lower one, the other one waits with each message that the
 * queue has no room for, and for the end. If they have the same, those in the
 * queue, the one that a sender waits with and the one for which a receiver
 * waits pass between two switches. On two CPUs, only the beginning and the end
 * are known: then one waits for the other.
 */
static int switches_of(const struct pt_case *c)
{
	static const int by_order[] = {
		[PT_HIGHER] = 2 * MESSAGES,
		[PT_LOWER] = 2 * (MESSAGES - PT_QUEUE_DEPTH + 1),
		[PT_EQUAL] = 2 * (MESSAGES / (PT_QUEUE_DEPTH + 2)),
	};

	if (c->choice.cross)
		return 2;
	return by_order[c->config->priority ? c->config->order : PT_EQUAL];
}

static void derive(const struct pt_sums *sums, const struct pt_case *c)
{
	char name[PT_NAME + 16];
	struct pt_sum message;

	if (!pt_sum_in(c, "message", &message))
		return;
	snprintf(name, sizeof(name), "%s.rate", c->name);
	pt_derive_as(sums, &(struct pt_derived) {
		.title = "Derived", .name = name, .unit = "MB/s",
		.value = (double)pt_queue_size(c) * MB_PER_GB /
			 message.mean_ns,
		.formula = "size / mean of message",
	});
}

static const struct pt_metric metrics[] = {
	{ .token = "message", .label = "A message of many", .from = 0, .to = 1,
	  .per = MESSAGES, .rate = "messages",
	  .span = { PT_TO_WAIT_LONG, 1, 0 } },
	{ .token = NULL }
};

static const struct pt_role roles[] = {
	{ "asks", PT_MID, false, send },
	{ "answers", PT_ORDERED, true, receive },
	{ .name = NULL }
};

const struct pt_test pt_message_stream = {
	.name = "stream",
	.about = "120 messages to another task; the kind is their size",
	.groups = PT_AEGIS | PT_SAMPLES,
	.own = PT_OWN_SIZE,
	.kinds = pt_queue_kinds, .metrics = metrics, .roles = roles,
	.switches_of = switches_of,
	.trials = 1000, .room = sizeof(struct pt_queue),
	.open = pt_queue_open, .close = pt_queue_close,
	.verify = pt_queue_verify, .derive = derive,
};
