/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Result files that are either complete or absent. Until it is committed, a
 * file has no name, so a killed run leaves nothing behind. Exception: with
 * tw_file_show() and tw_file_open_partial() a file has a temporary name, and a
 * killed run leaves it. What is not a regular file (a pipe, /dev/stdout) is
 * written to directly. A new file takes the permissions of the file that it
 * replaces; if root writes it, also the owner.
 */
#ifndef TW_FILE_H
#define TW_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "base/tw_flow.h"

struct tw_file {
	struct tw_flow flow;	/* flow.stream is NULL: not open */
	bool direct;		/* not a regular file, or stdout, stderr */
	bool nameless;
	bool passing;		/* no fsync: may be lost in a crash */
	bool has_partial;	/* ".partial" exists: remove it */
	bool reserved;		/* by tw_file_reserve() */
	bool shown;		/* by tw_file_show() */
	bool kept;		/* by tw_file_commit(), as ".partial" */
	int dir_fd;		/* directory of the final file */
	int lock_fd;		/* of tw_file_lock(); -1: none */
	char name[NAME_MAX + 1];	/* name in this directory */
	/* Temporary name, if the file needs one. */
	char temp[NAME_MAX + 1];
};

#define TW_FILE_PARTIAL	".partial"

/*
 * Opens a file for writing. Returns 0 or -errno: for example, the directory
 * does not exist or is not writable, or the name is too long. -EACCES also if
 * the directory is writable for all users (such as /tmp) and @path is a link or
 * file of another user.
 */
int tw_file_open(struct tw_file *file, const char *path);

/*
 * Keeps other runs from writing the same file, until it is closed or the
 * process ends. Leaves no file behind. Returns 0, also if no lock is possible,
 * or -EBUSY: another run of this user or of root has the lock.
 */
int tw_file_lock(struct tw_file *file);

/*
 * Gives an open file a temporary name, its name with TW_FILE_PARTIAL, until it
 * is committed. Replaces what a killed run left there. Only whole lines are
 * written to it. The file stays without a name if it is written to directly or
 * if the name is too long. Returns 0; -EBUSY: another run uses the temporary
 * name; or -errno.
 */
int tw_file_show(struct tw_file *file);

/*
 * Opens a second file beside @file (which is open), with TW_FILE_PARTIAL added
 * to its name. It exists until @file is committed. Returns 0 or -errno, also if
 * no such file is possible.
 */
int tw_file_open_partial(struct tw_file *partial, const struct tw_file *file);

/*
 * Takes disk space for what is written at the end, so that a file that grows
 * until the disk is full leaves room for it. As far as the file system can.
 */
void tw_file_reserve(struct tw_file *file);

/*
 * Uses a copy of the descriptor @fd; writes to it directly. Returns 0 or
 * -errno.
 */
int tw_file_use(struct tw_file *file, int fd);

/* Whether both paths lead to the same file. */
bool tw_file_same(const struct tw_file *one, const struct tw_file *other);

/*
 * Closes the file and gives it its name; an existing file is replaced. Returns
 * 0 or -errno, also for an earlier write, such as -ENOSPC; then the new file is
 * deleted, but one of tw_file_show() stays, with its whole lines, under its
 * temporary name. If it is not a regular file, this waits for its reader, as
 * tw_flow_finish().
 */
int tw_file_commit(struct tw_file *file, int idle_ms);

/*
 * After an error: the temporary name under which what was written stays, in the
 * directory of the file; NULL: nothing stays.
 */
const char *tw_file_kept(const struct tw_file *file);

/* Closes and deletes the file. Does nothing if it is not open. */
void tw_file_abort(struct tw_file *file);

/* Internal functions of tw_file*.c: */

/* Nothing is open. */
void tw_file_init(struct tw_file *file);

/*
 * Finds the directory and name of the file. Follows links, also to a file that
 * does not exist yet; then old->st_mode is 0. Returns 0 or -errno.
 */
int tw_file_resolve(struct tw_file *file, const char *path, struct stat *old);

/*
 * @found is not a regular file. Checks that @path leads to it, and only by
 * trusted links. Returns 0 or -errno.
 */
int tw_file_check_direct(struct tw_file *file, const char *path,
			 const struct stat *found);

/* Closes the directory and the lock, if they are open. */
void tw_file_leave(struct tw_file *file);

/*
 * In a directory such as /tmp, only links and files of the user and of the
 * directory's owner are trusted. This is the rule of fs.protected_symlinks and
 * fs.protected_regular, independent of these settings: the kernel checks only
 * links that it follows itself and files opened for writing. Returns 0 or
 * -EACCES.
 */
int tw_file_trust(const struct tw_file *file, const struct stat *found);

#endif /* TW_FILE_H */
