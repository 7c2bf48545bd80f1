// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "tw_wire.h"

ssize_t (*tw_wire_out)(int fd, const void *buf, size_t size, int flags) = send;
ssize_t (*tw_wire_in)(int fd, void *buf, size_t size, int flags) = recv;

int tw_wire_failed(const atomic_int *stop)
{
	if (atomic_load_explicit(stop, memory_order_relaxed))
		return -ECANCELED;
	if (errno == EINTR)
		return 0;
	return errno == EPIPE || errno == ECONNREFUSED ? -ECONNRESET : -errno;
}

int tw_wire_send_rest(int fd, const void *buf, size_t size, ssize_t len,
		      const atomic_int *stop)
{
	size_t done = 0;
	int err;

	for (;;) {
		err = len < 0 ? tw_wire_failed(stop) : 0;
		if (err)
			return err;
		if (len > 0)
			done += len;
		if (done == size)
			return 0;
		len = tw_wire_out(fd, (const char *)buf + done, size - done,
				  MSG_NOSIGNAL);
	}
}

int tw_wire_receive_rest(int fd, void *buf, size_t size, ssize_t len,
			 const atomic_int *stop)
{
	size_t done = 0;
	int err;

	for (;;) {
		err = len < 0 ? tw_wire_failed(stop) : 0;
		if (err)
			return err;
		if (!len)
			return -ECONNRESET;
		if (len > 0)
			done += len;
		if (done == size)
			return 0;
		len = tw_wire_in(fd, (char *)buf + done, size - done,
				 MSG_WAITALL);
	}
}
