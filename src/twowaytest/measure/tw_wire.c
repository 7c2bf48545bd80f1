// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Encodes, decodes and checks the two messages. All fields have 8 bytes.
 *
 *	request: seq, padding (ignored)
 *	reply:   seq, t1, t2, inversions (high half) and CPU, checksum
 *	stamped: seq, t1, t2, cycle of the stamps (high half) and CPU,
 *		 rx, sched, snd, checksum
 */
#include <endian.h>
#include <errno.h>
#include <string.h>

#include "measure/tw_wire.h"

#define WORD	sizeof(uint64_t)
#define FIELDS	(TW_REPLY_SIZE / WORD - 1)
#define STAMPED	(TW_STAMPED_SIZE / WORD - 1)

/* memcpy: a buffer need not be aligned for 64 bits. */
static void put_word(void *buf, size_t index, uint64_t value)
{
	uint64_t be = htobe64(value);

	memcpy((char *)buf + index * WORD, &be, WORD);
}

static uint64_t get_word(const void *buf, size_t index)
{
	uint64_t be;

	memcpy(&be, (const char *)buf + index * WORD, WORD);
	return be64toh(be);
}

/*
 * Detects accidental damage, not manipulation. Every step is a bijection, so
 * any change within a single word changes the result. The shift carries high
 * bits down, the odd factor low bits up. With the start value ("twowayte"), a
 * message of zeros is not valid.
 */
static inline uint64_t check_word(const void *buf, size_t fields)
{
	uint64_t check = UINT64_C(0x74776f7761797465);
	size_t i;

	for (i = 0; i < fields; i++) {
		check ^= get_word(buf, i);
		check *= UINT64_C(0x9e3779b97f4a7c15);
		check ^= check >> 32;
	}
	return check;
}

uint64_t tw_wire_seq(const void *buf)
{
	return get_word(buf, 0);
}

void tw_wire_put_request(void *buf, uint64_t seq)
{
	put_word(buf, 0, seq);
}

int tw_wire_get_request(const void *buf, size_t len, size_t size,
			uint64_t seq)
{
	if (len != size || len < TW_REQUEST_MIN)
		return -EMSGSIZE;
	return get_word(buf, 0) == seq ? 0 : -EPROTO;
}

/* What both kinds of reply begin with; @upper: above the CPU. */
static inline void put_times(void *buf, const struct tw_reply *reply,
			     uint32_t upper)
{
	put_word(buf, 0, reply->seq);
	put_word(buf, 1, (uint64_t)reply->t1_ns);
	put_word(buf, 2, (uint64_t)reply->t2_ns);
	put_word(buf, 3, (uint64_t)upper << 32 | (uint32_t)reply->cpu);
}

/* Checks a reply whose checksum is behind @fields; returns as its caller. */
static inline int get_times(const void *buf, size_t len, size_t fields,
			    uint64_t seq, struct tw_reply *reply)
{
	if (len != (fields + 1) * WORD)
		return -EMSGSIZE;
	if (get_word(buf, fields) != check_word(buf, fields))
		return -EBADMSG;
	if (get_word(buf, 0) != seq)
		return -EPROTO;
	reply->seq = seq;
	reply->t1_ns = (int64_t)get_word(buf, 1);
	reply->t2_ns = (int64_t)get_word(buf, 2);
	reply->cpu = (int32_t)get_word(buf, 3);
	reply->inversions = (uint32_t)(get_word(buf, 3) >> 32);
	return 0;
}

void tw_wire_put_reply(void *buf, const struct tw_reply *reply)
{
	put_times(buf, reply, reply->inversions);
	put_word(buf, FIELDS, check_word(buf, FIELDS));
}

int tw_wire_get_reply(const void *buf, size_t len, uint64_t seq,
		      struct tw_reply *reply)
{
	return get_times(buf, len, FIELDS, seq, reply);
}

void tw_wire_put_stamped(void *buf, const struct tw_reply *reply,
			 const struct tw_reply_stamps *stamps)
{
	put_times(buf, reply, stamps->of);
	put_word(buf, 4, (uint64_t)stamps->rx_ns);
	put_word(buf, 5, (uint64_t)stamps->sched_ns);
	put_word(buf, 6, (uint64_t)stamps->snd_ns);
	put_word(buf, STAMPED, check_word(buf, STAMPED));
}

int tw_wire_get_stamped(const void *buf, size_t len, uint64_t seq,
			struct tw_reply *reply,
			struct tw_reply_stamps *stamps)
{
	int err = get_times(buf, len, STAMPED, seq, reply);

	if (err)
		return err;
	/* It is where the others have inversions. */
	stamps->of = reply->inversions;
	stamps->rx_ns = (int64_t)get_word(buf, 4);
	stamps->sched_ns = (int64_t)get_word(buf, 5);
	stamps->snd_ns = (int64_t)get_word(buf, 6);
	reply->inversions = 0;
	return 0;
}
