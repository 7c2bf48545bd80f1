// SPDX-License-Identifier: GPL-2.0-or-later
/* The two messages, whole and in every way damaged. */
#include <errno.h>
#include <string.h>

#include "measure/tw_wire.h"
#include "unit.h"

#define SEQ	UINT64_C(0x0102030405060708)

static const struct tw_reply sample = {
	.seq = SEQ, .t1_ns = INT64_C(0x1112131415161718), .t2_ns = -2,
	.cpu = 0x21222324,
};

static void flip(unsigned char *buf, unsigned int bit)
{
	buf[bit / 8] ^= 1U << bit % 8;
}

static void test_request_layout(void **state)
{
	static const unsigned char want[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
	unsigned char buf[] = { 0, 0, 0, 0, 0, 0, 0, 0, 9 };

	(void)state;
	tw_wire_put_request(buf, SEQ);
	assert_memory_equal(buf, want, sizeof(want));
}

static void test_request_sizes(void **state)
{
	static unsigned char buf[TW_REQUEST_MAX + 2];
	static const size_t sizes[] = {
		TW_REQUEST_MIN, 9, 64, 1500, TW_REQUEST_MAX,
	};
	size_t i;

	(void)state;
	/* Off by one, so that it is not aligned. */
	tw_wire_put_request(buf + 1, SEQ);
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		size_t n = sizes[i];

		assert_int_equal(tw_wire_get_request(buf + 1, n, n, SEQ), 0);
		assert_int_equal(tw_wire_get_request(buf + 1, n, n + 1, SEQ),
				 -EMSGSIZE);
		assert_int_equal(tw_wire_get_request(buf + 1, n + 1, n, SEQ),
				 -EMSGSIZE);
	}
}

static void test_request_truncated(void **state)
{
	unsigned char buf[16] = { 0 };
	size_t len;

	(void)state;
	tw_wire_put_request(buf, SEQ);
	for (len = 0; len < sizeof(buf); len++)
		assert_int_equal(tw_wire_get_request(buf, len, sizeof(buf),
						     SEQ), -EMSGSIZE);
	/* Not even if such a size had been agreed on. */
	for (len = 0; len < TW_REQUEST_MIN; len++)
		assert_int_equal(tw_wire_get_request(buf, len, len, SEQ),
				 -EMSGSIZE);
}

static void test_request_damaged(void **state)
{
	unsigned char buf[TW_REQUEST_MIN];
	unsigned int bit;

	(void)state;
	tw_wire_put_request(buf, SEQ);
	for (bit = 0; bit < 8 * sizeof(buf); bit++) {
		flip(buf, bit);
		assert_int_equal(tw_wire_get_request(buf, sizeof(buf),
						     sizeof(buf), SEQ),
				 -EPROTO);
		flip(buf, bit);
	}
	assert_int_equal(tw_wire_get_request(buf, sizeof(buf), sizeof(buf),
					     SEQ), 0);
	assert_int_equal(tw_wire_get_request(buf, sizeof(buf), sizeof(buf),
					     SEQ + 1), -EPROTO);
}

static void test_reply_layout(void **state)
{
	static const unsigned char want[] = {
		1, 2, 3, 4, 5, 6, 7, 8,
		0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18,
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe,
		0, 0, 0, 0, 0x21, 0x22, 0x23, 0x24,
	};
	unsigned char buf[TW_REPLY_SIZE];

	(void)state;
	/* And a check word behind. */
	assert_int_equal(sizeof(buf), sizeof(want) + 8);
	tw_wire_put_reply(buf, &sample);
	assert_memory_equal(buf, want, sizeof(want));
}

/* Both hosts must compute the same: the value is part of the protocol. */
static void test_reply_check_word(void **state)
{
	static const unsigned char want[] = {
		0x98, 0xd4, 0xf8, 0x5e, 0x37, 0x13, 0xd9, 0x3b,
	};
	unsigned char buf[TW_REPLY_SIZE];

	(void)state;
	tw_wire_put_reply(buf, &sample);
	assert_memory_equal(buf + TW_REPLY_SIZE - sizeof(want), want,
			    sizeof(want));
}

static void test_reply_round_trip(void **state)
{
	unsigned char buf[TW_REPLY_SIZE + 1];
	uint64_t seed = 2;
	int i;

	(void)state;
	for (i = 0; i < 10000; i++) {
		struct tw_reply got;
		const struct tw_reply put = {
			.seq = unit_random(&seed),
			.t1_ns = (int64_t)unit_random(&seed),
			.t2_ns = (int64_t)unit_random(&seed),
			.cpu = (int32_t)unit_random(&seed),
		};

		tw_wire_put_reply(buf + 1, &put);
		assert_int_equal(tw_wire_get_reply(buf + 1, TW_REPLY_SIZE,
						   put.seq, &got), 0);
		assert_int_equal(got.seq, put.seq);
		assert_int_equal(got.t1_ns, put.t1_ns);
		assert_int_equal(got.t2_ns, put.t2_ns);
		assert_int_equal(got.cpu, put.cpu);
	}
}

/* Decoding must give @error and keep its hands off the reply. */
static void refused(const unsigned char *buf, size_t len, uint64_t seq,
		    int error)
{
	const struct tw_reply before = {
		.seq = 1, .t1_ns = 2, .t2_ns = 3, .cpu = 4,
	};
	struct tw_reply got;

	memcpy(&got, &before, sizeof(got));
	assert_int_equal(tw_wire_get_reply(buf, len, seq, &got), error);
	assert_memory_equal(&got, &before, sizeof(got));
}

static void test_reply_wrong_length(void **state)
{
	unsigned char buf[TW_REPLY_SIZE + 8] = { 0 };
	size_t len;

	(void)state;
	tw_wire_put_reply(buf, &sample);
	for (len = 0; len <= sizeof(buf); len++)
		if (len != TW_REPLY_SIZE)
			refused(buf, len, SEQ, -EMSGSIZE);
}

static void test_reply_wrong_number(void **state)
{
	unsigned char buf[TW_REPLY_SIZE];

	(void)state;
	tw_wire_put_reply(buf, &sample);
	refused(buf, sizeof(buf), SEQ - 1, -EPROTO);
	refused(buf, sizeof(buf), SEQ + 1, -EPROTO);
	refused(buf, sizeof(buf), 0, -EPROTO);
}

static void test_reply_blank(void **state)
{
	unsigned char buf[TW_REPLY_SIZE];

	(void)state;
	memset(buf, 0, sizeof(buf));
	refused(buf, sizeof(buf), 0, -EBADMSG);
	memset(buf, 0xff, sizeof(buf));
	refused(buf, sizeof(buf), UINT64_MAX, -EBADMSG);
}

/* One word holds both: neither sign nor size of the one is in the other. */
static void test_reply_inversions(void **state)
{
	static const struct { int32_t cpu; uint32_t inversions; } rows[] = {
		{ 0, 0 }, { 0, 1 }, { -1, 0 }, { -1, UINT32_MAX },
		{ INT32_MIN, 7 }, { INT32_MAX, UINT32_MAX - 1 },
		{ 5, 0x80000000 },
	};
	unsigned char buf[TW_REPLY_SIZE];
	struct tw_reply put = sample, got;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		put.cpu = rows[i].cpu;
		put.inversions = rows[i].inversions;
		tw_wire_put_reply(buf, &put);
		assert_int_equal(tw_wire_get_reply(buf, sizeof(buf), SEQ,
						   &got), 0);
		assert_int_equal(got.cpu, rows[i].cpu);
		assert_int_equal(got.inversions, rows[i].inversions);
	}
}

/* The high half of the fourth word; the CPU is in the other. */
static void test_reply_inversions_layout(void **state)
{
	static const unsigned char want[] = {
		0x25, 0x26, 0x27, 0x28, 0x21, 0x22, 0x23, 0x24,
	};
	unsigned char buf[TW_REPLY_SIZE], without[TW_REPLY_SIZE];
	struct tw_reply reply = sample;

	(void)state;
	tw_wire_put_reply(without, &reply);
	reply.inversions = 0x25262728;
	tw_wire_put_reply(buf, &reply);
	assert_memory_equal(buf, without, 24);
	assert_memory_equal(buf + 24, want, sizeof(want));
	/* The check word is of all. */
	memcpy(buf + 24, without + 24, sizeof(want));
	refused(buf, sizeof(buf), SEQ, -EBADMSG);
}

/* Every bit alone, and every two. */
static void test_reply_damaged(void **state)
{
	unsigned char buf[TW_REPLY_SIZE];
	const unsigned int bits = 8 * sizeof(buf);
	unsigned int one, two;

	(void)state;
	tw_wire_put_reply(buf, &sample);
	for (one = 0; one < bits; one++) {
		flip(buf, one);
		refused(buf, sizeof(buf), SEQ, -EBADMSG);
		for (two = one + 1; two < bits; two++) {
			flip(buf, two);
			refused(buf, sizeof(buf), SEQ, -EBADMSG);
			flip(buf, two);
		}
		flip(buf, one);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_request_layout),
		cmocka_unit_test(test_request_sizes),
		cmocka_unit_test(test_request_truncated),
		cmocka_unit_test(test_request_damaged),
		cmocka_unit_test(test_reply_layout),
		cmocka_unit_test(test_reply_check_word),
		cmocka_unit_test(test_reply_round_trip),
		cmocka_unit_test(test_reply_wrong_length),
		cmocka_unit_test(test_reply_wrong_number),
		cmocka_unit_test(test_reply_blank),
		cmocka_unit_test(test_reply_inversions),
		cmocka_unit_test(test_reply_inversions_layout),
		cmocka_unit_test(test_reply_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
