// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rt-error.h"
#include "tw_file.h"

static char *unfinished;

static void remove_unfinished(void)
{
	if (unfinished)
		unlink(unfinished);
}

/* A link is followed: the file that it names is replaced, not the link. */
char *tw_file_begin(const char *path)
{
	char *real = realpath(path, NULL), *name;
	struct stat status;

	if (real && (stat(real, &status) || !S_ISREG(status.st_mode)))
		name = strdup(path);
	else if (asprintf(&name, "%s.%d", real ? real : path,
			  (int)getpid()) < 0)
		name = NULL;
	free(real);
	if (!name)
		err_exit(ENOMEM, "%s", path);
	/* rt_write_json() ends the program if it cannot write. */
	if (strcmp(name, path)) {
		unfinished = name;
		atexit(remove_unfinished);
	}
	return name;
}

/* By doing it: permissions alone do not tell. A pipe must have a reader. */
void tw_file_check(const char *path)
{
	char *name = tw_file_begin(path);
	bool direct = !strcmp(name, path);
	int fd = open(name, direct ? O_WRONLY | O_NONBLOCK | O_CLOEXEC :
		      O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

	if (fd < 0)
		fatal("%s: cannot be written: %s\n", path, strerror(errno));
	close(fd);
	if (!direct)
		unlink(name);
	unfinished = NULL;
	free(name);
}

/* The new file has the permissions of the one that it replaces. */
static int replace(const char *path, const char *name)
{
	char *real = realpath(path, NULL);
	int err = 0, fd = open(name, O_WRONLY | O_CLOEXEC);
	struct stat status;

	if (fd < 0)
		err = -errno;
	else if (real && !stat(real, &status))
		err = fchmod(fd, status.st_mode & 07777) ? -errno : 0;
	if (!err && (fsync(fd) || rename(name, real ? real : path)))
		err = -errno;
	if (fd >= 0)
		close(fd);
	free(real);
	return err;
}

int tw_file_finish(const char *path, char *name, int err)
{
	if (strcmp(name, path)) {
		if (!err)
			err = replace(path, name);
		if (err)
			unlink(name);
	}
	if (err)
		warn("%s: cannot be written: %s\n", path, strerror(-err));
	unfinished = NULL;
	free(name);
	return err;
}

int tw_file_write(const char *path,
		  void (*print)(FILE *file, const struct tw_run *run),
		  const struct tw_run *run)
{
	char *name = tw_file_begin(path);
	FILE *file = fopen(name, "we");
	int err = 0;

	if (file) {
		print(file, run);
		err = ferror(file) ? -EIO : 0;
		err = fclose(file) ? -errno : err;
	} else {
		err = -errno;
	}
	return tw_file_finish(path, name, err);
}
