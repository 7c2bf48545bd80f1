// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/tw_kfile.h"
#include "rows/pt_queue.h"

static size_t number_size(size_t size)
{
	return size < sizeof(uint64_t) ? size : sizeof(uint64_t);
}

/* The lowest byte first: a short message has that one. */
void pt_queue_count(unsigned char *message, size_t size, uint64_t number)
{
	size_t i;

	for (i = 0; i < number_size(size); i++)
		message[i] = (unsigned char)(number >> 8 * i);
}

bool pt_queue_is_counted(const unsigned char *message, size_t size,
			 uint64_t number)
{
	unsigned char expected[sizeof(uint64_t)];

	pt_queue_count(expected, size, number);
	return !memcmp(message, expected, number_size(size));
}

static unsigned char pattern(size_t i, size_t size)
{
	return (unsigned char)(i * 167 + size);
}

void pt_queue_fill(unsigned char *message, size_t size, uint64_t number)
{
	size_t i;

	pt_queue_count(message, size, number);
	for (i = number_size(size); i < size; i++)
		message[i] = pattern(i, size);
}

bool pt_queue_is_filled(const unsigned char *message, size_t size,
			uint64_t number)
{
	size_t i;

	for (i = number_size(size); i < size; i++)
		if (message[i] != pattern(i, size))
			return false;
	return pt_queue_is_counted(message, size, number);
}

static long long limit(const char *name)
{
	int64_t value = -1;

	tw_kfile_number("", &value, "/proc/sys/fs/mqueue/%s", name);
	return (long long)value;
}

static int refuse(struct pt_case *c, int err)
{
	struct rlimit bytes = { .rlim_cur = 0 };

	getrlimit(RLIMIT_MSGQUEUE, &bytes);
	return pt_refuse(c, err, "a queue of %d messages of %zu bytes: %s; allowed are msg_max %lld and msgsize_max %lld in /proc/sys/fs/mqueue, and %lld bytes in all queues of the user (ulimit -q)",
			 PT_QUEUE_DEPTH, pt_queue_size(c), strerror(-err),
			 limit("msg_max"), limit("msgsize_max"),
			 (long long)bytes.rlim_cur);
}

/* Its name is gone at once: nothing is left behind, whatever ends the run. */
static int open_queue(struct pt_case *c, mqd_t *queue)
{
	struct mq_attr attributes = {
		.mq_maxmsg = PT_QUEUE_DEPTH,
		.mq_msgsize = (long)pt_queue_size(c),
	};
	char name[64];

	snprintf(name, sizeof(name), "/primitivetest-%d-%p", (int)getpid(),
		 (void *)queue);
	*queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &attributes);
	if (*queue == (mqd_t)-1)
		return refuse(c, -errno);
	mq_unlink(name);
	pt_keep(c, (int)*queue);
	return 0;
}

int pt_queue_open(struct pt_case *c)
{
	struct pt_queue *queue = c->room;
	int err = open_queue(c, &queue->out);

	sem_init(&queue->done, 1, 0);
	return err ? err : open_queue(c, &queue->back);
}

void pt_queue_close(struct pt_case *c)
{
	struct pt_queue *queue = c->room;

	mq_close(queue->back);
	mq_close(queue->out);
}

int pt_queue_send(struct pt_task *task, mqd_t queue, struct pt_queue_side *side)
{
	if (mq_send(queue, (const char *)side->buffer,
		    pt_queue_size(task->in), 0))
		return pt_failed(task, "mq_send", -errno);
	side->sent++;
	return 0;
}

int pt_queue_receive(struct pt_task *task, mqd_t queue,
		     struct pt_queue_side *side)
{
	size_t size = pt_queue_size(task->in);
	ssize_t got = mq_receive(queue, (char *)side->buffer, size, NULL);

	if (got != (ssize_t)size)
		return pt_failed(task, "mq_receive",
				 got < 0 ? -errno : -EMSGSIZE);
	side->received++;
	return 0;
}

void pt_queue_verify(struct pt_case *c)
{
	const struct pt_queue *queue = c->room;
	long long sent = queue->asks.sent + queue->answers.sent;
	long long received = queue->asks.received + queue->answers.received;
	long long wrong = queue->asks.wrong + queue->answers.wrong;

	pt_verdict(c, sent != received || wrong,
		   "%lld messages sent, %lld received, %lld of them with other content",
		   sent, received, wrong);
}

const struct pt_kind pt_queue_kinds[] = {
	{ "8", .value = 8 },
	{ "64", .value = 64 },
	{ "1024", .value = 1024 },
	{ "8192", .value = 8192 },
	{ .name = NULL }
};
