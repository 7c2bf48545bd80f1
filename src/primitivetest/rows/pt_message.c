// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * message: a task sends a message through a POSIX queue, another sends it back
 * through a second one.
 */
#include "core/pt_pace.h"
#include "core/pt_record.h"
#include "rows/pt_queue.h"
#include "rows/pt_rows.h"

static int ask(struct pt_task *task)
{
	struct pt_queue *queue = pt_room(task);
	struct pt_queue_side *side = &queue->asks;
	size_t size = pt_queue_size(task->in);
	struct pt_trial trial = { .t_ns = { 0 } };
	struct pt_pace pace;
	int err = 0;

	pt_pace_start(&pace, task);
	while (!err && pt_more(task)) {
		pt_pace_wait(&pace);
		pt_queue_fill(side->buffer, size, pt_done(task));
		trial.t_ns[0] = pt_now(task);
		err = pt_queue_send(task, queue->out, side);
		if (!err)
			err = pt_queue_receive(task, queue->back, side);
		trial.t_ns[2] = pt_now(task);
		trial.t_ns[1] = task->in->stamp_ns;
		if (err)
			return err;
		side->wrong += !pt_queue_is_filled(side->buffer, size,
						   pt_done(task));
		pt_record(task, &trial);
	}
	/* The other one waits for the next trial. */
	return pt_queue_send(task, queue->out, side);
}

/* What it received is what it sends: the one that asks compares. */
static int answer(struct pt_task *task)
{
	struct pt_queue *queue = pt_room(task);
	struct pt_queue_side *side = &queue->answers;
	int err;

	for (;;) {
		err = pt_queue_receive(task, queue->out, side);
		if (err || pt_over(task))
			return err;
		task->in->stamp_ns = pt_now(task);
		err = pt_queue_send(task, queue->back, side);
		if (err)
			return err;
	}
}

static const struct pt_metric metrics[] = {
	{ .token = "out", .label = "Message to the other task", .from = 0,
	  .to = 1, .span = { PT_TO_WAIT, 1, 0 } },
	{ .token = "back", .label = "Its answer", .from = 1, .to = 2,
	  .span = { PT_TO_WAIT, 0, 1 } },
	{ .token = "roundtrip", .label = "Message and answer", .from = 0,
	  .to = 2, .rate = "round trips" },
	{ .token = NULL }
};

static const struct pt_role roles[] = {
	{ "asks", PT_MID, false, ask },
	{ "answers", PT_ORDERED, true, answer },
	{ .name = NULL }
};

const struct pt_test pt_message = {
	.name = "message",
	.about = "message to another task and back; the kind is its size",
	.groups = PT_AEGIS | PT_SAMPLES | PT_RHEALSTONE,
	.own = PT_OWN_SIZE,
	.kinds = pt_queue_kinds, .metrics = metrics, .roles = roles,
	.switches = 2, .trials = 10000, .room = sizeof(struct pt_queue),
	.open = pt_queue_open, .close = pt_queue_close,
	.verify = pt_queue_verify,
};
