// SPDX-License-Identifier: GPL-2.0-or-later
/* The reply with stamps: 64 bytes, and what a receiver makes of them. */
#include <errno.h>
#include <string.h>

#include "measure/tw_wire.h"
#include "unit.h"

#define SEQ	UINT64_C(0x0102030405060708)

static const struct tw_reply sample = {
	.seq = SEQ, .t1_ns = INT64_C(0x1112131415161718),
	.t2_ns = INT64_C(0x2122232425262728), .cpu = 0x31323334,
};

static const struct tw_reply_stamps stamps = {
	.of = 0x41424344, .rx_ns = INT64_C(0x5152535455565758),
	.sched_ns = INT64_C(0x6162636465666768),
	.snd_ns = INT64_C(0x7172737475767778),
};

/* All big-endian; the last word checks the others. */
static void test_layout(void **state)
{
	static const unsigned char want[] = {
		0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08,
		0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18,
		0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28,
		0x41, 0x42, 0x43, 0x44, 0x31, 0x32, 0x33, 0x34,
		0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58,
		0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68,
		0x71, 0x72, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78,
	};
	unsigned char buf[TW_STAMPED_SIZE + 1];

	(void)state;
	assert_int_equal(TW_STAMPED_SIZE, 64);
	buf[TW_STAMPED_SIZE] = 0x5a;
	tw_wire_put_stamped(buf, &sample, &stamps);
	assert_memory_equal(buf, want, sizeof(want));
	assert_int_equal(buf[TW_STAMPED_SIZE], 0x5a);
}

static void test_round_trip(void **state)
{
	static const int64_t values[] = {
		0, 1, -1, INT64_MAX, TW_STAMP_NONE,
	};
	unsigned char buf[TW_STAMPED_SIZE + 1];
	struct tw_reply reply = sample, got;
	struct tw_reply_stamps put = stamps, stamps_got;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		reply.cpu = -(int32_t)i;
		put.of = UINT32_MAX - (uint32_t)i;
		put.rx_ns = values[i];
		put.sched_ns = values[(i + 1) % 5];
		put.snd_ns = values[(i + 2) % 5];
		/* No 64-bit alignment is needed. */
		tw_wire_put_stamped(buf + 1, &reply, &put);
		got.inversions = 9;
		assert_int_equal(tw_wire_get_stamped(buf + 1, 64, SEQ, &got,
						     &stamps_got), 0);
		assert_int_equal(got.seq, SEQ);
		assert_int_equal(got.t1_ns, reply.t1_ns);
		assert_int_equal(got.t2_ns, reply.t2_ns);
		assert_int_equal(got.cpu, reply.cpu);
		assert_int_equal(got.inversions, 0);
		assert_int_equal(stamps_got.of, put.of);
		assert_int_equal(stamps_got.rx_ns, put.rx_ns);
		assert_int_equal(stamps_got.sched_ns, put.sched_ns);
		assert_int_equal(stamps_got.snd_ns, put.snd_ns);
	}
}

/* Then nothing is stored. */
static void refused(const void *buf, size_t len, uint64_t seq, int error)
{
	struct tw_reply_stamps got_stamps = stamps;
	struct tw_reply got = sample;

	got.seq = 1;
	got_stamps.of = 2;
	assert_int_equal(tw_wire_get_stamped(buf, len, seq, &got, &got_stamps),
			 error);
	assert_int_equal(got.seq, 1);
	assert_int_equal(got.t1_ns, sample.t1_ns);
	assert_int_equal(got_stamps.of, 2);
	assert_int_equal(got_stamps.snd_ns, stamps.snd_ns);
}

static void test_refused(void **state)
{
	unsigned char buf[TW_STAMPED_SIZE + 8] = { 0 };
	size_t len;

	(void)state;
	refused(buf, 64, 0, -EBADMSG);
	tw_wire_put_stamped(buf, &sample, &stamps);
	for (len = 0; len <= sizeof(buf); len++)
		if (len != 64)
			refused(buf, len, SEQ, -EMSGSIZE);
	refused(buf, 64, SEQ - 1, -EPROTO);
	refused(buf, 64, SEQ + 1, -EPROTO);
}

static void test_damaged(void **state)
{
	unsigned char buf[TW_STAMPED_SIZE];
	int bit;

	(void)state;
	tw_wire_put_stamped(buf, &sample, &stamps);
	for (bit = 0; bit < 64 * 8; bit++) {
		buf[bit / 8] ^= (unsigned char)(1 << bit % 8);
		refused(buf, 64, SEQ, -EBADMSG);
		buf[bit / 8] ^= (unsigned char)(1 << bit % 8);
	}
}

/* Neither side takes the other's kind of reply for its own. */
static void test_other_kind(void **state)
{
	unsigned char buf[TW_STAMPED_SIZE] = { 0 };
	struct tw_reply got;

	(void)state;
	tw_wire_put_stamped(buf, &sample, &stamps);
	assert_int_equal(tw_wire_get_reply(buf, 64, SEQ, &got), -EMSGSIZE);
	assert_int_equal(tw_wire_get_reply(buf, 40, SEQ, &got), -EBADMSG);
	tw_wire_put_reply(buf, &sample);
	refused(buf, 40, SEQ, -EMSGSIZE);
	refused(buf, 64, SEQ, -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_other_kind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
