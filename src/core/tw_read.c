// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tw_read.h"

#define ALL_USUAL	(64u << 10)
#define ALL_MAX		(16u << 20)

ssize_t tw_read_bytes(void *bytes, size_t size, const char *path)
{
	/* A FIFO must not block. */
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	size_t used = 0;
	ssize_t len = 1;

	if (fd < 0)
		return -1;
	while (used < size && len > 0) {
		len = read(fd, (char *)bytes + used, size - used);
		used += len > 0 ? len : 0;
	}
	close(fd);
	return used || !len ? (ssize_t)used : -1;
}

void tw_read_clean(char *text)
{
	for (; *text; text++)
		if (*text < ' ' || *text > '~')
			*text = '?';
}

bool tw_read_text(char *text, size_t size, const char *path)
{
	char line[TW_READ_LINE] = "", *from = line, *end;

	if (tw_read_bytes(line, sizeof(line) - 1, path) < 0)
		return false;
	line[strcspn(line, "\n")] = '\0';
	while (isspace((unsigned char)*from))
		from++;
	end = from + strlen(from);
	while (end > from && isspace((unsigned char)end[-1]))
		*--end = '\0';
	tw_read_clean(from);
	snprintf(text, size, "%s", from);
	return true;
}

bool tw_read_number(int64_t *number, const char *path)
{
	char text[32], *end;

	if (!tw_read_text(text, sizeof(text), path) || !*text)
		return false;
	errno = 0;
	*number = strtoll(text, &end, 10);
	return !*end && !errno;
}

char *tw_read_all(const char *path)
{
	char *text = NULL, *more;
	ssize_t len = 0;
	size_t size;

	for (size = ALL_USUAL; size <= ALL_MAX; size *= 16) {
		more = realloc(text, size + 1);
		len = more ? tw_read_bytes(more, size, path) : 0;
		text = more ? more : text;
		if (len < (ssize_t)size)
			break;
	}
	if (len <= 0) {
		free(text);
		return NULL;
	}
	text[len] = '\0';
	return text;
}
