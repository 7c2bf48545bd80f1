/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON from another host, as this program writes it. tw_remote_end() says
 * whether a text is well-formed; the others are for text that is.
 */
#ifndef TW_REMOTE_H
#define TW_REMOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * The character after the value at @text; NULL: it is no value, or has more
 * than 32 levels, or a number of more than 20 digits.
 */
const char *tw_remote_end(const char *text);

/* The value of a member of an object; NULL: there is none. */
const char *tw_remote_member(const char *object, const char *name);

/* The first value of an array, the one after @value; NULL: there is none. */
const char *tw_remote_first(const char *array);
const char *tw_remote_next(const char *value);

/* false: it is NULL, no string, or does not fit. */
bool tw_remote_string(const char *value, char *to, size_t size);

/*
 * Prints a string: each line, after @name unless it begins so, with "?" for
 * control characters and what is not ASCII. false: it is none, or longer than
 * 16 KiB.
 */
bool tw_remote_print(FILE *file, const char *name, const char *value);

/* false: it is NULL, no whole number, or out of range. */
bool tw_remote_number(const char *value, int64_t min, int64_t max,
		      int64_t *number);

#endif /* TW_REMOTE_H */
