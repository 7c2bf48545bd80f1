/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's timestamps of packets (SO_TIMESTAMPING, in software): of a
 * message received, and of a message sent. All are of CLOCK_REALTIME, in ns;
 * TW_STAMP_NONE: there is none. tw_stamped.h makes results of them.
 *
 *	rx	the packet comes from the driver
 *	sched	it enters the packet scheduler
 *	snd	the driver takes it
 *
 * Those of a message sent wait in the socket's error queue. Each has a number
 * that the kernel counts: of TCP the bytes sent, and it is that of the
 * message's last byte; of UDP the datagrams. Of a message in several packets,
 * the stamps are those of the last one.
 */
#ifndef TW_STAMPS_H
#define TW_STAMPS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "measure/tw_io.h"
#include "measure/tw_wire.h"

enum tw_stamps_mode {
	TW_STAMPS_OFF,
	TW_STAMPS_RX,		/* rx alone */
	TW_STAMPS_ALL
};

/* A set of stamps: bits. */
#define TW_STAMPS_HAS_RX	1u
#define TW_STAMPS_HAS_SCHED	2u
#define TW_STAMPS_HAS_SND	4u

/* A message received, and what the kernel says of it. */
struct tw_stamps_in {
	struct msghdr msg;
	struct iovec iov;
	_Alignas(struct cmsghdr) char control[128];
};

/* The stamps of the message sent that has the number @id. */
struct tw_stamps_out {
	uint32_t id;
	int64_t sched_ns;
	int64_t snd_ns;
};

/*
 * Asks for the stamps of @mode on a socket that is connected. Returns 0; or
 * -errno, -EINVAL or -ENOPROTOOPT if the kernel knows none of that.
 */
int tw_stamps_enable(int fd, enum tw_stamps_mode mode);

/*
 * Called before the first message: numbers begin anew. Stores what would be the
 * number of the message before in *id. Returns 0 or -errno; a socket without
 * numbers has nothing to begin.
 */
int tw_stamps_begin(int fd, uint32_t *id);

/* As recv(), and its errors; one system call. @more: a struct tw_stamps_in. */
static inline ssize_t tw_stamps_recv(int fd, void *buf, size_t size, int flags,
				     void *more)
{
	struct tw_stamps_in *in = more;

	in->iov = (struct iovec) { buf, size };
	in->msg = (struct msghdr) {
		.msg_iov = &in->iov, .msg_iovlen = 1,
		.msg_control = in->control,
		.msg_controllen = sizeof(in->control),
	};
	return recvmsg(fd, &in->msg, flags);
}

/* As tw_io_receive(). */
static inline ssize_t tw_stamps_receive(int fd, void *buf, size_t size,
					const atomic_int *stop,
					struct tw_stamps_in *in)
{
	return tw_io_receive_by(fd, buf, size, stop, tw_stamps_recv, in);
}

/* The stamp in what a recvmsg() has stored. */
int64_t tw_stamps_get(const struct msghdr *msg);

/*
 * Stores a message of the error queue in *out, if it is a stamp of out->id.
 * Returns false if it is not: that of an earlier message, come late.
 */
bool tw_stamps_put(struct tw_stamps_out *out, const struct msghdr *msg);

/*
 * Empties the error queue, without waiting, and stores the stamps of out->id.
 * One system call, unless more than four messages are there.
 */
void tw_stamps_collect(int fd, struct tw_stamps_out *out);

/*
 * A test, before the measurement: one end says a message, the other hears it.
 * Each waits 0.1 s at the most and returns the set of @mode's stamps that came
 * at its own end, or -errno. *id: the number of that message, if there was one.
 */
int tw_stamps_say(int fd, enum tw_stamps_mode mode, uint32_t *id);
int tw_stamps_hear(int fd, enum tw_stamps_mode mode);

#endif /* TW_STAMPS_H */
