// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "rt-error.h"
#include "tw_lines.h"
#include "tw_time.h"

#define SEND_MS		5000
#define WAIT_MS		1000000000	/* at most, at once */

int64_t tw_in_ms(int64_t ms)
{
	return tw_now_ns(CLOCK_MONOTONIC) + ms * TW_NS_PER_MS;
}

int tw_await(int fd, short events, int other_fd, int64_t end_ns)
{
	struct pollfd ready[] = {
		{ .fd = fd, .events = events },
		{ .fd = other_fd, .events = POLLIN },
	};
	int count;

	do {
		int64_t ms = (end_ns - tw_in_ms(0)) / TW_NS_PER_MS + 1;

		count = poll(ready, 2, ms < 0 ? 0 : ms > WAIT_MS ? WAIT_MS :
			     (int)ms);
	} while (count < 0 && errno == EINTR);
	if (count < 0)
		return -errno;
	return ready[1].revents ? -EINTR : count ? 0 : -ETIMEDOUT;
}

int tw_stop_fd(void)
{
	static int fd = -1;
	sigset_t signals;

	if (fd >= 0)
		return fd;
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	fd = signalfd(-1, &signals, SFD_CLOEXEC);
	return fd;
}

bool tw_is_stopped(void)
{
	return !tw_await(tw_stop_fd(), POLLIN, -1, 0);
}

static void make_printable(char *text, size_t length)
{
	size_t i;

	for (i = 0; i < length; i++)
		if (text[i] != '\n' && (text[i] < ' ' || text[i] > 126))
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
		make_printable(lines->text + lines->used, length);
		lines->used += length;
	} else if (!length || (errno != EAGAIN && errno != EINTR)) {
		lines->ended = true;
	}
}

char *tw_lines_await(struct tw_lines *lines, int other_fd, int64_t end_ns)
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
		if (lines->ended ||
		    tw_await(lines->fd, POLLIN, other_fd, end_ns))
			return NULL;
		read_more(lines);
	}
}

int tw_lines_send(int fd, const char *text, size_t length)
{
	int64_t end_ns = tw_in_ms(SEND_MS);
	int err = 0;

	while (length && !err) {
		ssize_t written = write(fd, text, length);

		if (written > 0) {
			text += written;
			length -= written;
		} else if (errno != EAGAIN && errno != EINTR) {
			err = -errno;
		} else {
			err = tw_await(fd, POLLOUT, -1, end_ns);
		}
	}
	return err;
}
