/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sends and receives whole messages over a blocking socket. Inline, because
 * this is part of the measured time.
 */
#ifndef TW_IO_H
#define TW_IO_H

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/types.h>

/*
 * Called after a system call failed. Returns 0: call again; -ECANCELED: stop;
 * or -errno. If *stop is set, a closed connection is not an error.
 */
static inline int tw_io_failed(const atomic_int *stop)
{
	if (atomic_load_explicit(stop, memory_order_relaxed))
		return -ECANCELED;
	return errno == EINTR ? 0 : -errno;
}

/*
 * Sends all @size bytes of @buf. Returns 0; -ECANCELED if the call failed or
 * was interrupted after *stop was set; or -errno.
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

static inline ssize_t tw_io_recv(int fd, void *buf, size_t size, int flags,
				 void *more)
{
	(void)more;
	return recv(fd, buf, size, flags);
}

/*
 * Receives @size bytes by @get, a constant. Returns the number of bytes: less than @size if the
 * peer closed the connection, 0 if it sent nothing before. Or returns
 * -ECANCELED if the call failed or was interrupted after *stop was set, or
 * -errno.
 */
static inline __attribute__((always_inline)) ssize_t
tw_io_receive_by(int fd, void *buf, size_t size, const atomic_int *stop,
		 ssize_t (*get)(int fd, void *buf, size_t size, int flags,
				void *more), void *more)
{
	size_t done = 0;

	while (done < size) {
		ssize_t len = get(fd, (char *)buf + done, size - done,
				  MSG_WAITALL, more);
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

static inline ssize_t tw_io_receive(int fd, void *buf, size_t size,
				    const atomic_int *stop)
{
	return tw_io_receive_by(fd, buf, size, stop, tw_io_recv, NULL);
}

#endif /* TW_IO_H */
