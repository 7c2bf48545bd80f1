/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON from another host, as this program writes it. */
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

/* The same of a string, whose characters go to @to; NULL also: too small. */
const char *tw_remote_string(const char *text, char *to, size_t size);

/*
 * Prints a string: each line, after @name unless it begins so, with "?" for
 * control characters and what is not ASCII. false: it is none, or longer than
 * 16 KiB.
 */
bool tw_remote_print(FILE *file, const char *name, const char *string);

/*
 * How many whole numbers an array begins with, up to @count of them, each from
 * -@max to @max.
 */
int tw_remote_numbers(const char *array, int64_t max, int64_t to[], int count);

#endif /* TW_REMOTE_H */
