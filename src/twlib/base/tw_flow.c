// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/tw_flow.h"
#include "base/tw_system.h"
#include "base/tw_time.h"

#define PIECE		4096	/* what a pipe takes once it takes anything */
#define SLICE_MS	100

static int fail(struct tw_flow *flow, int err)
{
	if (!flow->err)
		flow->err = err;
	return flow->err;
}

/* A regular file: it takes all, or the disk is full. */
static int write_all(struct tw_flow *flow, const char *text, size_t len)
{
	ssize_t written;

	while (len) {
		written = write(flow->fd, text, len);
		if (written < 0 && errno != EINTR)
			return fail(flow, -errno);
		if (written > 0) {
			text += written;
			len -= (size_t)written;
		}
	}
	return 0;
}

static int keep(struct tw_flow *flow, const char *text, size_t len)
{
	size_t needed = tw_flow_behind(flow) + len;
	char *larger;

	if (flow->begin) {
		memmove(flow->text, flow->text + flow->begin,
			tw_flow_behind(flow));
		flow->end -= flow->begin;
		flow->begin = 0;
	}
	if (needed > flow->size) {
		larger = realloc(flow->text, 2 * needed);
		if (!larger)
			return fail(flow, -ENOMEM);
		flow->text = larger;
		flow->size = 2 * needed;
	}
	memcpy(flow->text + flow->end, text, len);
	flow->end += len;
	return 0;
}

/* A full disk takes the first part of @text: leave whole lines of it. */
static void cut(struct tw_flow *flow, const char *text)
{
	off_t end = lseek(flow->fd, 0, SEEK_CUR);
	const char *newline = NULL;

	if (end > flow->whole)
		newline = memrchr(text, '\n', (size_t)(end - flow->whole));
	if (newline)
		flow->whole += newline + 1 - text;
	if (ftruncate(flow->fd, flow->whole))
		return;		/* then it ends in a part of a line */
}

/* In one write, so that whoever kills us finds no half of a line. */
static int write_lines(struct tw_flow *flow, const char *text, size_t len)
{
	const char *begin, *newline;

	if (keep(flow, text, len))
		return flow->err;
	begin = flow->text + flow->begin;
	newline = memrchr(begin, '\n', tw_flow_behind(flow));
	if (!newline)
		return 0;
	len = (size_t)(newline + 1 - begin);
	flow->begin += len;
	if (write_all(flow, begin, len))
		cut(flow, begin);
	else
		flow->whole += (off_t)len;
	return flow->err;
}

/* The stream's: it wants 0 for an error, and to know no more of it. */
static ssize_t take(void *cookie, const char *text, size_t len)
{
	struct tw_flow *flow = cookie;

	if (flow->err)
		return 0;
	if (flow->has_reader)
		return keep(flow, text, len) ? 0 : (ssize_t)len;
	if (flow->whole_lines)
		return write_lines(flow, text, len) ? 0 : (ssize_t)len;
	return write_all(flow, text, len) ? 0 : (ssize_t)len;
}

/*
 * A description of our own, so that O_NONBLOCK is not everybody's. One of a
 * pipe or terminal is had by opening it again; the other end of a terminal
 * would be another one each time. Without it, what poll() says has to do.
 */
static void own_description(struct tw_flow *flow)
{
	char self[64];
	struct stat now;
	int number, fd;

	if (fstat(flow->fd, &now))
		return;
	flow->is_socket = S_ISSOCK(now.st_mode);
	flow->has_reader = flow->is_socket || S_ISFIFO(now.st_mode) ||
			   S_ISCHR(now.st_mode);
	if (!S_ISFIFO(now.st_mode) &&
	    (!isatty(flow->fd) || !ioctl(flow->fd, TIOCGPTN, &number)))
		return;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", flow->fd);
	fd = open(self, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return;
	close(flow->fd);
	flow->fd = fd;
}

int tw_flow_open(struct tw_flow *flow, int fd)
{
	const cookie_io_functions_t functions = { .write = take };

	if (fd < 0)
		return -errno;
	memset(flow, 0, sizeof(*flow));
	flow->fd = fd;
	own_description(flow);
	flow->stream = fopencookie(flow, "w", functions);
	if (!flow->stream) {
		close(flow->fd);
		return -ENOMEM;
	}
	/* The text is buffered in flow->text already. */
	if (flow->has_reader)
		setvbuf(flow->stream, NULL, _IONBF, 0);
	return 0;
}

size_t tw_flow_behind(const struct tw_flow *flow)
{
	return flow->end - flow->begin;
}

/* One write that need not wait: 0, -EAGAIN or the flow's error. */
static int write_piece(struct tw_flow *flow)
{
	size_t len = tw_flow_behind(flow);
	const char *text = flow->text + flow->begin;
	ssize_t written;

	if (len > PIECE)
		len = PIECE;
	written = flow->is_socket ?
		  send(flow->fd, text, len, MSG_DONTWAIT | MSG_NOSIGNAL) :
		  write(flow->fd, text, len);
	if (written < 0 && (errno == EAGAIN || errno == EINTR))
		return -EAGAIN;
	if (written < 0)
		return fail(flow, -errno);
	flow->begin += (size_t)written;
	return 0;
}

/* 1: it may take something; 0: not within @ms. A reader that is gone: both. */
static int ready(struct tw_flow *flow, int64_t ms)
{
	struct pollfd reader = { .fd = flow->fd, .events = POLLOUT };

	if (poll(&reader, 1, ms > 0 ? (int)ms : 0) <= 0)
		return 0;
	/* As there is nothing to write, no write() reports it. */
	if ((reader.revents & POLLERR) && !tw_flow_behind(flow))
		fail(flow, -EPIPE);
	return 1;
}

int tw_flow_push(struct tw_flow *flow, int ms)
{
	int64_t end_ns = tw_now_ns(CLOCK_MONOTONIC) + ms * TW_NS_PER_MS;
	int64_t left_ns;
	int err = 0;

	if (!flow->has_reader) {
		fflush(flow->stream);
		return flow->err;
	}
	if (!tw_flow_behind(flow) && !flow->err)
		ready(flow, 0);
	while (!flow->err && tw_flow_behind(flow)) {
		left_ns = end_ns - tw_now_ns(CLOCK_MONOTONIC);
		err = -EAGAIN;
		if (ready(flow, (left_ns + TW_NS_PER_MS - 1) / TW_NS_PER_MS))
			err = write_piece(flow);
		if (err == -EAGAIN && left_ns <= 0)
			return err;
		/* A terminal may have room for less than CR and LF. */
		if (err == -EAGAIN)
			poll(NULL, 0, 1);
	}
	return flow->err;
}

int tw_flow_finish(struct tw_flow *flow, int idle_ms)
{
	size_t behind;
	int waited_ms = 0;
	int err;

	/* A last line without a newline is written, too. */
	if (flow->whole_lines) {
		fflush(flow->stream);
		flow->whole_lines = false;
		if (!flow->err && tw_flow_behind(flow) &&
		    write_all(flow, flow->text + flow->begin,
			      tw_flow_behind(flow)))
			cut(flow, flow->text + flow->begin);
		return flow->err;
	}
	for (;;) {
		behind = tw_flow_behind(flow);
		err = tw_flow_push(flow, SLICE_MS);
		if (err != -EAGAIN)
			return err;
		waited_ms += SLICE_MS;
		if (tw_flow_behind(flow) < behind)
			waited_ms = 0;
		else if (tw_system_told_to_end() ||
			 (idle_ms >= 0 && waited_ms >= idle_ms))
			return fail(flow, -EINTR);
	}
}

int tw_flow_close(struct tw_flow *flow)
{
	fclose(flow->stream);
	flow->stream = NULL;
	free(flow->text);
	flow->text = NULL;
	flow->begin = 0;
	flow->end = 0;
	if (close(flow->fd))
		fail(flow, -errno);
	return flow->err;
}

const char *tw_flow_error(int err)
{
	if (err == -EINTR)
		return "its reader paused until a signal ended the wait";
	return strerror(-err);
}
