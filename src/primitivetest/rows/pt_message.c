// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * message: a task sends a message through a POSIX queue, another sends it back
 * through a second one. stream: none is answered, so that only an empty or a
 * full queue makes one of them wait.
 */
#include <fcntl.h>
#include <mqueue.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "pt_exchange.h"
#include "pt_report.h"
#include "pt_rows.h"
#include "tw_read.h"

#define DEPTH		10
#define MESSAGES	120	/* of a trial of stream */
#define MB_PER_GB	1000

static long long limit(const char *name)
{
	int64_t value = -1;
	char path[64];

	snprintf(path, sizeof(path), "/proc/sys/fs/mqueue/%s", name);
	tw_read_number(&value, path);
	return (long long)value;
}

/* Its name is gone at once: nothing is left behind, whatever ends the run. */
static int open_queue(struct pt_case *c, int side)
{
	struct pt_exchange *room = c->room;
	struct mq_attr attributes = {
		.mq_maxmsg = DEPTH, .mq_msgsize = pt_kind_value(c),
	};
	struct rlimit bytes = { .rlim_cur = 0 };
	char name[64];
	mqd_t queue;

	snprintf(name, sizeof(name), "/primitivetest-%d-%d", (int)getpid(),
		 side);
	queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &attributes);
	if (queue == (mqd_t)-1) {
		getrlimit(RLIMIT_MSGQUEUE, &bytes);
		return pt_refuse(c, -errno, "a queue of %d messages of %ld bytes: %s; allowed are msg_max %lld and msgsize_max %lld in /proc/sys/fs/mqueue, and %lld bytes in all queues of the user (ulimit -q)",
				 DEPTH, attributes.mq_msgsize, strerror(errno),
				 limit("msg_max"), limit("msgsize_max"),
				 (long long)bytes.rlim_cur);
	}
	mq_unlink(name);
	room->to[side] = room->from[!side] = (int)queue;
	return 0;
}

static int open_queues(struct pt_case *c)
{
	struct pt_exchange *room = c->room;
	int err = open_queue(c, PT_ASKS);

	sem_init(&room->done, 1, 0);
	return err ? err : open_queue(c, PT_ANSWERS);
}

static int give(struct pt_task *task)
{
	struct pt_exchange *room = pt_room(task);

	return mq_send(room->to[task->number],
		       (const char *)pt_side(task)->buffer,
		       pt_kind_value(task->in), 0) ?
	       pt_failed(task, "mq_send", -errno) : 0;
}

static int take(struct pt_task *task, int64_t *at_ns)
{
	struct pt_exchange *room = pt_room(task);
	size_t size = pt_kind_value(task->in);
	ssize_t got = mq_receive(room->from[task->number],
				 (char *)pt_side(task)->buffer, size, NULL);

	*at_ns = pt_now(task);
	return got == (ssize_t)size ? 0 :
	       pt_failed(task, "mq_receive", got < 0 ? -errno : -EMSGSIZE);
}

static const struct pt_way way = {
	.fill = pt_message_fill, .give = give, .take = take,
	.is_filled = pt_message_is_filled,
};

static const struct pt_kind kinds[] = {
	{ "8", .value = 8, .ops = &way },
	{ "64", .value = 64, .ops = &way },
	{ "1024", .value = 1024, .ops = &way },
	{ "8192", .value = 8192, .ops = &way },
	{ .name = NULL }
};

const struct pt_test pt_message = {
	.name = "message",
	.about = "message to another task and back; the kind is its size",
	.groups = PT_AEGIS | PT_SAMPLES | PT_RHEALSTONE,
	.flags = PT_PACED,
	.own = PT_OWN_SIZE,
	.kinds = kinds, .metrics = pt_exchange_metrics,
	.roles = pt_exchange_roles,
	.switches = 2, .trials = 10000, .room = sizeof(struct pt_exchange),
	.open = open_queues, .verify = pt_exchange_verify,
};

static int send_once(struct pt_task *task, struct pt_trial *trial)
{
	struct pt_exchange *room = pt_room(task);
	struct pt_side *side = pt_side(task);
	int i, err = 0;

	trial->t_ns[0] = pt_now(task);
	for (i = 0; !err && i < MESSAGES; i++) {
		pt_content_count(side->buffer, pt_kind_value(task->in),
				 (uint64_t)side->sent);
		err = pt_exchange_give(task);
	}
	if (!err)
		err = pt_wait(&room->done);
	trial->t_ns[1] = task->in->stamp_ns;
	return err;
}

static int send_all(struct pt_task *task)
{
	int err;

	pt_message_fill(task, 0);
	err = pt_lead(task, send_once);
	/* The other one waits for the next trial. */
	return err ? err : pt_exchange_give(task);
}

/* The pattern is the same in all messages; of one it is compared. */
static int receive(struct pt_task *task)
{
	struct pt_exchange *room = pt_room(task);
	struct pt_side *side = pt_side(task);
	size_t size = pt_kind_value(task->in);
	int64_t at_ns;
	int i, err;

	for (;;) {
		for (i = 0; i < MESSAGES; i++) {
			err = pt_exchange_take(task, &at_ns);
			if (err || pt_over(task))
				return err;
			side->wrong += !pt_content_is_counted(side->buffer,
				size, (uint64_t)side->received - 1);
		}
		task->in->stamp_ns = pt_now(task);
		side->wrong += !pt_content_is(side->buffer, size,
					      (uint64_t)side->received - 1);
		sem_post(&room->done);
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

static void stream_derive(const struct pt_case *c)
{
	struct pt_sum message;

	if (pt_sum_in(c, "message", &message))
		pt_derive((double)pt_kind_value(c) * MB_PER_GB /
			  message.mean_ns, "MB/s", "size / mean of message",
			  "%s.rate", c->name);
}

static const struct pt_metric stream_metrics[] = {
	PT_METRIC("message", "A message of many", 0, 1,
		  PT_SPAN(PT_TO_WAIT_LONG, 1, 0), .per = MESSAGES,
		  .rate = "messages"),
	{ .token = NULL }
};

static const struct pt_role stream_roles[] = {
	{ "asks", PT_MID, .run = send_all },
	{ "answers", PT_ORDERED, true, .run = receive },
	{ .name = NULL }
};

const struct pt_test pt_stream = {
	.name = "stream",
	.about = "120 messages to another task; the kind is their size",
	.groups = PT_AEGIS | PT_SAMPLES,
	.flags = PT_PACED,
	.own = PT_OWN_SIZE,
	.kinds = kinds, .metrics = stream_metrics, .roles = stream_roles,
	.switches_of = stream_switches,
	.trials = 1000, .room = sizeof(struct pt_exchange),
	.open = open_queues, .verify = pt_exchange_verify,
	.derive = stream_derive,
};
