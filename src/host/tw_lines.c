// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "rt-error.h"
#include "tw_lines.h"
#include "tw_time.h"

int tw_lines_stop_fd(void)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	return signalfd(-1, &signals, SFD_CLOEXEC);
}

int tw_lines_ms_until(int64_t end_ns)
{
	int64_t ns = end_ns - tw_now_ns(CLOCK_MONOTONIC);

	if (ns > INT32_MAX * TW_NS_PER_MS / 2)
		return -1;
	return ns <= 0 ? 0 : (int)(ns / TW_NS_PER_MS) + 1;
}

bool tw_lines_ready(int fd, int other_fd, int64_t end_ns)
{
	struct pollfd ready[] = {
		{ .fd = fd, .events = POLLIN },
		{ .fd = other_fd, .events = POLLIN },
	};
	int count;

	do
		count = poll(ready, 2, tw_lines_ms_until(end_ns));
	while (count < 0 && errno == EINTR);
	return ready[0].revents;
}

/* Only ASCII, and no end of the text. */
static void make_ascii(char *text, size_t length)
{
	size_t i;

	for (i = 0; i < length; i++)
		if (!text[i] || (unsigned char)text[i] > 126)
			text[i] = '?';
}

static void read_more(struct tw_lines *lines)
{
	ssize_t length;

	if (!lines->text)
		lines->text = malloc(lines->max + 1);
	if (!lines->text)
		fatal("no memory for %zu bytes\n", lines->max);
	if (lines->used == lines->max) {
		lines->too_long = lines->ended = true;
		return;
	}
	length = read(lines->fd, lines->text + lines->used,
		      lines->max - lines->used);
	if (length > 0) {
		make_ascii(lines->text + lines->used, length);
		lines->used += length;
	} else if (!length || (errno != EAGAIN && errno != EINTR)) {
		lines->ended = true;
	}
}

char *tw_lines_take(struct tw_lines *lines)
{
	char *end;

	if (lines->taken) {
		lines->used -= lines->taken;
		memmove(lines->text, lines->text + lines->taken, lines->used);
		lines->taken = 0;
	}
	for (;;) {
		end = lines->used ? memchr(lines->text, '\n', lines->used) :
		      NULL;
		if (end) {
			*end = '\0';
			lines->taken = end + 1 - lines->text;
			return lines->text;
		}
		if (lines->ended || !tw_lines_ready(lines->fd, -1, 0))
			return NULL;
		read_more(lines);
	}
}

char *tw_lines_await(struct tw_lines *lines, int other_fd, int64_t end_ns)
{
	char *line = tw_lines_take(lines);

	while (!line && !lines->ended &&
	       tw_lines_ready(lines->fd, other_fd, end_ns))
		line = tw_lines_take(lines);
	return line;
}

int tw_lines_send(int fd, const char *text, size_t length, int ms)
{
	int64_t end_ns = tw_now_ns(CLOCK_MONOTONIC) + ms * TW_NS_PER_MS;
	struct pollfd ready = { .fd = fd, .events = POLLOUT };
	ssize_t written;

	while (length) {
		if (poll(&ready, 1, tw_lines_ms_until(end_ns)) != 1)
			return -ETIMEDOUT;
		written = write(fd, text, length);
		if (written < 0 && errno != EAGAIN && errno != EINTR)
			return -errno;
		if (written > 0) {
			text += written;
			length -= written;
		}
	}
	return 0;
}
