// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What another host sends, cut into lines: both sides of two hosts read by
 * it. The first byte says how much comes at once.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tw_lines.h"

#define MAX	64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* All lines that are there; returns their bytes, each with its end. */
static size_t take(struct tw_lines *lines)
{
	const char *line;
	size_t bytes = 0, i;

	while ((line = tw_lines_await(lines, -1, 0))) {
		for (i = 0; line[i]; i++)
			if ((unsigned char)line[i] > 126 || line[i] == '\n')
				abort();
		if (i >= MAX)
			abort();
		bytes += i + 1;
	}
	return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tw_lines lines = { .max = MAX };
	size_t at, length, step, bytes = 0;
	int fds[2];

	if (!size || size > 4096 || pipe2(fds, O_NONBLOCK))
		return 0;
	lines.fd = fds[0];
	step = data[0] + 1;
	for (at = 1; at < size && !lines.ended; at += length) {
		length = step < size - at ? step : size - at;
		if (write(fds[1], data + at, length) != (ssize_t)length)
			abort();
		bytes += take(&lines);
	}
	close(fds[1]);
	bytes += take(&lines);
	/* Only a line that is too long, or has no end, is left out. */
	if (!lines.ended || bytes > size - 1 ||
	    (!lines.too_long && bytes + lines.used - lines.taken != size - 1))
		abort();
	if (lines.used > lines.taken &&
	    memchr(lines.text + lines.taken, '\n', lines.used - lines.taken))
		abort();
	close(fds[0]);
	free(lines.text);
	return 0;
}
