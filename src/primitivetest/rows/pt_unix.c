// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * unix: bytes to another task through a pair of Unix sockets, and back. A task
 * that waits for a stream also wakes when the other has read its last message:
 * Linux switches four times a trial, where a pipe needs two.
 */
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "rows/pt_rows.h"
#include "rows/pt_stream.h"

static int open_sockets(struct pt_case *c)
{
	struct pt_stream *stream = c->room;
	int i, ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return -errno;
	for (i = 0; i < 2; i++) {
		stream->to[i] = ends[i];
		stream->from[i] = ends[i];
		pt_keep(c, ends[i]);
	}
	return 0;
}

static void close_sockets(struct pt_case *c)
{
	const struct pt_stream *stream = c->room;
	int i;

	for (i = 0; i < 2; i++)
		close(stream->to[i]);
}

const struct pt_test pt_unix = {
	.name = "unix",
	.about = "bytes through a Unix socket and back; the kind: how many",
	.own = PT_OWN_SIZE,
	.kinds = pt_stream_kinds, .metrics = pt_stream_metrics,
	.roles = pt_stream_roles, .spare_switches = 2,
	.trials = 10000, .room = sizeof(struct pt_stream),
	.open = open_sockets, .close = close_sockets,
	.verify = pt_stream_verify,
};
