// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rt-error.h"
#include "tw_file.h"

/* The temporary files that are there, the last one first. */
static struct temporary {
	const char *path;	/* as the option has it */
	char *name;
	struct temporary *next;
} *first;

/* Without @path: all of them. */
static void remove_temporary(const char *path)
{
	struct temporary **at = &first, *this;

	while ((this = *at)) {
		if (path && this->path != path) {
			at = &this->next;
			continue;
		}
		*at = this->next;
		unlink(this->name);
		free(this->name);
		free(this);
	}
}

void tw_file_checked(void)
{
	remove_temporary(NULL);
}

/* What a link names is replaced; false: it names nothing. */
static bool follow(const char *path, char *real)
{
	struct stat status;

	if (realpath(path, real))
		return true;
	snprintf(real, PATH_MAX, "%s", path);
	return lstat(path, &status) != 0;
}

const char *tw_file_begin(const char *path)
{
	struct temporary *this;
	char real[PATH_MAX];
	struct stat status;

	if (!stat(path, &status) && !S_ISREG(status.st_mode)) {
		/*
		 * Else opening a pipe without a reader would never end. Open
		 * until the end, so that the reader stays.
		 */
		return open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC) < 0 ?
		       NULL : path;
	}
	if (!follow(path, real)) {
		errno = ENOENT;
		return NULL;
	}
	this = malloc(sizeof(*this));
	if (!this || asprintf(&this->name, "%s.%d", real, (int)getpid()) < 0)
		fatal("%s: no memory\n", path);
	this->path = path;
	this->next = first;
	first = this;
	return this->name;
}

/* The new file has the permissions of the one that it replaces. */
static int replace(const struct temporary *this)
{
	char real[PATH_MAX];
	struct stat status;
	int fd = open(this->name, O_WRONLY | O_CLOEXEC);
	int err;

	if (fd < 0)
		return -errno;
	follow(this->path, real);
	err = (!stat(real, &status) && fchmod(fd, status.st_mode & 07777)) ||
	      fsync(fd) || rename(this->name, real) ? -errno : 0;
	close(fd);
	return err;
}

int tw_file_finish(const char *path, int err)
{
	const struct temporary *this = first;

	while (this && this->path != path)
		this = this->next;
	if (!err && this)
		err = replace(this);
	remove_temporary(path);
	if (err)
		warn("%s: cannot be written: %s\n", path, strerror(-err));
	return err;
}

/* Replacing this file would leave the text in one without a name. */
static bool is_output(const char *path)
{
	struct stat file, output;
	int fd;

	if (stat(path, &file) || !S_ISREG(file.st_mode))
		return false;
	for (fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
		if (!fstat(fd, &output) && output.st_dev == file.st_dev &&
		    output.st_ino == file.st_ino)
			return true;
	return false;
}

/*
 * Tries it, as permissions alone do not tell. The temporary file stays until
 * tw_file_checked(), so that a second option with the same file is refused.
 */
void tw_file_check(const char *path)
{
	struct temporary *this;
	const char *name;
	int err;

	if (is_output(path))
		fatal("%s: cannot be written: standard output or standard error goes there\n",
		      path);
	name = tw_file_begin(path);
	this = first;
	if (!name)
		fatal("%s: cannot be written: %m\n", path);
	if (name == path)
		return;
	if (!this->next)
		atexit(tw_file_checked);
	if (open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666) >= 0)
		return;
	/* It is not ours to remove. */
	err = errno;
	first = this->next;
	fatal("%s: cannot be written: %s\n", path, err == EEXIST ?
	      "another option writes it" : strerror(err));
}

int tw_file_write(const char *path,
		  void (*print)(FILE *file, const struct tw_run *run),
		  const struct tw_run *run)
{
	const char *name = tw_file_begin(path);
	FILE *file = name ? fopen(name, "we") : NULL;
	int err = 0;

	if (file) {
		errno = EIO;
		print(file, run);
		err = ferror(file) ? -errno : 0;
		err = fclose(file) ? -errno : err;
	} else {
		err = -errno;
	}
	return tw_file_finish(path, err);
}
