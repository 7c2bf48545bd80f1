/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A stream to a file, a pipe or a terminal that stores the cause of a write
 * error. Text for a reader is kept in memory; the owner decides when it is
 * written, and how long to wait for the reader. No descriptor of another user
 * or process becomes non-blocking.
 */
#ifndef TW_FLOW_H
#define TW_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

struct tw_flow {
	FILE *stream;		/* print to this; NULL: not open */
	int fd;
	int err;		/* first error, -errno; then text is dropped */
	bool has_reader;	/* not a regular file: may be slow */
	bool is_socket;
	bool whole_lines;	/* write only whole lines to a file */
	off_t whole;		/* end of the last one in the file */
	char *text;		/* text not yet written: begin to end */
	size_t begin, end, size;
};

/* Takes over @fd; if it fails, @fd is closed. Returns 0 or -errno. */
int tw_flow_open(struct tw_flow *flow, int fd);

/* Returns the number of bytes not yet written. */
size_t tw_flow_behind(const struct tw_flow *flow);

/*
 * Writes what the reader accepts, and waits at most @ms in total. Returns 0:
 * all is written; -EAGAIN: not all; or the error of the flow.
 */
int tw_flow_push(struct tw_flow *flow, int ms);

/*
 * Waits until all is written. Returns 0 or the error of the flow. This is
 * -EINTR if the reader accepted nothing for @idle_ms (-1: no limit), or accepts
 * nothing after SIGINT, SIGTERM or SIGHUP (all blocked) arrived.
 */
int tw_flow_finish(struct tw_flow *flow, int idle_ms);

/* Closes the flow and drops unwritten text. Returns 0 or its error. */
int tw_flow_close(struct tw_flow *flow);

/* Returns a message for an error of a flow, as strerror(). */
const char *tw_flow_error(int err);

#endif /* TW_FLOW_H */
