/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON from another host, as this program writes it, in lines of struct tw_lines. */
#ifndef TW_REMOTE_H
#define TW_REMOTE_H

#include <stdint.h>

/*
 * The character after the value at @text; NULL: it is no value, or has more
 * than 32 levels, or a number of more than 20 digits.
 */
const char *tw_remote_end(const char *text);

/*
 * The same of a string, whose characters, without what they are written with,
 * are then at @text.
 */
char *tw_remote_string(char *text);

/*
 * How many whole numbers an array begins with, up to @count of them, each from
 * -@max to @max.
 */
int tw_remote_numbers(const char *array, int64_t max, int64_t to[], int count);

#endif /* TW_REMOTE_H */
