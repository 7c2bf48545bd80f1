/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A stream to a file, a pipe or a terminal that knows why it could not be
 * written to, and whose owner decides how long to wait for a reader: what is
 * printed for one is kept until it is pushed. Nobody else's descriptors, and
 * no other process's, become non-blocking by that.
 */
#ifndef TW_FLOW_H
#define TW_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct tw_flow {
	FILE *stream;		/* to print to; NULL: not open */
	int fd;
	int err;		/* the first, -errno; all is dropped then */
	bool has_reader;	/* which may be slow */
	bool is_socket;
	bool whole_lines;	/* what is written to a file always ends so */
	char *text;		/* what is kept, from begin to end */
	size_t begin, end, size;
};

/* Takes @fd over, also if it fails. 0 or -errno. */
int tw_flow_open(struct tw_flow *flow, int fd);

/* How many bytes are kept for the reader, or the rest of a line. */
size_t tw_flow_behind(const struct tw_flow *flow);

/*
 * Writes what the reader takes, and waits for it no longer than @ms in all.
 * 0: all of it; -EAGAIN: there is more; or the flow's error.
 */
int tw_flow_push(struct tw_flow *flow, int ms);

/*
 * Waits until all is written: 0 or the flow's error, which is -EINTR if the
 * reader took nothing while one of SIGINT, SIGTERM and SIGHUP, blocked, has
 * come, or for @idle_ms; -1: however long.
 */
int tw_flow_finish(struct tw_flow *flow, int idle_ms);

/* Closes it and drops what is kept: 0 or the flow's error. */
int tw_flow_close(struct tw_flow *flow);

/* As strerror(), of any error of a flow. */
const char *tw_flow_error(int err);

#endif /* TW_FLOW_H */
