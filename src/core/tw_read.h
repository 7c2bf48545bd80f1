/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files of /proc and /sys, which may be missing, odd or not what they should
 * be. Called by main.
 */
#ifndef TW_READ_H
#define TW_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define TW_READ_LINE	4096	/* bytes of the longest line, with its end */

/* What is not printable ASCII becomes "?". */
void tw_read_clean(char *text);

/*
 * The first line of @path, clean, and without spaces at its ends. false: it
 * cannot be read.
 */
bool tw_read_text(char *text, size_t size, const char *path);

/* A whole number and nothing else. */
bool tw_read_number(int64_t *number, const char *path);

/* Up to @size bytes; returns their number, or -1: it cannot be read. */
ssize_t tw_read_bytes(void *bytes, size_t size, const char *path);

/* All of it, at most 16 MiB, for free(); NULL: it cannot be read. */
char *tw_read_all(const char *path);

#endif /* TW_READ_H */
