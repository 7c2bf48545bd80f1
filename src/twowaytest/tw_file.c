// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tw_file.h"

#define MAX_LINKS	40	/* as the kernel's */

static int set_stream(struct tw_file *file, int fd)
{
	if (fd < 0)
		return -errno;
	file->stream = fdopen(fd, "w");
	if (!file->stream) {
		close(fd);
		return -ENOMEM;
	}
	return 0;
}

/* If the path is a link, makes it what that points to. 0 or -errno. */
static int follow_link(struct tw_file *file)
{
	char target[PATH_MAX];
	ssize_t len = readlink(file->path, target, sizeof(target) - 1);
	char *slash = strrchr(file->path, '/');
	size_t dir = slash ? (size_t)(slash - file->path) + 1 : 0;

	if (len < 0)
		return -errno;
	target[len] = '\0';
	if (*target == '/')
		dir = 0;
	if (dir + len >= sizeof(file->path))
		return -ENAMETOOLONG;
	strcpy(file->path + dir, target);
	return 0;
}

/*
 * Where the file will be: behind links, so that they are not replaced, even
 * if nothing is there yet.
 */
static int resolve(struct tw_file *file, const char *path, struct stat *old)
{
	size_t len = strlen(path);
	int links;

	if (len >= sizeof(file->path))
		return -ENAMETOOLONG;
	strcpy(file->path, path);
	if (!stat(path, old) && S_ISDIR(old->st_mode))
		return -EISDIR;
	if (!len || path[len - 1] == '/')
		return len ? -EISDIR : -ENOENT;
	for (links = 0; links < MAX_LINKS && !follow_link(file); links++)
		;
	if (links == MAX_LINKS)
		return -ELOOP;
	if (stat(path, old)) {
		old->st_mode = S_IFREG;
		return errno == ENOENT ? 0 : -errno;
	}
	return 0;
}

/* A name next to the file's own, for the moment of the rename. */
static int make_temp_name(struct tw_file *file, const char *end)
{
	const char *slash = strrchr(file->path, '/');
	int dir = slash ? (int)(slash - file->path) + 1 : 0;
	int len = snprintf(file->temp, sizeof(file->temp), "%.*s.%s.%s", dir,
			   file->path, file->path + dir, end);

	return len < (int)sizeof(file->temp) ? 0 : -ENAMETOOLONG;
}

static int open_nameless(struct tw_file *file)
{
	char dir[PATH_MAX];

	strcpy(dir, file->path);
	return open(dirname(dir), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
}

/* For file systems that cannot do without a name. */
static int open_named(struct tw_file *file)
{
	mode_t mask = umask(0);
	int fd, err;

	umask(mask);
	err = make_temp_name(file, "XXXXXX");
	if (err) {
		errno = -err;
		return -1;
	}
	fd = mkostemp(file->temp, O_CLOEXEC);
	if (fd >= 0)
		fchmod(fd, 0666 & ~mask);
	return fd;
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

int tw_file_open(struct tw_file *file, const char *path)
{
	struct stat old;
	int fd, err;

	memset(file, 0, sizeof(*file));
	/* /dev/stdout, as a rule: write on, do not begin anew. */
	if (!stat(path, &old) && standard_stream(&old) >= 0) {
		file->direct = true;
		return set_stream(file, fcntl(standard_stream(&old),
					      F_DUPFD_CLOEXEC, 3));
	}
	err = resolve(file, path, &old);
	if (err)
		return err;
	if (!S_ISREG(old.st_mode)) {
		file->direct = true;
		return set_stream(file, open(path, O_WRONLY | O_CLOEXEC));
	}
	fd = open_nameless(file);
	file->nameless = fd >= 0;
	if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR))
		fd = open_named(file);
	return set_stream(file, fd);
}

static int give_name(struct tw_file *file)
{
	char self[64], pid[16];
	int err;

	if (!file->nameless)
		return rename(file->temp, file->path) ? -errno : 0;

	snprintf(self, sizeof(self), "/proc/self/fd/%d",
		 fileno(file->stream));
	if (!linkat(AT_FDCWD, self, AT_FDCWD, file->path, AT_SYMLINK_FOLLOW))
		return 0;
	if (errno != EEXIST)
		return -errno;
	/* A link replaces nothing, a rename does. */
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	err = make_temp_name(file, pid);
	if (err)
		return err;
	if (linkat(AT_FDCWD, self, AT_FDCWD, file->temp, AT_SYMLINK_FOLLOW))
		return -errno;
	if (rename(file->temp, file->path)) {
		err = -errno;
		unlink(file->temp);
		return err;
	}
	return 0;
}

int tw_file_commit(struct tw_file *file)
{
	int err = 0;

	if (fflush(file->stream))
		err = -errno;
	else if (ferror(file->stream))
		err = -EIO;	/* who wrote should have asked sooner */
	/* Some file systems find out only now that the disk is full. */
	if (!err && !file->direct && fsync(fileno(file->stream)))
		err = -errno;
	if (!err && !file->direct)
		err = give_name(file);
	if (err) {
		tw_file_abort(file);
		return err;
	}
	if (fclose(file->stream))
		err = -errno;
	file->stream = NULL;
	return err;
}

void tw_file_abort(struct tw_file *file)
{
	if (!file->stream)
		return;
	fclose(file->stream);
	file->stream = NULL;
	if (!file->direct && !file->nameless)
		unlink(file->temp);
}
