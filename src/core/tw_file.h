/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A result file appears whole or not at all: it is written to a temporary name
 * in the same directory, and then renamed. What is no regular file, such as a
 * pipe or a device, is written directly. Called by main.
 */
#ifndef TW_FILE_H
#define TW_FILE_H

#include <stdio.h>

struct tw_run;

/*
 * Ends the program after a message if @path cannot be written. When all files
 * were checked, tw_file_checked() removes what this has made.
 */
void tw_file_check(const char *path);
void tw_file_checked(void);

/* Writes what @print prints. Returns 0, or -errno after a message. */
int tw_file_write(const char *path,
		  void (*print)(FILE *file, const struct tw_run *run),
		  const struct tw_run *run);

/*
 * The same in two halves: the name to write to, or NULL and errno; and, when it
 * is closed, with the -errno of writing it or 0. @path is the same pointer.
 */
const char *tw_file_begin(const char *path);
int tw_file_finish(const char *path, int err);

#endif /* TW_FILE_H */
