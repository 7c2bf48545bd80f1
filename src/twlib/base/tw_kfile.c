// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/tw_kfile.h"

static int open_path(const char *root, const char *path)
{
	char name[PATH_MAX];
	int len = snprintf(name, sizeof(name), "%s%s", root, path);
	int fd;

	if (len < 0 || len >= (int)sizeof(name))
		return -ENAMETOOLONG;
	/* Do not block, even if the path names a FIFO. */
	fd = open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* Reads up to @size bytes. Returns their number, or -errno. */
static ssize_t read_all(int fd, char *buf, size_t size)
{
	size_t used = 0;
	ssize_t len;

	while (used < size) {
		len = read(fd, buf + used, size - used);
		if (len < 0 && errno == EINTR)
			continue;
		if (len < 0)
			return -errno;
		if (!len)
			break;
		used += len;
	}
	return used;
}

int tw_kfile_bytes(const char *root, void *bytes, size_t size,
		   const char *path)
{
	int fd = open_path(root, path);
	ssize_t len;

	if (fd < 0)
		return fd;
	len = read_all(fd, bytes, size);
	close(fd);
	return (int)len;
}

/* One line of printable ASCII, so that it may be shown on a terminal. */
static void clean(char *text, size_t len)
{
	char *from = text, *to = text;
	char *end = memchr(text, '\n', len);

	if (!end)
		end = text + len;
	while (from < end && isspace((unsigned char)*from))
		from++;
	while (from < end) {
		unsigned char c = *from++;

		*to++ = c == '\t' ? ' ' : c < ' ' || c > '~' ? '?' : c;
	}
	while (to > text && to[-1] == ' ')
		to--;
	*to = '\0';
}

static bool read_text(const char *root, char *buf, size_t size,
		      const char *format, va_list args)
{
	char path[PATH_MAX];
	int len;

	len = vsnprintf(path, sizeof(path), format, args);
	if (len < 0 || len >= (int)sizeof(path))
		return false;
	len = tw_kfile_bytes(root, buf, size - 1, path);
	if (len < 0) {
		buf[0] = '\0';
		return false;
	}
	/* Strings of the device tree end in NUL bytes. */
	while (len && !buf[len - 1])
		len--;
	buf[len] = '\0';
	clean(buf, len);
	return true;
}

bool tw_kfile_text(const char *root, char *buf, size_t size,
		   const char *format, ...)
{
	char line[4096];
	va_list args;
	bool ok;

	va_start(args, format);
	ok = read_text(root, line, sizeof(line), format, args);
	va_end(args);
	if (ok)
		snprintf(buf, size, "%s", line);
	return ok;
}

bool tw_kfile_number(const char *root, int64_t *number,
		     const char *format, ...)
{
	char line[64], *end;
	long long value;
	va_list args;
	bool ok;

	va_start(args, format);
	ok = read_text(root, line, sizeof(line), format, args);
	va_end(args);
	if (!ok)
		return false;
	errno = 0;
	value = strtoll(line, &end, 10);
	if (errno || end == line || *end)
		return false;
	*number = value;
	return true;
}

char *tw_kfile_load(const char *root, const char *path)
{
	int fd = open_path(root, path);
	size_t size = 0, used = 0;
	char *text = NULL, *more, *at;
	ssize_t len;

	if (fd < 0)
		return NULL;
	do {
		size = size ? 2 * size : 16384;
		more = realloc(text, size + 1);
		len = more ? read_all(fd, more + used, size - used) : -ENOMEM;
		if (len < 0) {
			free(more ? more : text);
			text = NULL;
			break;
		}
		text = more;
		used += len;
	} while (used == size && size < TW_FILE_MAX);
	close(fd);
	if (!text)
		return NULL;
	text[used] = '\0';
	for (at = text; at < text + used; at++)
		if (!*at)
			*at = '?';
	return text;
}

/* What follows "@name:" at the start of a line; NULL: there is none. */
static char *find_field(char *text, const char *name)
{
	size_t len = strlen(name);

	while (text && (strncmp(text, name, len) || text[len] != ':')) {
		text = strchr(text, '\n');
		if (text)
			text++;
	}
	return text ? text + len + 1 : NULL;
}

bool tw_kfile_field_text(const char *root, char *buf, size_t size,
			 const char *path, const char *name)
{
	char *text = tw_kfile_load(root, path);
	char *value = find_field(text, name);
	bool found = value != NULL;

	if (found) {
		clean(value, strlen(value));
		snprintf(buf, size, "%s", value);
	}
	free(text);
	return found;
}

bool tw_kfile_field(const char *root, int64_t *number, const char *path,
		    const char *name)
{
	char value[64];

	return tw_kfile_field_text(root, value, sizeof(value), path, name) &&
	       sscanf(value, "%" SCNd64, number) == 1;
}

bool tw_kfile_stat(const char *root, int64_t *number, int pid, int field)
{
	char text[1024], *at;
	int i;

	if (!tw_kfile_text(root, text, sizeof(text), "/proc/%d/stat", pid))
		return false;
	/* The name, in brackets, may contain brackets: find the last one. */
	at = strrchr(text, ')');
	for (i = 2; at && i < field; i++)
		at = strchr(at + 1, ' ');
	return at && sscanf(at, " %" SCNd64, number) == 1;
}
