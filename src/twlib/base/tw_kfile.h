/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads text files of the kernel, below /proc and /sys. @root is a directory in
 * front of all paths, "" for the real system. The files may contain anything.
 * The bool functions return false and store nothing if the file does not exist
 * or makes no sense. Any process may call them, but not while it measures; only
 * tw_kfile_load() and the field functions allocate memory.
 */
#ifndef TW_KFILE_H
#define TW_KFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Maximum number of bytes read from a file. */
#define TW_FILE_MAX	(8 << 20)

/*
 * Stores the first line of @root/@format in @buf (@size bytes; longer lines are
 * cut), without white space at its ends and without final NUL bytes. Other
 * characters than printable ASCII become question marks.
 */
bool tw_kfile_text(const char *root, char *buf, size_t size,
		   const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Reads a file that contains one decimal number. */
bool tw_kfile_number(const char *root, int64_t *number,
		     const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Stores VALUE of the first line "@name: VALUE" of @root/@path, as
 * tw_kfile_text() stores a line.
 */
bool tw_kfile_field_text(const char *root, char *buf, size_t size,
			 const char *path, const char *name);

/* The same for a number, which may be followed by a unit. */
bool tw_kfile_field(const char *root, int64_t *number, const char *path,
		    const char *name);

/*
 * Reads a number out of @root/proc/@pid/stat. @field: as counted in proc(5), 4
 * (parent) or above.
 */
bool tw_kfile_stat(const char *root, int64_t *number, int pid, int field);

/* Reads up to @size bytes without change. Returns their number, or -errno. */
int tw_kfile_bytes(const char *root, void *bytes, size_t size,
		   const char *path);

/*
 * Returns the text of @root/@path, with question marks for NUL bytes; the
 * caller frees it. NULL: cannot be read.
 */
char *tw_kfile_load(const char *root, const char *path);

#endif /* TW_KFILE_H */
