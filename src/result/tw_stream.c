// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "tw_await.h"
#include "tw_file.h"
#include "tw_run.h"
#include "tw_say.h"
#include "tw_stream.h"

#define KEPT_MOST	(1 << 18)	/* bytes of what was not taken yet */
#define DRAIN_MS	5000

void tw_stream_open(struct tw_stream *stream)
{
	stream->text = open_memstream(&stream->data, &stream->size);
	if (!stream->text || fcntl(stream->file.fd, F_SETFL, O_NONBLOCK))
		tw_say_fatal("%s: cannot be written: %m\n", stream->file.path);
}

void tw_stream_row(struct tw_stream *stream)
{
	fputc('\n', stream->text);
	stream->rows++;
}

static void fail(struct tw_stream *stream, int err)
{
	stream->err = err;
	tw_file_close(&stream->file, err);
}

/* What is not rewound yet; musl's "size" is what once was there. */
static size_t kept(const struct tw_stream *stream)
{
	return (size_t)ftell(stream->text);
}

/* Returns whether there is room for more. */
static bool push(struct tw_stream *stream)
{
	ssize_t len = 0;

	if (stream->err)
		return false;
	if (!stream->begun && stream->file.regular)
		len = ftruncate(stream->file.fd, 0);
	stream->begun = true;
	fflush(stream->text);
	if (!len && stream->sent < kept(stream))
		len = write(stream->file.fd, stream->data + stream->sent,
			    kept(stream) - stream->sent);
	if (len < 0 && errno != EAGAIN)
		fail(stream, -errno);
	if (len > 0)
		stream->sent += len;
	if (stream->sent == kept(stream)) {
		rewind(stream->text);
		fflush(stream->text);
		stream->sent = 0;
	}
	return kept(stream) - stream->sent < KEPT_MOST;
}

bool tw_stream_push(struct tw_stream *stream, struct tw_run *run)
{
	bool room = push(stream);

	run->failed |= stream->err;
	return room;
}

/* Returns 0 or -errno. */
static int drain(struct tw_stream *stream)
{
	push(stream);
	while (kept(stream) && !stream->err) {
		if (tw_await(stream->file.fd, POLLOUT, -1,
			     tw_await_in_ms(DRAIN_MS)))
			fail(stream, -ETIMEDOUT);
		else
			push(stream);
	}
	return stream->err;
}

void tw_stream_drain(struct tw_stream *stream, struct tw_run *run)
{
	if (stream->begun || run->measured)
		run->failed |= drain(stream);
}

int tw_stream_finish(struct tw_stream *stream, const struct tw_run *run)
{
	if (!stream->err)
		tw_file_end_table(stream->text, run, stream->rows);
	return drain(stream) ? stream->err : tw_file_close(&stream->file, 0);
}
