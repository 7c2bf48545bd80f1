// SPDX-License-Identifier: GPL-2.0-or-later
/* The decoders of both messages, on 8 bytes of expected number, then input. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "measure/tw_wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		abort();
}

/* What is accepted must be what would have been sent. */
static void check_reply(const uint8_t *buf, size_t len, uint64_t seq)
{
	const struct tw_reply untouched = {
		.seq = 1, .t1_ns = 2, .t2_ns = 3, .cpu = 4,
	};
	uint8_t again[TW_REPLY_SIZE];
	struct tw_reply reply;
	int err;

	/* Padding and all. */
	memcpy(&reply, &untouched, sizeof(reply));
	err = tw_wire_get_reply(buf, len, seq, &reply);
	if (err) {
		require(err == -EMSGSIZE || err == -EBADMSG ||
			err == -EPROTO);
		require(!memcmp(&reply, &untouched, sizeof(reply)));
		return;
	}
	require(len == TW_REPLY_SIZE && reply.seq == seq);
	tw_wire_put_reply(again, &reply);
	require(!memcmp(again, buf, len));
}

static void check_request(const uint8_t *buf, size_t len, uint64_t seq)
{
	uint8_t again[TW_REQUEST_MIN];
	int err = tw_wire_get_request(buf, len, len, seq);

	require(!err || err == -EMSGSIZE || err == -EPROTO);
	require(tw_wire_get_request(buf, len, len + 1, seq) == -EMSGSIZE);
	if (err)
		return;
	require(len >= TW_REQUEST_MIN);
	tw_wire_put_request(again, seq);
	require(!memcmp(again, buf, sizeof(again)));
}

/* No random input has a right check word: give it one, then damage it. */
static void check_damage(const uint8_t *buf, size_t len, uint64_t seq)
{
	struct tw_reply reply = { .seq = seq };
	uint8_t sent[TW_REPLY_SIZE];
	size_t bit;

	if (len < 18)
		return;
	memcpy(&reply.t1_ns, buf, 8);
	memcpy(&reply.t2_ns, buf + 8, 8);
	tw_wire_put_reply(sent, &reply);
	require(!tw_wire_get_reply(sent, sizeof(sent), seq, &reply));
	bit = (buf[16] | buf[17] << 8) % (8 * sizeof(sent));
	sent[bit / 8] ^= 1 << bit % 8;
	require(tw_wire_get_reply(sent, sizeof(sent), seq, &reply) ==
		-EBADMSG);
}

/* The same of a reply with stamps. */
static void check_stamped(const uint8_t *buf, size_t len, uint64_t seq)
{
	struct tw_reply_stamps stamps = { .of = 0 };
	struct tw_reply reply = { .seq = seq };
	uint8_t sent[TW_STAMPED_SIZE], again[TW_STAMPED_SIZE];
	int err = tw_wire_get_stamped(buf, len, seq, &reply, &stamps);

	require(!err || err == -EMSGSIZE || err == -EBADMSG ||
		err == -EPROTO);
	if (!err) {
		tw_wire_put_stamped(again, &reply, &stamps);
		require(len == sizeof(again) && !memcmp(again, buf, len));
	}
	if (len < 22)
		return;
	memcpy(&stamps.rx_ns, buf, 8);
	memcpy(&stamps.snd_ns, buf + 8, 8);
	memcpy(&stamps.of, buf + 16, 4);
	tw_wire_put_stamped(sent, &reply, &stamps);
	require(!tw_wire_get_stamped(sent, sizeof(sent), seq, &reply,
				     &stamps));
	sent[buf[20] % sizeof(sent)] ^= 1 << buf[21] % 8;
	require(tw_wire_get_stamped(sent, sizeof(sent), seq, &reply,
				    &stamps) == -EBADMSG);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t seq;

	if (size < sizeof(seq))
		return 0;
	memcpy(&seq, data, sizeof(seq));
	data += sizeof(seq);
	size -= sizeof(seq);
	check_reply(data, size, seq);
	check_request(data, size, seq);
	check_damage(data, size, seq);
	check_stamped(data, size, seq);
	return 0;
}
