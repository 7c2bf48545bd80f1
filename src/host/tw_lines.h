/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What another host sends: lines over a pipe or a stream, and the JSON in them,
 * as this program writes it. Called by main.
 */
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
 * The next line, without its \n, which is valid until the next call; waits as
 * tw_await() does. NULL: it is not there, or @ended is set. What is not printed
 * in ASCII, control characters among it, has become "?".
 */
char *tw_lines_await(struct tw_lines *lines, int other_fd, int64_t end_ns);

/* Writes all, within 5 s. Returns 0 or -errno. @fd does not block. */
int tw_lines_send(int fd, const char *text, size_t length);

/*
 * The character after the value at @text; NULL: it is no value, or has more
 * than 32 levels, or a number of more than 20 digits.
 */
const char *tw_lines_end(const char *text);

/*
 * The same of a string, whose characters, without what they are written with,
 * are then at @text.
 */
char *tw_lines_string(char *text);

/*
 * How many whole numbers an array begins with, up to @count of them, each from
 * -@max to @max.
 */
int tw_lines_numbers(const char *array, int64_t max, int64_t to[], int count);

#endif /* TW_LINES_H */
