// SPDX-License-Identifier: GPL-2.0-or-later
/* Frames: encoded, read in chunks of any size, and what is no frame. */
#include <errno.h>
#include <string.h>

#include "host/tw_frame.h"
#include "unit.h"

static struct tw_frame_reader reader;

static int setup(void **state)
{
	(void)state;
	memset(&reader, 0x5a, sizeof(reader));
	tw_frame_reset(&reader);
	return 0;
}

static void check_next(enum tw_frame_type type, const char *body,
		       size_t length)
{
	struct tw_frame frame;

	assert_int_equal(tw_frame_next(&reader, &frame), 1);
	assert_int_equal(frame.type, type);
	assert_int_equal(frame.length, length);
	if (length)
		assert_memory_equal(frame.body, body, length);
}

static void check_none(int expected)
{
	struct tw_frame frame;

	assert_int_equal(tw_frame_next(&reader, &frame), expected);
}

static void test_bytes(void **state)
{
	static const char expected[] = "TW\2\0\0\0\0\3a=b";
	char buf[16];

	(void)state;
	assert_int_equal(tw_frame_encode(buf, 11, TW_FRAME_RUN, "a=b", 3), 11);
	assert_memory_equal(buf, expected, 11);
	assert_int_equal(tw_frame_encode(buf, 10, TW_FRAME_RUN, "a=b", 3),
			 -EMSGSIZE);
	assert_int_equal(tw_frame_encode(buf, 8, TW_FRAME_STOP, NULL, 0), 8);
	assert_memory_equal(buf, "TW\7\0\0\0\0\0", 8);
}

static void test_names(void **state)
{
	int type;

	(void)state;
	assert_null(tw_frame_name(-1));
	assert_null(tw_frame_name(0));
	assert_null(tw_frame_name(TW_FRAME_TYPES));
	assert_string_equal(tw_frame_name(TW_FRAME_HELLO), "HELLO");
	assert_string_equal(tw_frame_name(TW_FRAME_WINDOW), "WINDOW");
	for (type = TW_FRAME_HELLO; type < TW_FRAME_TYPES; type++)
		assert_non_null(tw_frame_name(type));
}

/* Three frames in chunks of @chunk bytes, each taken once it is there. */
static void check_chunks(size_t chunk)
{
	static const struct {
		enum tw_frame_type type;
		const char *body;
	} frames[] = {
		{ TW_FRAME_HELLO, "version_min=1\n" },
		{ TW_FRAME_START, "" },
		{ TW_FRAME_RESULT, "TW\1" },
	};
	char stream[64];
	struct tw_frame frame;
	size_t size = 0, at, length, got = 0;

	for (at = 0; at < 3; at++)
		size += (size_t)tw_frame_encode(stream + size,
						sizeof(stream) - size,
						frames[at].type,
						frames[at].body,
						strlen(frames[at].body));
	tw_frame_reset(&reader);
	for (at = 0; at < size; at += length) {
		length = size - at < chunk ? size - at : chunk;
		assert_int_equal(tw_frame_feed(&reader, stream + at, length),
				 length);
		while (tw_frame_next(&reader, &frame) == 1) {
			assert_int_equal(frame.type, frames[got].type);
			assert_int_equal(frame.length,
					 strlen(frames[got].body));
			assert_memory_equal(frame.body, frames[got].body,
					    frame.length);
			got++;
		}
	}
	assert_int_equal(got, 3);
	assert_int_equal(tw_frame_behind(&reader), 0);
}

static void test_chunks(void **state)
{
	size_t chunk;

	(void)state;
	for (chunk = 1; chunk <= 64; chunk++)
		check_chunks(chunk);
}

/* The largest body fits, and nothing behind it until it was taken. */
static void test_largest(void **state)
{
	static char stream[TW_FRAME_MAX], body[TW_FRAME_BODY_MAX + 1];
	size_t at;

	(void)state;
	for (at = 0; at < sizeof(body); at++)
		body[at] = (char)(at * 7);
	assert_int_equal(tw_frame_encode(stream, sizeof(stream),
					 TW_FRAME_RESULT, body,
					 TW_FRAME_BODY_MAX), TW_FRAME_MAX);
	for (at = 0; at < TW_FRAME_MAX - 1; at++) {
		assert_int_equal(tw_frame_feed(&reader, stream + at, 1), 1);
		check_none(0);
	}
	assert_int_equal(tw_frame_feed(&reader, stream + at, 1), 1);
	assert_int_equal(tw_frame_feed(&reader, "TW", 2), 0);
	assert_int_equal(tw_frame_behind(&reader), TW_FRAME_MAX);
	check_next(TW_FRAME_RESULT, body, TW_FRAME_BODY_MAX);
	assert_int_equal(tw_frame_feed(&reader, "TW", 2), 2);
	assert_int_equal(tw_frame_behind(&reader), 2);

	assert_int_equal(tw_frame_encode(stream, SIZE_MAX, TW_FRAME_RESULT,
					 body, TW_FRAME_BODY_MAX + 1),
			 -EMSGSIZE);
}

/* As soon as the header is there; and it stays. */
static void check_bad(const char *header, int err)
{
	static const char good[] = "TW\6\0\0\0\0\0";

	tw_frame_reset(&reader);
	assert_int_equal(tw_frame_feed(&reader, header, 7), 7);
	check_none(0);
	tw_frame_feed(&reader, header + 7, 1);
	check_none(err);
	tw_frame_feed(&reader, good, 8);
	check_none(err);
	tw_frame_reset(&reader);
	tw_frame_feed(&reader, good, 8);
	check_next(TW_FRAME_START, "", 0);
}

static void test_bad(void **state)
{
	(void)state;
	check_bad("tW\1\0\0\0\0\0", -EPROTO);
	check_bad("Tw\1\0\0\0\0\0", -EPROTO);
	check_bad("TW\0\0\0\0\0\0", -EPROTO);
	check_bad("TW\13\0\0\0\0\0", -EPROTO);
	check_bad("TW\377\0\0\0\0\0", -EPROTO);
	check_bad("TW\1\1\0\0\0\0", -EPROTO);
	check_bad("TW\1\0\0\0\x40\1", -EMSGSIZE);
	check_bad("TW\1\0\0\1\0\0", -EMSGSIZE);
	check_bad("TW\1\0\200\0\0\0", -EMSGSIZE);
	check_bad("TW\1\0\377\377\377\377", -EMSGSIZE);
	check_bad("SSH-2.0-", -EPROTO);
}

/* Frames before the wrong one are good. */
static void test_bad_behind_good(void **state)
{
	(void)state;
	tw_frame_feed(&reader, "TW\6\0\0\0\0\1xGET / HT", 17);
	check_next(TW_FRAME_START, "x", 1);
	check_none(-EPROTO);
}

/* Random sizes of bodies and chunks. */
static void test_random(void **state)
{
	static char body[TW_FRAME_BODY_MAX], stream[TW_FRAME_MAX];
	uint64_t seed = 20110;
	size_t length, size, at, chunk;
	struct tw_frame frame;
	int i, got;

	(void)state;
	for (i = 0; i < 200; i++) {
		length = (size_t)unit_between(&seed, 0, i % 10 ? 200 :
					      TW_FRAME_BODY_MAX);
		memset(body, i, length);
		size = (size_t)tw_frame_encode(stream, sizeof(stream),
					       TW_FRAME_BREAK, body, length);
		for (at = 0, got = 0; at < size; at += chunk) {
			chunk = (size_t)unit_between(&seed, 1, 500);
			if (chunk > size - at)
				chunk = size - at;
			chunk = tw_frame_feed(&reader, stream + at, chunk);
			got = tw_frame_next(&reader, &frame);
			assert_int_equal(got, at + chunk == size);
		}
		assert_int_equal(frame.length, length);
		assert_memory_equal(frame.body, body, length);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_bytes, setup),
		cmocka_unit_test_setup(test_names, setup),
		cmocka_unit_test_setup(test_chunks, setup),
		cmocka_unit_test_setup(test_largest, setup),
		cmocka_unit_test_setup(test_bad, setup),
		cmocka_unit_test_setup(test_bad_behind_good, setup),
		cmocka_unit_test_setup(test_random, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
