// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "core/pt_pace.h"
#include "core/pt_record.h"
#include "rows/pt_stream.h"

enum { ASKS, ANSWERS };

typedef ssize_t transfer_fn(int fd, void *data, size_t size);

static ssize_t put(int fd, void *data, size_t size)
{
	return write(fd, data, size);
}

/* A large message may come or go in parts. */
static int transfer(transfer_fn *transfer_some, int fd, unsigned char *data,
		    size_t size)
{
	ssize_t done;

	for (; size; data += done, size -= (size_t)done) {
		done = transfer_some(fd, data, size);
		if (done < 0 && errno == EINTR)
			done = 0;
		else if (done <= 0)
			return done ? -errno : -EPIPE;
	}
	return 0;
}

static int send_all(struct pt_task *task, struct pt_stream *stream)
{
	int err = transfer(put, stream->to[task->number],
			   stream->buffer[task->number],
			   (size_t)pt_kind_value(task->in));

	return err ? pt_failed(task, "write", err) : 0;
}

static int receive_all(struct pt_task *task, struct pt_stream *stream)
{
	int err = transfer(read, stream->from[task->number],
			   stream->buffer[task->number],
			   (size_t)pt_kind_value(task->in));

	return err ? pt_failed(task, "read", err) : 0;
}

/* Whether all bytes are as they were sent. */
static bool is_all(const unsigned char *data, size_t size, unsigned char value)
{
	return data[0] == value && !memcmp(data, data + 1, size - 1);
}

/* Leads. Each message is another; what it gets back replaces it. */
static int ask(struct pt_task *task)
{
	struct pt_stream *stream = pt_room(task);
	unsigned char *buffer = stream->buffer[ASKS];
	size_t size = (size_t)pt_kind_value(task->in);
	struct pt_trial trial = { .t_ns = { 0 } };
	struct pt_pace pace;
	int err = 0;

	pt_pace_start(&pace, task);
	while (!err && pt_more(task)) {
		memset(buffer, (unsigned char)++stream->out, size);
		pt_pace_wait(&pace);
		trial.t_ns[0] = pt_now(task);
		err = send_all(task, stream);
		if (!err)
			err = receive_all(task, stream);
		trial.t_ns[2] = pt_now(task);
		trial.t_ns[1] = task->in->stamp_ns;
		stream->changed += !is_all(buffer, size,
					   (unsigned char)stream->out);
		if (!err)
			pt_record(task, &trial);
	}
	stream->end = true;
	return err ? err : send_all(task, stream);
}

static int answer(struct pt_task *task)
{
	struct pt_stream *stream = pt_room(task);
	int err;

	for (;;) {
		err = receive_all(task, stream);
		task->in->stamp_ns = pt_now(task);
		if (err || stream->end)
			return err;
		stream->in++;
		err = send_all(task, stream);
		if (err)
			return err;
	}
}

void pt_stream_verify(struct pt_case *c)
{
	const struct pt_stream *stream = c->room;
	bool wrong = stream->changed || stream->in != stream->out;

	pt_verdict(c, wrong, "%llu messages of %lld bytes out, %llu in, %llu of them changed",
		   (unsigned long long)stream->out,
		   (long long)pt_kind_value(c),
		   (unsigned long long)stream->in,
		   (unsigned long long)stream->changed);
}

const struct pt_kind pt_stream_kinds[] = {
	{ "1", .value = 1, .switches = 2 },
	{ "64", .value = 64, .switches = 2 },
	{ "1024", .value = 1024, .switches = 2 },
	{ "8192", .value = 8192, .switches = 2 },
	{ .name = NULL }
};

const struct pt_metric pt_stream_metrics[] = {
	{ .token = "out", .label = "Message to the other task", .from = 0,
	  .to = 1 },
	{ .token = "back", .label = "Its way back", .from = 1, .to = 2 },
	{ .token = "roundtrip", .label = "Message and its way back",
	  .from = 0, .to = 2, .rate = "round trips" },
	{ .token = NULL }
};

const struct pt_role pt_stream_roles[] = {
	[ASKS] = { "asks", PT_MID, false, ask },
	[ANSWERS] = { "answers", PT_ORDERED, true, answer },
	{ .name = NULL }
};
