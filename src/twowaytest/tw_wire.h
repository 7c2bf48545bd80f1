/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The two messages, big-endian on the wire. A request is its sequence
 * number and padding; the reply carries the number back with t1, t2, the
 * server's CPU and a check word. Nothing that arrives is trusted: each side
 * knows the number that must come next.
 */
#ifndef TW_WIRE_H
#define TW_WIRE_H

#include <stddef.h>
#include <stdint.h>

#define TW_REQUEST_MIN	8
#define TW_REQUEST_MAX	65536
#define TW_REPLY_SIZE	40

struct tw_reply {
	uint64_t seq;
	int64_t t1_ns;
	int64_t t2_ns;
	int32_t cpu;		/* that the server was on at t1 */
};

/* Writes the number into a request buffer of at least TW_REQUEST_MIN. */
void tw_wire_put_request(void *buf, uint64_t seq);

/*
 * 0 if @buf of @len bytes is a whole request of @size bytes that carries
 * @seq; -EMSGSIZE if its length is wrong, -EPROTO if its number is.
 */
int tw_wire_get_request(const void *buf, size_t len, size_t size,
			uint64_t seq);

/* Writes a reply into a buffer of TW_REPLY_SIZE. */
void tw_wire_put_reply(void *buf, const struct tw_reply *reply);

/*
 * 0 and the reply to *reply if @buf of @len bytes is a whole, undamaged
 * reply to @seq; -EMSGSIZE if its length is wrong, -EBADMSG if the check
 * word is, -EPROTO if the number is. *reply is written only on success.
 */
int tw_wire_get_reply(const void *buf, size_t len, uint64_t seq,
		      struct tw_reply *reply);

#endif /* TW_WIRE_H */
