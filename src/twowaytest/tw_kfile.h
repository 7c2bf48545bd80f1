/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's text files, read below a root directory that stands for the
 * system: "" is the real one. Their text may be anything. Functions tell
 * whether the file was there and made sense; if not, nothing is changed.
 */
#ifndef TW_KFILE_H
#define TW_KFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of a file that are looked at. */
#define TW_FILE_MAX	(8 << 20)

/*
 * The first line of @root/@format, cut to @size, with no white space round
 * it and no NUL bytes at its end; a question mark stands for all that is not
 * printable ASCII.
 */
bool tw_kfile_text(const char *root, char *buf, size_t size,
		   const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* A file that holds one decimal number. */
bool tw_kfile_number(const char *root, int64_t *number,
		     const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* "@name: NUMBER", perhaps with a unit, in @root/@path. */
bool tw_kfile_field(const char *root, int64_t *number, const char *path,
		    const char *name);

/* Up to @size bytes as they are; returns how many, or -errno. */
int tw_kfile_bytes(const char *root, void *bytes, size_t size,
		   const char *path);

/*
 * All of @root/@path, a NUL byte made a question mark, for the caller to
 * free; NULL if it cannot be read.
 */
char *tw_kfile_load(const char *root, const char *path);

#endif /* TW_KFILE_H */
