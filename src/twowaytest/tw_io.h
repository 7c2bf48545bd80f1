/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whole messages over a blocking socket. Inline, as they stand between the
 * timestamps and the system calls.
 */
#ifndef TW_IO_H
#define TW_IO_H

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/types.h>

/*
 * A call that failed: 0 to call again, -ECANCELED to stop, or -errno. Once
 * *stop is set, a connection that the other side has dropped is no error.
 */
static inline int tw_io_failed(const atomic_int *stop)
{
	if (atomic_load_explicit(stop, memory_order_relaxed))
		return -ECANCELED;
	return errno == EINTR ? 0 : -errno;
}

/*
 * Sends all of @buf: 0, -ECANCELED if failed or interrupted after *stop, or
 * -errno.
 */
static inline int tw_io_send(int fd, const void *buf, size_t size,
			     const atomic_int *stop)
{
	size_t done = 0;

	while (done < size) {
		ssize_t len = send(fd, (const char *)buf + done, size - done,
				   MSG_NOSIGNAL);
		int err = len < 0 ? tw_io_failed(stop) : 0;

		if (err)
			return err;
		if (len > 0)
			done += len;
	}
	return 0;
}

/*
 * Receives @size bytes: that many, fewer if the peer closed meanwhile (0: at
 * once), -ECANCELED if failed or interrupted after *stop, or -errno.
 */
static inline ssize_t tw_io_receive(int fd, void *buf, size_t size,
				    const atomic_int *stop)
{
	size_t done = 0;

	while (done < size) {
		ssize_t len = recv(fd, (char *)buf + done, size - done,
				   MSG_WAITALL);
		int err = len < 0 ? tw_io_failed(stop) : 0;

		if (err)
			return err;
		if (!len)
			break;
		if (len > 0)
			done += len;
	}
	return done;
}

#endif /* TW_IO_H */
