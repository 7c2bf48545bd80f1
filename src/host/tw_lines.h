/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines over a pipe or a stream. Called by main. */
#ifndef TW_LINES_H
#define TW_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tw_lines {
	int fd;			/* -1: closed */
	size_t max;		/* bytes of a line */
	char *text;		/* what was read */
	size_t used, taken;	/* bytes in it, of the line that was returned */
	bool ended;		/* there is nothing more to read */
	bool too_long;		/* ...because a line was longer than @max */
};

/*
 * The next line, without its \n, if it is there; it is valid until the next
 * call. NULL: it is not there yet, or @ended is set. What is not ASCII has
 * become "?".
 */
char *tw_lines_take(struct tw_lines *lines);

/*
 * The same, but waits until @end_ns of CLOCK_MONOTONIC for it, or until
 * @other_fd can be read (-1: there is none).
 */
char *tw_lines_await(struct tw_lines *lines, int other_fd, int64_t end_ns);

/* Writes all; it takes @ms at most. Returns 0 or -errno. @fd does not block. */
int tw_lines_send(int fd, const char *text, size_t length, int ms);

/*
 * Can be read once SIGINT or another signal has come that is to end the run;
 * nobody reads it. -1 and errno.
 */
int tw_lines_stop_fd(void);

/* Milliseconds until then, for poll(); -1: it is very far. */
int tw_lines_ms_until(int64_t end_ns);

/* Whether @fd can be read before @end_ns; @other_fd as above. */
bool tw_lines_ready(int fd, int other_fd, int64_t end_ns);

#endif /* TW_LINES_H */
