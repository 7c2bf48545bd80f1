/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What another host sends: lines over a pipe or a stream, and what is in them.
 * Called by main.
 */
#ifndef TW_LINES_H
#define TW_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

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
 * A word of a line: what cannot be printed, a space and % are %XX there. A word
 * that is read becomes what it stands for, in place.
 */
void tw_lines_write_word(FILE *file, const char *word);
void tw_lines_read_word(char *word);

/*
 * How many whole numbers, each after a space, @text begins with, up to @count
 * of them, each from -@max to @max.
 */
int tw_lines_numbers(const char *text, int64_t max, int64_t to[], int count);

/*
 * Our own @json as lines, each after @before: "NAME VALUE" of a member of an
 * object, "- VALUE" of an array, where VALUE is as JSON has it, or opens another
 * one, which a line of its own closes.
 */
void tw_lines_write_json(FILE *file, const char *before, const char *json);

#define TW_LINES_LEVELS	32

/* What is made of such lines; it begins with zeros and a file. */
struct tw_lines_json {
	FILE *file;
	int level;		/* 0 again: it is complete */
	char ends[TW_LINES_LEVELS];	/* of the levels */
	bool more;		/* there is something before it */
};

/* Adds a line, so that it stays JSON. false: that is none, or has no place. */
bool tw_lines_read_json(struct tw_lines_json *to, const char *line);

#endif /* TW_LINES_H */
