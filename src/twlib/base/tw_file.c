// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/tw_file.h"

#define RESERVE		(256 * 1024)	/* bytes */
#define MAX_TRIES	100	/* for a name that nobody has */

/* A name beside the file's own, which nobody can have foreseen. */
static int make_temp_name(struct tw_file *file)
{
	uint64_t number;

	if (getrandom(&number, sizeof(number), 0) != sizeof(number))
		return -errno;
	snprintf(file->temp, sizeof(file->temp), ".twowaytest.%016llx",
		 (unsigned long long)number);
	return 0;
}

/* For file systems that cannot do without a name. */
static int open_named(struct tw_file *file, mode_t mode)
{
	int fd = -1, tries, err;

	for (tries = 0; fd < 0 && tries < MAX_TRIES; tries++) {
		err = make_temp_name(file);
		if (err)
			return err;
		fd = openat(file->dir_fd, file->temp,
			    O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, mode);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	return fd < 0 ? -errno : fd;
}

/*
 * What takes a file's place takes its permissions, and from root its owner,
 * as far as the file system lets it.
 */
static int keep_rights(int fd, const struct stat *old)
{
	struct stat now;

	if (!geteuid() && fchown(fd, old->st_uid, old->st_gid))
		errno = 0;
	if (fstat(fd, &now))
		return -errno;
	if (!((now.st_mode ^ old->st_mode) & 0777))
		return 0;
	return fchmod(fd, old->st_mode & 0777) ? -errno : 0;
}

/* In its directory, with the rights of @old, if there is that. */
static int open_new(struct tw_file *file, const struct stat *old)
{
	mode_t mode = old->st_mode ? old->st_mode & 0777 : 0666;
	int err = 0;
	int fd;

	fd = openat(file->dir_fd, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
	file->nameless = fd >= 0;
	if (fd < 0) {
		if (errno != EOPNOTSUPP && errno != EISDIR)
			return -errno;
		fd = open_named(file, mode);
		if (fd < 0)
			return fd;
	}
	if (old->st_mode)
		err = keep_rights(fd, old);
	if (err)
		close(fd);
	else
		err = tw_flow_open(&file->flow, fd);
	if (err && !file->nameless)
		unlinkat(file->dir_fd, file->temp, 0);
	return err;
}

static int open_regular(struct tw_file *file, const char *path)
{
	struct stat old = { .st_mode = 0 };
	int err = tw_file_resolve(file, path, &old);

	return err ? err : open_new(file, &old);
}

/* stdout or stderr if @old is the file that one goes to; else -1. */
static int standard_stream(const struct stat *old)
{
	struct stat open_file;
	int fd;

	for (fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
		if (!fstat(fd, &open_file) &&
		    open_file.st_dev == old->st_dev &&
		    open_file.st_ino == old->st_ino)
			return fd;
	return -1;
}

static int use(struct tw_file *file, int fd)
{
	file->direct = true;
	return tw_flow_open(&file->flow, fd);
}

/* What @found leads to, if it is to be written to as it is; else 0. */
static int open_direct(struct tw_file *file, const char *path, int found)
{
	struct stat old;
	char self[64];
	int fd, err;

	if (fstat(found, &old))
		return -errno;
	if (S_ISDIR(old.st_mode))
		return -EISDIR;
	fd = standard_stream(&old);
	if (fd < 0 && S_ISREG(old.st_mode))
		return 0;
	/* /dev/stdout, as a rule: write on, do not begin anew. */
	if (fd >= 0)
		return use(file, fcntl(fd, F_DUPFD_CLOEXEC, 3));
	err = tw_file_check_direct(file, path, &old);
	tw_file_leave(file);
	if (err)
		return err;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", found);
	return use(file, open(self, O_WRONLY | O_NOCTTY | O_CLOEXEC));
}

int tw_file_use(struct tw_file *file, int fd)
{
	tw_file_init(file);
	return use(file, fcntl(fd, F_DUPFD_CLOEXEC, 3));
}

int tw_file_open(struct tw_file *file, const char *path)
{
	int found = open(path, O_PATH | O_CLOEXEC);
	int err = 0;

	tw_file_init(file);
	if (found < 0 && errno != ENOENT)
		return -errno;
	if (found >= 0) {
		err = open_direct(file, path, found);
		close(found);
	}
	if (!err && !file->direct)
		err = open_regular(file, path);
	if (err)
		tw_file_leave(file);
	return err;
}

bool tw_file_same(const struct tw_file *one, const struct tw_file *other)
{
	struct stat dir, other_dir;

	return one->flow.stream && !one->direct &&
	       other->flow.stream && !other->direct &&
	       !fstat(one->dir_fd, &dir) &&
	       !fstat(other->dir_fd, &other_dir) &&
	       dir.st_dev == other_dir.st_dev &&
	       dir.st_ino == other_dir.st_ino &&
	       !strcmp(one->name, other->name);
}

/* A link replaces nothing, a rename does. */
static int replace(struct tw_file *file, const char *self, const char *name)
{
	int err = -EEXIST;
	int tries;

	for (tries = 0; err == -EEXIST && tries < MAX_TRIES; tries++) {
		err = make_temp_name(file);
		if (!err && linkat(AT_FDCWD, self, file->dir_fd, file->temp,
				   AT_SYMLINK_FOLLOW))
			err = -errno;
	}
	if (err)
		return err;
	if (renameat(file->dir_fd, file->temp, file->dir_fd, name)) {
		err = -errno;
		unlinkat(file->dir_fd, file->temp, 0);
	}
	return err;
}

/* Somebody may have put another file at the name that it has meanwhile. */
static bool has_temp(const struct tw_file *file)
{
	struct stat own, found;

	return !fstat(file->flow.fd, &own) &&
	       !fstatat(file->dir_fd, file->temp, &found,
			AT_SYMLINK_NOFOLLOW) &&
	       own.st_dev == found.st_dev && own.st_ino == found.st_ino;
}

/* @anew: not if something has the name; without O_TMPFILE, it is replaced. */
static int give_name(struct tw_file *file, const char *name, bool anew)
{
	char self[64];

	if (!file->nameless && !has_temp(file))
		return -ENOENT;
	if (!file->nameless)
		return renameat(file->dir_fd, file->temp, file->dir_fd,
				name) ? -errno : 0;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", file->flow.fd);
	if (!linkat(AT_FDCWD, self, file->dir_fd, name, AT_SYMLINK_FOLLOW))
		return 0;
	return errno == EEXIST && !anew ? replace(file, self, name) : -errno;
}

/*
 * Whether a file with @name may be replaced: 0 or -errno, -EBUSY if a living
 * run has it, which holds its lock. @fd: the file, locked, until it is
 * replaced; -1: there is none.
 */
static int take_over(const struct tw_file *file, const char *name, int *fd)
{
	struct stat found, now;
	int err = 0;

	*fd = openat(file->dir_fd, name,
		     O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (*fd < 0)
		return errno == ENOENT ? 0 : errno == ELOOP ? -EEXIST : -errno;
	if (fstat(*fd, &found))
		err = -errno;
	else if (!S_ISREG(found.st_mode))
		err = -EEXIST;
	if (!err)
		err = tw_file_trust(file, &found);
	/* Some file systems have no locks. */
	if (!err && flock(*fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
		err = -EBUSY;
	/* Another run was faster: what we have locked is no longer there. */
	if (!err && (fstatat(file->dir_fd, name, &now, AT_SYMLINK_NOFOLLOW) ||
		     now.st_ino != found.st_ino || now.st_dev != found.st_dev))
		err = -EBUSY;
	if (err) {
		close(*fd);
		*fd = -1;
	}
	return err;
}

/* False: it can have none. */
static bool name_partial(const struct tw_file *file, char name[NAME_MAX + 1])
{
	if (file->direct ||
	    strlen(file->name) + strlen(TW_FILE_PARTIAL) > NAME_MAX)
		return false;
	strcpy(name, file->name);
	strcat(name, TW_FILE_PARTIAL);
	return true;
}

int tw_file_open_partial(struct tw_file *partial, const struct tw_file *file)
{
	struct stat like;
	int err, old = -1;

	tw_file_init(partial);
	if (!name_partial(file, partial->name))
		return -ENAMETOOLONG;
	partial->passing = true;
	partial->dir_fd = fcntl(file->dir_fd, F_DUPFD_CLOEXEC, 3);
	if (partial->dir_fd < 0 || fstat(file->flow.fd, &like))
		err = -errno;
	else
		err = take_over(partial, partial->name, &old);
	if (old >= 0)
		close(old);
	if (!err)
		err = open_new(partial, &like);
	if (err)
		tw_file_leave(partial);
	return err;
}

int tw_file_show(struct tw_file *file)
{
	char name[sizeof(file->temp)];
	int err, old;

	if (!name_partial(file, name))
		return 0;
	/* Before anybody can find it. */
	flock(file->flow.fd, LOCK_EX | LOCK_NB);
	err = take_over(file, name, &old);
	if (err)
		return err;
	err = give_name(file, name, old < 0);
	if (old >= 0)
		close(old);
	if (err)
		return err == -EEXIST ? -EBUSY : err;
	strcpy(file->temp, name);
	file->nameless = false;
	file->shown = true;
	file->flow.whole_lines = true;
	return 0;
}

void tw_file_reserve(struct tw_file *file)
{
	file->reserved = !file->direct &&
			 !fallocate(file->flow.fd, FALLOC_FL_KEEP_SIZE, 0,
				    RESERVE);
}

/* The size must change: some file systems do nothing otherwise. */
static int release_rest(const struct tw_file *file)
{
	struct stat now;

	if (!file->reserved || fstat(file->flow.fd, &now) ||
	    ftruncate(file->flow.fd, now.st_size + 1))
		return 0;
	return ftruncate(file->flow.fd, now.st_size) ? -errno : 0;
}

static void remove_partial(const struct tw_file *file)
{
	char name[NAME_MAX + 1];

	if (file->has_partial && name_partial(file, name))
		unlinkat(file->dir_fd, name, 0);
}

const char *tw_file_kept(const struct tw_file *file)
{
	struct stat now;

	if (file->flow.stream && !fstat(file->flow.fd, &now))
		return file->shown && now.st_size && has_temp(file) ?
		       file->temp : NULL;
	return file->kept ? file->temp : NULL;
}

int tw_file_commit(struct tw_file *file, int idle_ms)
{
	int err = tw_flow_finish(&file->flow, idle_ms);
	int closed;

	if (!err)
		err = release_rest(file);
	/* Some file systems find out only now that the disk is full. */
	if (!err && !file->direct && !file->passing && fsync(file->flow.fd))
		err = -errno;
	if (!err && !file->direct)
		err = give_name(file, file->name, false);
	file->kept = err && tw_file_kept(file);
	if (err && !file->kept) {
		tw_file_abort(file);
		return err;
	}
	if (!err)
		remove_partial(file);
	tw_file_leave(file);
	closed = tw_flow_close(&file->flow);
	return err ? err : closed;
}

void tw_file_abort(struct tw_file *file)
{
	if (!file->flow.stream)
		return;
	if (!file->direct && !file->nameless && has_temp(file))
		unlinkat(file->dir_fd, file->temp, 0);
	tw_flow_close(&file->flow);
	tw_file_leave(file);
}
