// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "core/pt_pace.h"
#include "core/pt_record.h"
#include "rows/pt_stream.h"

enum { ASKS, ANSWERS };

/* A task's ends of the way, and its message. */
struct end {
	int to, from;
	unsigned char *buffer;
	size_t size;
};

static struct end end_of(const struct pt_task *task)
{
	struct pt_stream *stream = pt_room(task);

	return (struct end) {
		stream->to[task->number], stream->from[task->number],
		stream->buffer[task->number],
		(size_t)pt_kind_value(task->in),
	};
}

/* What is left of a large message, of which @done has come or gone. */
static __attribute__((noinline)) int
transfer_rest(const struct end *end, bool sends, ssize_t done)
{
	unsigned char *data = end->buffer;
	size_t left = end->size;

	for (;;) {
		if (done < 0 && errno != EINTR)
			return -errno;
		if (!done)
			return -EPIPE;
		data += done < 0 ? 0 : done;
		left -= done < 0 ? 0 : (size_t)done;
		if (!left)
			return 0;
		done = sends ? write(end->to, data, left) :
			       read(end->from, data, left);
	}
}

static inline int send_all(const struct end *end)
{
	ssize_t done = write(end->to, end->buffer, end->size);

	return done == (ssize_t)end->size ? 0 : transfer_rest(end, true, done);
}

static inline int receive_all(const struct end *end)
{
	ssize_t done = read(end->from, end->buffer, end->size);

	return done == (ssize_t)end->size ? 0 : transfer_rest(end, false, done);
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
	const struct end end = end_of(task);
	struct pt_trial trial = { .t_ns = { 0 } };
	struct pt_pace pace;
	int err = 0;

	pt_pace_start(&pace, task);
	while (!err && pt_more(task)) {
		memset(end.buffer, (unsigned char)++stream->out, end.size);
		pt_pace_wait(&pace);
		trial.t_ns[0] = pt_now(task);
		err = send_all(&end);
		if (!err)
			err = receive_all(&end);
		trial.t_ns[2] = pt_now(task);
		trial.t_ns[1] = task->in->stamp_ns;
		stream->changed += !is_all(end.buffer, end.size,
					   (unsigned char)stream->out);
		if (!err)
			pt_record(task, &trial);
	}
	stream->end = true;
	if (!err)
		err = send_all(&end);
	return err ? pt_failed(task, "read or write", err) : 0;
}

static int answer(struct pt_task *task)
{
	struct pt_stream *stream = pt_room(task);
	const struct end end = end_of(task);
	int err;

	for (;;) {
		err = receive_all(&end);
		task->in->stamp_ns = pt_now(task);
		if (err || stream->end)
			break;
		stream->in++;
		err = send_all(&end);
		if (err)
			break;
	}
	return err ? pt_failed(task, "read or write", err) : 0;
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
	  .to = 1, .span = { PT_TO_WAIT, 1, 0 } },
	{ .token = "back", .label = "Its way back", .from = 1, .to = 2,
	  .span = { PT_TO_WAIT, 0, 1 } },
	{ .token = "roundtrip", .label = "Message and its way back",
	  .from = 0, .to = 2, .rate = "round trips" },
	{ .token = NULL }
};

const struct pt_role pt_stream_roles[] = {
	[ASKS] = { "asks", PT_MID, false, ask },
	[ANSWERS] = { "answers", PT_ORDERED, true, answer },
	{ .name = NULL }
};
