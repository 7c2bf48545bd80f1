/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is read of a trace: its events, stacks, and the lines that are kept. */
#ifndef TW_WINDOW_H
#define TW_WINDOW_H

#include <stddef.h>
#include <stdio.h>

#include "tw_event.h"

#define TW_FRAMES	5

/*
 * The kernel stack of the current task at an event on its CPU: what it did
 * itself, without an interrupt above that, or the scheduler. No frame: it was
 * in user mode.
 */
struct tw_stack {
	int64_t time_ns;
	int cpu, pid;
	enum tw_event_kind at;	/* SWITCH: it gave up the CPU */
	int count;
	char frames[TW_FRAMES][48];	/* functions, the innermost first */
};

/* A remark, inserted among the lines. Times are the trace clock's, in ns. */
struct tw_mark {
	int64_t at_ns;
	const char *what;
};

struct tw_window {
	struct tw_event *events;	/* all, in order of time */
	size_t count;
	struct tw_stack *stacks;	/* all, in order of time */
	size_t stack_count;
	/* Events before that were lost on a CPU; INT64_MIN: none were. */
	int64_t lost_ns;
	int err;			/* what tw_window_read() returned */
	/* The head, the lines from @from_ns on, and the marks. */
	char *text;
};

/*
 * Reads the text of a stopped trace, and closes it; NULL could not be opened.
 * Each of the @count marks, which are in order of time, is a line "# SECONDS:
 * @whose: WHAT". Returns 0, -ENOMEM, -EIO, or -EINTR: a signal that ends the
 * program is pending, see twowaytest.c. End with tw_window_free(), whatever is
 * returned.
 */
int tw_window_read(struct tw_window *window, FILE *trace, int64_t from_ns,
		   const char *whose, const struct tw_mark *marks, int count);

void tw_window_free(struct tw_window *window);

/*
 * Internal: a stack of the current task begins, at an event of the kind @at: 0
 * or -ENOMEM. One of its lines, " => FUNCTION".
 */
int tw_stack_begin(struct tw_window *window, const struct tw_event *event,
		   enum tw_event_kind at);
void tw_stack_line(struct tw_window *window, const char *line);

#endif /* TW_WINDOW_H */
