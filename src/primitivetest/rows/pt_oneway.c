// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sync2.mutex: nobody may unlock what another has locked, so that there is one
 * way only: a task unlocks what the other one waits for. stream: none of many
 * messages is answered, so that only an empty or a full queue makes one of the
 * tasks wait.
 */
#include "pt_exchange.h"
#include "pt_report.h"
#include "pt_rows.h"

#define PAUSE_NS	(50 * TW_NS_PER_US)
#define DEPTH		10	/* of a queue */
#define MESSAGES	120	/* of a trial of stream */
#define MB_PER_GB	1000

/*
 * The other one ends its turn before the next: it waits only when told to. If
 * it does not do that at once, this one sleeps, so that it gets there.
 */
static int unlock(struct pt_task *task, struct pt_trial *trial)
{
	struct pt_exchange *room = pt_room(task);
	const struct timespec pause = tw_ns_to_ts(PAUSE_NS);
	int err = pthread_mutex_lock(&room->channel[0].mutex);

	pt_wake(task, PT_ANSWERS);
	if (!task->priority || task->in->choice.cross ||
	    pt_config.order != PT_HIGHER)
		clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
	trial->t_ns[0] = pt_now(task);
	err |= pthread_mutex_unlock(&room->channel[0].mutex);
	pt_await(task);
	trial->t_ns[1] = task->in->stamp_ns;
	return -err;
}

static int lock(struct pt_task *task)
{
	struct pt_exchange *room = pt_room(task);
	int err = pthread_mutex_lock(&room->channel[0].mutex);

	task->in->stamp_ns = pt_now(task);
	pthread_mutex_unlock(&room->channel[0].mutex);
	return err ? -err : pt_wake(task, PT_ASKS);
}

const struct pt_metric pt_mutex_metrics[] = {
	PT_METRIC("out", "Unlock what the other task waits for", 0, 1,
		  PT_SPAN(PT_TO_WAIT, PT_ANSWERS, PT_ASKS), .rate = "mutexes"),
	{ .token = NULL }
};

const struct pt_role pt_mutex_roles[] = {
	[PT_ASKS] = { "asks", PT_MID, .once = unlock },
	[PT_ANSWERS] = { "answers", PT_ORDERED, true, .serve = lock },
	{ .name = NULL }
};

static int send_all(struct pt_task *task, struct pt_trial *trial)
{
	size_t head = pt_content_head(pt_kind_value(task->in));
	struct pt_side *side = pt_side(task);
	int i, err = 0;

	trial->t_ns[0] = pt_now(task);
	for (i = 0; !err && i < MESSAGES; i++) {
		pt_content_fill(side->buffer, head, (uint64_t)side->sent);
		err = pt_give(task);
	}
	if (!err)
		pt_await(task);
	trial->t_ns[1] = task->in->stamp_ns;
	return err;
}

/* The other one waits for the next trial. */
static int run_asks(struct pt_task *task)
{
	int err;

	pt_content_fill(pt_side(task)->buffer, pt_kind_value(task->in), 0);
	err = pt_lead(task, send_all);
	return err ? err : pt_give(task);
}

/* The pattern is the same in all messages; of one it is compared. */
static int run_answers(struct pt_task *task)
{
	struct pt_side *side = pt_side(task);
	size_t size = pt_kind_value(task->in), head = pt_content_head(size);
	int64_t at_ns;
	int i, err;

	for (;;) {
		for (i = 0; i < MESSAGES; i++) {
			err = pt_take(task, &at_ns);
			if (err || pt_over(task))
				return err;
			side->wrong += !pt_content_is(side->buffer, head,
				(uint64_t)side->received - 1);
		}
		task->in->stamp_ns = pt_now(task);
		side->wrong += !pt_content_is(side->buffer, size,
					      (uint64_t)side->received - 1);
		pt_wake(task, PT_ASKS);
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
static int stream_switches(const struct pt_case *c)
{
	static const int by_order[] = {
		[PT_HIGHER] = 2 * MESSAGES,
		[PT_LOWER] = 2 * (MESSAGES - DEPTH + 1),
		[PT_EQUAL] = 2 * (MESSAGES / (DEPTH + 2)),
	};

	return c->choice.cross ? 2 :
	       by_order[tw_config.priority ? pt_config.order : PT_EQUAL];
}

static void derive(const struct pt_case *c)
{
	struct pt_sum message;

	if (pt_sum_in(c, "message", &message))
		pt_derive((double)pt_kind_value(c) * MB_PER_GB /
			  message.mean_ns, "MB/s", "size / mean of message",
			  "%s.rate", c->name);
}

const struct pt_test pt_stream = {
	.name = "stream",
	.about = "120 messages to another task; the kind is their size",
	.groups = PT_AEGIS | PT_SAMPLES,
	.flags = PT_PACED,
	.own = PT_OWN_SIZE,
	.kinds = pt_message_kinds,
	.metrics = PT_TABLE(metric,
		PT_METRIC("message", "A message of many", 0, 1,
			  PT_SPAN(PT_TO_WAIT_LONG, PT_ANSWERS, PT_ASKS),
			  .per = MESSAGES, .rate = "messages")),
	.roles = PT_TABLE(role,
		[PT_ASKS] = { "asks", PT_MID, .run = run_asks },
		[PT_ANSWERS] = { "answers", PT_ORDERED, true,
				 .run = run_answers }),
	.switches_of = stream_switches,
	.trials = 1000, .room = sizeof(struct pt_exchange),
	.open = pt_exchange_open, .verify = pt_exchange_verify,
	.derive = derive,
};
