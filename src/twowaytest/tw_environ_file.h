/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's text files, read below a root directory that stands for the
 * system: "" is the real one. Their text may be anything. Functions tell
 * whether the file was there and made sense; if not, nothing is changed.
 */
#ifndef TW_ENVIRON_FILE_H
#define TW_ENVIRON_FILE_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of a file that are looked at. */
#define TW_FILE_MAX	(8 << 20)

/*
 * The first line of @root/@format, cut to @size, with no white space round
 * it; a question mark stands for all that is not printable ASCII.
 */
bool tw_environ_text(const char *root, char *buf, size_t size,
		     const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* A file that holds one decimal number. */
bool tw_environ_number(const char *root, int64_t *number,
		       const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* A file that holds a list of CPUs, which may be empty. */
bool tw_environ_list(const char *root, int last, cpu_set_t *cpus,
		     const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Up to @size bytes as they are; returns how many, or -errno. */
int tw_environ_bytes(const char *root, void *bytes, size_t size,
		     const char *path);

/*
 * All of @root/@path, a NUL byte made a question mark, for the caller to
 * free; NULL if it cannot be read.
 */
char *tw_environ_load(const char *root, const char *path);

/*
 * A list of CPUs as the kernel writes and reads it: "0-2,5", "0-7:1/2",
 * "all", "N" for @last. CPUs above @last (less than CPU_SETSIZE) are left
 * out. 0, or -EINVAL.
 */
int tw_environ_parse(const char *text, int last, cpu_set_t *cpus);

#endif /* TW_ENVIRON_FILE_H */
