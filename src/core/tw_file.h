/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Result files are plain files: opened once before the start, as the kernel lets
 * this user, and written at the end; until then, what was there stays. Called by
 * main, but for tw_file_leave().
 */
#ifndef TW_FILE_H
#define TW_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct tw_run;

struct tw_file {
	const char *path;	/* NULL: not asked for; "-": standard output */
	int fd;
	bool regular;		/* and not "-": it is cut where the new ends */
	struct tw_file *next;
};

/* When options are checked: it is to be opened, if it is asked for. */
void tw_file_add(struct tw_file *file);

/* When all have been checked. Ends the program after a message if it fails. */
void tw_file_open_all(void);

/* In a child: a pipe's reader waits until nobody has the pipe open. */
void tw_file_leave(void);

/*
 * Writes what @print prints, and closes, if it is asked for. Returns 0, or -errno
 * after a message.
 */
int tw_file_write(struct tw_file *file,
		  void (*print)(FILE *file, const struct tw_run *run),
		  const struct tw_run *run);

/* The same of what was written to @fd, with the -errno of that or 0. */
int tw_file_close(struct tw_file *file, int err);

/*
 * How a run has ended: what the text has of the parts that tell it, in its order,
 * lines that begin with "# ". So none of a run that was cut short or disturbed is
 * taken for one that was not.
 */
void tw_file_end(FILE *file, const struct tw_run *run);

/* The same, and the last line of a table: without it, the table was cut off. */
void tw_file_end_table(FILE *file, const struct tw_run *run, uint64_t rows);

#endif /* TW_FILE_H */
