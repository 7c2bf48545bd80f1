// SPDX-License-Identifier: GPL-2.0-or-later
/* pipe: bytes to another task through a pipe, and back through a second. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "rows/pt_rows.h"
#include "rows/pt_stream.h"

static int open_pipes(struct pt_case *c)
{
	struct pt_stream *stream = c->room;
	int i, ends[2];

	for (i = 0; i < 2; i++) {
		if (pipe2(ends, O_CLOEXEC))
			return -errno;
		stream->to[i] = ends[1];
		stream->from[1 - i] = ends[0];
		pt_keep(c, ends[0]);
		pt_keep(c, ends[1]);
	}
	return 0;
}

static void close_pipes(struct pt_case *c)
{
	const struct pt_stream *stream = c->room;
	int i;

	for (i = 0; i < 2; i++) {
		close(stream->to[i]);
		close(stream->from[i]);
	}
}

const struct pt_test pt_pipe = {
	.name = "pipe",
	.about = "bytes through a pipe and back; the kind is their number",
	.own = PT_OWN_SIZE,
	.kinds = pt_stream_kinds, .metrics = pt_stream_metrics,
	.roles = pt_stream_roles,
	.trials = 10000, .room = sizeof(struct pt_stream),
	.open = open_pipes, .close = close_pipes, .verify = pt_stream_verify,
};
