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

#define FILES_MAX	16

/* Temporary names: made by tw_file_check(), and the one in use. */
static char *made[FILES_MAX];
static int count;
static char *temporary;

static void remove_temporary(void)
{
	if (temporary)
		unlink(temporary);
	free(temporary);
	temporary = NULL;
}

/* Also at exit, as rt_write_json() may end the program. */
void tw_file_checked(void)
{
	remove_temporary();
	while (count) {
		temporary = made[--count];
		remove_temporary();
	}
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
	if (asprintf(&temporary, "%s.%d", real, (int)getpid()) < 0)
		fatal("%s: no memory\n", path);
	return temporary;
}

/* The new file has the permissions of the one that it replaces. */
static int replace(const char *path)
{
	char real[PATH_MAX];
	struct stat status;
	int fd = open(temporary, O_WRONLY | O_CLOEXEC);
	int err;

	if (fd < 0)
		return -errno;
	follow(path, real);
	err = (!stat(real, &status) && fchmod(fd, status.st_mode & 07777)) ||
	      fsync(fd) || rename(temporary, real) ? -errno : 0;
	close(fd);
	return err;
}

int tw_file_finish(const char *path, int err)
{
	if (!err && temporary)
		err = replace(path);
	remove_temporary();
	if (err)
		warn("%s: cannot be written: %s\n", path, strerror(-err));
	return err;
}

/*
 * Tries it, as permissions alone do not tell. The temporary file stays until
 * tw_file_checked(), so that a second option with the same file is refused.
 */
void tw_file_check(const char *path)
{
	const char *name = tw_file_begin(path);

	if (!name)
		fatal("%s: cannot be written: %m\n", path);
	if (!temporary)
		return;
	if (open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666) < 0) {
		int err = errno;

		free(temporary);
		temporary = NULL;
		fatal("%s: cannot be written: %s\n", path, err == EEXIST ?
		      "another option writes it" : strerror(err));
	}
	if (!count)
		atexit(tw_file_checked);
	made[count++] = temporary;
	temporary = NULL;
}

int tw_file_write(const char *path,
		  void (*print)(FILE *file, const struct tw_run *run),
		  const struct tw_run *run)
{
	const char *name = tw_file_begin(path);
	FILE *file = name ? fopen(name, "we") : NULL;
	int err = 0;

	if (file) {
		print(file, run);
		err = ferror(file) ? -EIO : 0;
		err = fclose(file) ? -errno : err;
	} else {
		err = -errno;
	}
	return tw_file_finish(path, err);
}
