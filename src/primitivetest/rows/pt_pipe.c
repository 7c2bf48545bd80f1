// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pipe, unix: bytes to another task through a pipe, and back through a second;
 * or through a pair of Unix sockets. A task that waits for a stream also wakes
 * when the other has read its last message: Linux switches four times a trial,
 * where a pipe needs two.
 */
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "pt_exchange.h"
#include "pt_rows.h"

static int open_pipes(struct pt_case *c)
{
	struct pt_exchange *room = c->room;
	int i, ends[2];

	for (i = 0; i < 2; i++) {
		if (pipe2(ends, O_CLOEXEC))
			return -errno;
		room->to[i] = ends[1];
		room->from[!i] = ends[0];
	}
	return 0;
}

static int open_sockets(struct pt_case *c)
{
	struct pt_exchange *room = c->room;
	int i, ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return -errno;
	for (i = 0; i < 2; i++)
		room->to[i] = room->from[i] = ends[i];
	return 0;
}

/* What is left of a large message, of which @done has come or gone. */
static __attribute__((noinline)) int
transfer_rest(struct pt_task *task, bool sends, ssize_t done)
{
	struct pt_exchange *room = pt_room(task);
	size_t left = pt_kind_value(task->in);
	unsigned char *data = pt_side(task)->buffer;

	for (;;) {
		if (!done || (done < 0 && errno != EINTR))
			return pt_failed(task, "read or write",
					 done ? -errno : -EPIPE);
		data += done < 0 ? 0 : done;
		left -= done < 0 ? 0 : (size_t)done;
		if (!left)
			return 0;
		done = sends ? write(room->to[task->number], data, left) :
			       read(room->from[task->number], data, left);
	}
}

static int give(struct pt_task *task)
{
	struct pt_exchange *room = pt_room(task);
	ssize_t size = pt_kind_value(task->in);
	ssize_t done = write(room->to[task->number], pt_side(task)->buffer,
			     size);

	return done == size ? 0 : transfer_rest(task, true, done);
}

static int take(struct pt_task *task, int64_t *at_ns)
{
	struct pt_exchange *room = pt_room(task);
	ssize_t size = pt_kind_value(task->in);
	ssize_t done = read(room->from[task->number], pt_side(task)->buffer,
			    size);
	int err = done == size ? 0 : transfer_rest(task, false, done);

	*at_ns = pt_now(task);
	return err;
}

static const struct pt_way way = {
	.fill = pt_message_fill, .give = give, .take = take,
	.is_filled = pt_message_is_filled,
};

static const struct pt_kind kinds[] = {
	{ "1", .value = 1, .ops = &way, .switches = 2 },
	{ "64", .value = 64, .ops = &way, .switches = 2 },
	{ "1024", .value = 1024, .ops = &way, .switches = 2 },
	{ "8192", .value = 8192, .ops = &way, .switches = 2 },
	{ .name = NULL }
};

const struct pt_test pt_pipe = {
	.name = "pipe",
	.about = "bytes through a pipe and back; the kind is their number",
	.flags = PT_PACED, .own = PT_OWN_SIZE,
	.kinds = kinds, .metrics = pt_exchange_metrics,
	.roles = pt_exchange_roles,
	.trials = 10000, .room = sizeof(struct pt_exchange),
	.open = open_pipes, .verify = pt_exchange_verify,
};

const struct pt_test pt_unix = {
	.name = "unix",
	.about = "bytes through a Unix socket and back; the kind: how many",
	.flags = PT_PACED, .own = PT_OWN_SIZE,
	.kinds = kinds, .metrics = pt_exchange_metrics,
	.roles = pt_exchange_roles, .spare_switches = 2,
	.trials = 10000, .room = sizeof(struct pt_exchange),
	.open = open_sockets, .verify = pt_exchange_verify,
};
