// SPDX-License-Identifier: GPL-2.0-or-later
/* Frames on descriptors, each within a limit. */
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/tw_time.h"
#include "host/tw_frame.h"

#define PIECE	4096	/* what a pipe takes once it takes anything */

static int64_t end_of(int limit_ms)
{
	return tw_now_ns(CLOCK_MONOTONIC) + limit_ms * TW_NS_PER_MS;
}

/*
 * One write that does not wait, for poll() has said so. Whether it is a socket
 * is asked each time, as frames are few. A pipe takes PIECE bytes at once, so
 * its description, which others may share, need not become non-blocking.
 */
static ssize_t write_some(int fd, const char *data, size_t length)
{
	ssize_t sent = send(fd, data, length, MSG_DONTWAIT | MSG_NOSIGNAL);

	if (sent >= 0 || errno != ENOTSOCK)
		return sent;
	return write(fd, data, length < PIECE ? length : PIECE);
}

int tw_frame_write(int fd, const void *data, size_t length, int limit_ms)
{
	const char *at = data;
	struct pollfd ready = { .fd = fd, .events = POLLOUT };
	int64_t end_ns = end_of(limit_ms);
	ssize_t sent;
	int found;

	while (length) {
		found = poll(&ready, 1, tw_left_ms(end_ns));
		sent = found > 0 ? write_some(fd, at, length) : found;
		if (sent < 0 && errno != EAGAIN && errno != EINTR)
			return -errno;
		if (sent > 0) {
			at += sent;
			length -= (size_t)sent;
		} else if (!tw_left_ms(end_ns)) {
			return -ETIMEDOUT;
		} else {
			poll(NULL, 0, 1);
		}
	}
	return 0;
}

int tw_frame_send(int fd, enum tw_frame_type type, const void *body,
		  size_t length, int limit_ms)
{
	char buf[TW_FRAME_MAX];
	int size = tw_frame_encode(buf, sizeof(buf), type, body, length);

	return size < 0 ? size :
			  tw_frame_write(fd, buf, (size_t)size, limit_ms);
}

/* Waits for input: 0, -EINTR, -ETIMEDOUT or another -errno of poll(). */
static int wait_input(int fd, int wake_fd, int64_t end_ns)
{
	struct pollfd fds[] = {
		{ .fd = fd, .events = POLLIN },
		{ .fd = wake_fd, .events = POLLIN },
	};
	int found;

	do {
		found = poll(fds, 2, tw_left_ms(end_ns));
	} while (!found && tw_left_ms(end_ns));
	if (found < 0)
		return -errno;
	if (fds[1].revents)
		return -EINTR;
	return found ? 0 : -ETIMEDOUT;
}

/* Reads what there is, at most what the reader can take. */
static int read_some(struct tw_frame_reader *reader, int fd)
{
	char buf[PIECE];
	size_t room = sizeof(reader->buf) - tw_frame_behind(reader);
	ssize_t got = read(fd, buf, room < sizeof(buf) ? room : sizeof(buf));

	if (got < 0)
		return errno == EAGAIN ? 0 : -errno;
	if (!got)
		return -ECONNRESET;
	tw_frame_feed(reader, buf, (size_t)got);
	return 0;
}

int tw_frame_receive(struct tw_frame_reader *reader, int fd, int wake_fd,
		     int limit_ms, struct tw_frame *frame)
{
	int64_t end_ns = end_of(limit_ms);
	int err;

	for (;;) {
		err = tw_frame_next(reader, frame);
		if (err)
			return err > 0 ? 0 : err;
		err = wait_input(fd, wake_fd, end_ns);
		if (!err)
			err = read_some(reader, fd);
		if (err)
			return err;
	}
}
