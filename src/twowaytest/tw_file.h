/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A result file that appears whole or not at all: until it is committed it
 * has no name, so that even a killed run leaves nothing behind; or that of an
 * unfinished one, for what a killed run is to leave behind. What is not
 * a regular file (a pipe, /dev/stdout) is written to directly. A file that is
 * replaced leaves its permissions to the new one, and root's its owner.
 */
#ifndef TW_FILE_H
#define TW_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "tw_flow.h"

struct tw_file {
	struct tw_flow flow;	/* no stream: not open */
	bool direct;		/* no regular file, or stdout's or stderr's */
	bool nameless;
	bool passing;		/* need not outlast a crash of the machine */
	bool has_partial;	/* of tw_file_open_partial(): to be removed */
	int dir_fd;		/* of the directory that it will be in ... */
	char name[NAME_MAX + 1];	/* ... under this name */
	/* Until then, if it needs one. */
	char temp[NAME_MAX + 1];
};

#define TW_FILE_PARTIAL	".partial"

/*
 * 0 or -errno: the directory is missing, not writable, the name too long.
 * -EACCES also where somebody else's link or file stands at the name in a
 * directory that all may write to, such as /tmp.
 */
int tw_file_open(struct tw_file *file, const char *path);

/*
 * Gives an open file, until it is committed, its name and TW_FILE_PARTIAL, in
 * the place of what a killed run has left there; whole lines are written to
 * it. It stays without a name where it is written to directly, that name is
 * too long, or another run has it. 0 or -errno, as opening.
 */
int tw_file_show(struct tw_file *file);

/*
 * Opens what may stand beside @file, which is open, until that is committed:
 * its name and TW_FILE_PARTIAL. 0 or -errno: also if there can be none.
 */
int tw_file_open_partial(struct tw_file *partial, const struct tw_file *file);

/* A copy of @fd, which is written to as it is. 0 or -errno. */
int tw_file_use(struct tw_file *file, int fd);

/* Whether one would replace the other, however their paths are written. */
bool tw_file_same(const struct tw_file *one, const struct tw_file *other);

/*
 * Closes the file and gives it its name, in the place of one that was there.
 * 0 or -errno, as -ENOSPC of any write since opening; then nothing is left.
 * What is no regular file may make it wait, as tw_flow_finish().
 */
int tw_file_commit(struct tw_file *file, int idle_ms);

/* Closes and drops the file; nothing if it is not open. */
void tw_file_abort(struct tw_file *file);

/* For the files themselves, from here on. */

/*
 * Where the file will be: behind links, so that they are not replaced, even
 * if nothing is there yet. Then old->st_mode is 0. 0 or -errno.
 */
int tw_file_resolve(struct tw_file *file, const char *path, struct stat *old);

/*
 * Whether @found, which is no regular file, is what @path leads to by links
 * that are trusted: 0 or -errno.
 */
int tw_file_check_direct(struct tw_file *file, const char *path,
			 const struct stat *found);

/* Closes its directory, if it is open. */
void tw_file_leave(struct tw_file *file);

/*
 * In a directory such as /tmp, nobody's links and files but one's own and its
 * owner's: as fs.protected_symlinks and fs.protected_regular, whatever they
 * are set to. The kernel would only look at a link that it follows itself,
 * and at a file that it is to write into. 0 or -EACCES.
 */
int tw_file_trust(const struct tw_file *file, const struct stat *found);

#endif /* TW_FILE_H */
