/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The two messages, in big-endian byte order. A request contains its number and
 * padding. A reply contains the same number, t1, t2, the CPU of the server with
 * a count of inversions, and a checksum. With --stamps, it has the server's
 * kernel timestamps of an earlier cycle, too. The receiver trusts nothing: it
 * knows which number has to come next.
 */
#ifndef TW_WIRE_H
#define TW_WIRE_H

#include <stddef.h>
#include <stdint.h>

#define TW_REQUEST_MIN	8
#define TW_REQUEST_MAX	65536
#define TW_REPLY_SIZE	40
#define TW_STAMPED_SIZE	64	/* of a reply with stamps */

struct tw_reply {
	uint64_t seq;
	int64_t t1_ns;
	int64_t t2_ns;
	int32_t cpu;		/* CPU of the server after t1 */
	/* One server for many: see struct tw_served; as it was at t1. */
	uint32_t inversions;
};

/* In place of a kernel timestamp: there is none. */
#define TW_STAMP_NONE	INT64_MIN

/*
 * The server's kernel timestamps of an earlier cycle, on its measuring clock:
 * those of a reply are known only after it was sent.
 */
struct tw_reply_stamps {
	uint32_t of;		/* number of that cycle, low half; 0: none */
	int64_t rx_ns;		/* of the request */
	int64_t sched_ns;	/* of the reply, entering the scheduler */
	int64_t snd_ns;		/* of the reply, at the driver */
};

/* The number in a message of at least 8 bytes, checked or not. */
uint64_t tw_wire_seq(const void *buf);

/* Writes a request to @buf, at least TW_REQUEST_MIN bytes. */
void tw_wire_put_request(void *buf, uint64_t seq);

/*
 * Checks a request of @len bytes. Returns 0 if it has @size bytes and the
 * number @seq; -EMSGSIZE: wrong length; -EPROTO: wrong number.
 */
int tw_wire_get_request(const void *buf, size_t len, size_t size,
			uint64_t seq);

/* Writes a reply to @buf, TW_REPLY_SIZE bytes. */
void tw_wire_put_reply(void *buf, const struct tw_reply *reply);

/*
 * Checks a reply of @len bytes and stores it in *reply. Returns 0; -EMSGSIZE:
 * wrong length; -EBADMSG: wrong checksum; -EPROTO: the number is not @seq.
 * After an error, *reply is unchanged.
 */
int tw_wire_get_reply(const void *buf, size_t len, uint64_t seq,
		      struct tw_reply *reply);

/*
 * The same for a reply with stamps, TW_STAMPED_SIZE bytes. It has no room for
 * inversions: the server has one client.
 */
void tw_wire_put_stamped(void *buf, const struct tw_reply *reply,
			 const struct tw_reply_stamps *stamps);
int tw_wire_get_stamped(const void *buf, size_t len, uint64_t seq,
			struct tw_reply *reply,
			struct tw_reply_stamps *stamps);

#endif /* TW_WIRE_H */
