// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tw_file.h"
#include "tw_part.h"

#define FLAGS	(O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)

static struct tw_file *files;

/* Then each would overwrite what the other has written. */
static bool is_same(int fd, const struct stat *file)
{
	struct stat of;

	return !fstat(fd, &of) && of.st_dev == file->st_dev &&
	       of.st_ino == file->st_ino;
}

/* But for the text, which a pipe may have before the results. */
static bool is_text(const struct stat *file)
{
	return S_ISREG(file->st_mode) && (is_same(STDOUT_FILENO, file) ||
					  is_same(STDERR_FILENO, file));
}

void tw_file_add(struct tw_file *file)
{
	if (!file->path)
		return;
	file->fd = strcmp(file->path, "-") ? -1 :
		   fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	file->next = files;
	files = file;
}

static void open_one(struct tw_file *file)
{
	const struct tw_file *other;
	const char *why = NULL;
	struct stat of;

	/* O_NONBLOCK: else opening a pipe without a reader would never end. */
	file->fd = open(file->path, FLAGS, 0666);
	if (file->fd < 0 || fstat(file->fd, &of) ||
	    fcntl(file->fd, F_SETFL, 0))
		why = strerror(errno);
	else if (is_text(&of))
		why = "standard output or standard error goes there";
	for (other = files; !why && other; other = other->next)
		if (other != file && !S_ISCHR(of.st_mode) &&
		    is_same(other->fd, &of))
			why = "another option writes it";
	if (why)
		tw_say_fatal("%s: cannot be written: %s\n", file->path, why);
	file->regular = S_ISREG(of.st_mode);
}

void tw_file_open_all(void)
{
	struct tw_file *file;

	for (file = files; file; file = file->next)
		if (file->fd < 0)
			open_one(file);
}

void tw_file_leave(void)
{
	struct tw_file *file;

	for (file = files; file; file = file->next) {
		close(file->fd);
		file->fd = -1;	/* its children may have something else there */
	}
}

int tw_file_close(struct tw_file *file, int err)
{
	if (!err && file->regular && fsync(file->fd))
		err = -errno;
	if (close(file->fd) && !err)
		err = -errno;
	file->fd = -1;
	if (err)
		tw_say_warn("%s: cannot be written: %s\n",
			    strcmp(file->path, "-") ? file->path :
			    "standard output", strerror(-err));
	return err;
}

/* 0 or -errno, as far as the file system can tell. */
static int reserve(int fd, size_t size)
{
	struct rlimit most;

	if (!getrlimit(RLIMIT_FSIZE, &most) && size > most.rlim_cur)
		return -EFBIG;
	if (fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, size) &&
	    (errno == ENOSPC || errno == EDQUOT || errno == EFBIG))
		return -errno;
	return 0;
}

/* What was there is cut where the new ends; it stays if there is no room. */
static int replace(const struct tw_file *file, const char *text, size_t size)
{
	struct stat old;
	size_t done = 0;
	ssize_t len;
	int err = fstat(file->fd, &old) ? -errno : 0;

	if (!err && file->regular)
		err = reserve(file->fd, size);
	while (!err && done < size) {
		len = write(file->fd, text + done, size - done);
		err = len < 0 ? -errno : 0;
		done += len < 0 ? 0 : len;
	}
	if (file->regular && ftruncate(file->fd, done || !err ? (off_t)done :
				       old.st_size) && !err)
		err = -errno;
	return err;
}

int tw_file_write(struct tw_file *file,
		  void (*print)(FILE *file, const struct tw_run *run),
		  const struct tw_run *run)
{
	char *text = NULL;
	size_t size = 0;
	FILE *memory;
	int err;

	if (!file->path)
		return 0;
	if (file->fd < 0)	/* --check, which measures nothing */
		open_one(file);
	memory = open_memstream(&text, &size);
	if (memory)
		print(memory, run);
	if (!memory || ferror(memory) || fclose(memory))
		err = -ENOMEM;
	else
		err = replace(file, text, size);
	free(text);
	return tw_file_close(file, err);
}

void tw_file_end(FILE *file, const struct tw_run *run)
{
	int i;

	for (i = 0; tw_parts[i]; i++)
		if (tw_parts[i]->tells_end && tw_parts[i]->text)
			tw_parts[i]->text(file, run);
	for (i = 0; tw_parts[i]; i++)
		if (tw_parts[i]->tells_end && tw_parts[i]->remark)
			tw_parts[i]->remark(file, run);
}

void tw_file_end_table(FILE *file, const struct tw_run *run, uint64_t rows)
{
	tw_file_end(file, run);
	fprintf(file, "# End: %" PRIu64 " row%s\n", rows,
		rows == 1 ? "" : "s");
}
