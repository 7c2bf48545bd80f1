// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rt-error.h"
#include "tw_file.h"

/* In use. Removed at exit, as rt_write_json() may end the program. */
static char *temporary;

/* Made by tw_file_check(). */
static char *probes[16];
static int probed;

static void remove_temporary(void)
{
	if (temporary)
		unlink(temporary);
	free(temporary);
	temporary = NULL;
}

static void remove_all(void)
{
	remove_temporary();
	tw_file_checked();
}

/* A link is followed: the file that it names is replaced, not the link. */
const char *tw_file_begin(const char *path)
{
	char *real = realpath(path, NULL);
	struct stat status;

	if (real && (stat(real, &status) || !S_ISREG(status.st_mode))) {
		free(real);
		/* Else opening a pipe without a reader would never end. */
		if (open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC) < 0)
			fatal("%s: cannot be written: %s\n", path,
			      strerror(errno));
		return path;
	}
	if (asprintf(&temporary, "%s.%d", real ? real : path,
		     (int)getpid()) < 0)
		err_exit(ENOMEM, "%s", path);
	free(real);
	atexit(remove_all);
	return temporary;
}

int tw_file_finish(const char *path, int err)
{
	char *real = realpath(path, NULL);
	int fd = temporary && !err ? open(temporary, O_WRONLY) : -1;

	if (temporary && !err && (fd < 0 || fsync(fd) ||
				  rename(temporary, real ? real : path)))
		err = -errno;
	if (fd >= 0)
		close(fd);
	free(real);
	remove_temporary();
	if (err)
		warn("%s: cannot be written: %s\n", path, strerror(-err));
	return err;
}

/*
 * Tries it, as permissions alone do not tell. The reader of a pipe would leave
 * at a close, so that stays open. The temporary file stays until
 * tw_file_checked(), so that a second option with the same file is refused.
 */
void tw_file_check(const char *path)
{
	const char *name = tw_file_begin(path);

	if (temporary && open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
			      0666) < 0)
		fatal("%s: cannot be written: %s\n", path, errno == EEXIST ?
		      "another option writes it" : strerror(errno));
	probes[probed++] = temporary;
	temporary = NULL;
}

void tw_file_checked(void)
{
	while (probed) {
		temporary = probes[--probed];
		remove_temporary();
	}
}

int tw_file_write(const char *path,
		  void (*print)(FILE *file, const struct tw_run *run),
		  const struct tw_run *run)
{
	const char *name = tw_file_begin(path);
	FILE *file;
	int err = 0;

	file = fopen(name, "we");
	if (file) {
		print(file, run);
		err = ferror(file) ? -EIO : 0;
		err = fclose(file) ? -errno : err;
	} else {
		err = -errno;
	}
	return tw_file_finish(path, err);
}
