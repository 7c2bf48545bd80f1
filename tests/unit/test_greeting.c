// SPDX-License-Identifier: GPL-2.0-or-later
/* The state machine of a connection to the front, fed with bytes. */
#include <errno.h>
#include <stdio.h>

#include "hello.h"

static struct tw_greeting greeting;
static char stream[2 * TW_FRAME_MAX];

static int setup(void **state)
{
	(void)state;
	memset(&greeting, 0x5a, sizeof(greeting));
	tw_greeting_init(&greeting, &hello_ours);
	return 0;
}

static void check_reply(enum tw_frame_type type, const char *body)
{
	struct tw_frame_reader reader;
	struct tw_frame frame;

	tw_frame_reset(&reader);
	tw_frame_feed(&reader, greeting.reply, greeting.reply_length);
	assert_int_equal(tw_frame_next(&reader, &frame), 1);
	assert_int_equal(frame.type, type);
	assert_int_equal(frame.length, strlen(body));
	assert_memory_equal(frame.body, body, frame.length);
	assert_int_equal(tw_frame_behind(&reader), 0);
	greeting.reply_length = 0;
}

static void check_hello(void)
{
	check_reply(TW_FRAME_HELLO, "version_min=2\nversion_max=3\n");
}

static void check_run(const char *body)
{
	assert_int_equal(greeting.version, 3);
	assert_int_equal(greeting.reason, TW_FRONT_OPEN);
	assert_int_equal(greeting.run.type, TW_FRAME_RUN);
	assert_int_equal(greeting.run.length, strlen(body));
	assert_memory_equal(greeting.run.body, body, strlen(body));
}

/* RUN comes once our HELLO has arrived there. */
static void test_in_turn(void **state)
{
	size_t size = hello_add(stream, 0, TW_FRAME_HELLO, HELLO_2_TO_5);

	(void)state;
	assert_int_equal(tw_greeting_feed(&greeting, stream, size), 0);
	check_hello();
	size = hello_add(stream, 0, TW_FRAME_RUN, "size=64\npairs=1\n");
	assert_int_equal(tw_greeting_feed(&greeting, stream, size), 1);
	assert_int_equal(greeting.reply_length, 0);
	check_run("size=64\npairs=1\n");
}

/* The answer comes once HELLO is complete; RUN may follow at once. */
static void test_bytes(void **state)
{
	size_t size = hello_good(stream);
	size_t hello = hello_add(stream + size, 0, TW_FRAME_HELLO,
				 HELLO_2_TO_5);
	size_t i;

	(void)state;
	for (i = 0; i < size - 1; i++) {
		assert_int_equal(tw_greeting_feed(&greeting, stream + i, 1),
				 0);
		assert_int_equal(greeting.reply_length != 0, i == hello - 1);
		if (greeting.reply_length)
			check_hello();
	}
	assert_int_equal(tw_greeting_feed(&greeting, stream + i, 1), 1);
	check_run("pairs=1\n");
}

static void test_at_once(void **state)
{
	size_t size = hello_good(stream);

	(void)state;
	assert_int_equal(tw_greeting_feed(&greeting, stream, size), 1);
	check_hello();
	check_run("pairs=1\n");
	assert_int_equal(tw_greeting_feed(&greeting, stream, 0), 0);
}

static void test_largest(void **state)
{
	static char body[TW_FRAME_BODY_MAX + 1];
	size_t size = hello_add(stream, 0, TW_FRAME_HELLO, HELLO_2_TO_5);

	(void)state;
	memset(body, 'x', TW_FRAME_BODY_MAX);
	size = hello_add(stream, size, TW_FRAME_RUN, body);
	assert_int_equal(tw_greeting_feed(&greeting, stream, size), 1);
	check_run(body);
	setup(NULL);
	stream[size] = 'T';
	assert_int_equal(tw_greeting_feed(&greeting, stream, size + 1),
			 -EPROTO);
	assert_int_equal(greeting.reason, TW_FRONT_EXTRA_BYTES);
}

static void check_versions(int min, int max, unsigned int version)
{
	char body[64];
	size_t size;

	setup(NULL);
	snprintf(body, sizeof(body), "version_min=%d\nversion_max=%d\n", min,
		 max);
	size = hello_add(stream, 0, TW_FRAME_HELLO, body);
	assert_int_equal(tw_greeting_feed(&greeting, stream, size),
			 version ? 0 : -EPROTO);
	assert_int_equal(greeting.version, version);
	if (version) {
		check_hello();
		return;
	}
	assert_int_equal(greeting.reason, TW_FRONT_VERSION);
	snprintf(body, sizeof(body), ", the client %d to %d\n", min, max);
	assert_non_null(memmem(greeting.reply, greeting.reply_length, body,
			       strlen(body)));
}

static void test_versions(void **state)
{
	(void)state;
	check_versions(1, 1, 0);
	check_versions(1, 2, 2);
	check_versions(1, 3, 3);
	check_versions(1, 4, 3);
	check_versions(2, 2, 2);
	check_versions(3, 9, 3);
	check_versions(4, 65535, 0);
}

/* Both say what they speak. */
static void test_no_version(void **state)
{
	size_t size = hello_add(stream, 0, TW_FRAME_HELLO,
				"version_min=4\nversion_max=4\n");

	(void)state;
	/* Nothing behind it is looked at. */
	size = hello_add(stream, size, TW_FRAME_RUN, "pairs=1\n");
	assert_int_equal(tw_greeting_feed(&greeting, stream, size), -EPROTO);
	check_reply(TW_FRAME_REFUSE,
		    "text=the server speaks versions 2 to 3 of the protocol, the client 4 to 4\n");
}

/* What a later version may add. */
static void test_new_key(void **state)
{
	size_t size = hello_add(stream, 0, TW_FRAME_HELLO,
				HELLO_2_TO_5 "program=new\n");

	(void)state;
	assert_int_equal(tw_greeting_feed(&greeting, stream, size), 0);
	check_hello();
}

static void check_refused(size_t size, enum tw_front_reason reason)
{
	assert_int_equal(tw_greeting_feed(&greeting, stream, size), -EPROTO);
	assert_int_equal(greeting.reason, reason);
	assert_int_equal(greeting.reply_length, 0);
	setup(NULL);
}

static void test_bad_hello(void **state)
{
	static const char *const bodies[] = {
		"", "version_min=1\n", "version_max=3\n",
		"version_min=0\nversion_max=3\n",
		"version_min=1\nversion_max=65536\n",
		"version_min=3\nversion_max=2\n",
		"version_min=1\nversion_max=x\n",
		"version_min=1\nversion_max=3",
		"version_min=1\nversion_max=3\nx\n",
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bodies) / sizeof(*bodies); i++)
		check_refused(hello_add(stream, 0, TW_FRAME_HELLO, bodies[i]),
			      TW_FRONT_BAD_HELLO);
}

/* Each type has its turn, and only then. */
static void test_turns(void **state)
{
	size_t hello = hello_add(stream, 0, TW_FRAME_HELLO, HELLO_2_TO_5);
	int type;

	(void)state;
	for (type = TW_FRAME_HELLO; type < TW_FRAME_TYPES; type++) {
		if (type != TW_FRAME_RUN) {
			assert_int_equal(tw_greeting_feed(&greeting, stream,
							  hello), 0);
			greeting.reply_length = 0;
			hello_add(stream + hello, 0, (enum tw_frame_type)type,
				  HELLO_2_TO_5);
			memmove(stream, stream + hello, hello);
			check_refused(hello, TW_FRONT_BAD_FRAME);
		}
		if (type != TW_FRAME_HELLO)
			check_refused(hello_add(stream, 0,
						(enum tw_frame_type)type,
						HELLO_2_TO_5),
				      TW_FRONT_BAD_FRAME);
		hello_add(stream, 0, TW_FRAME_HELLO, HELLO_2_TO_5);
	}
}

static void test_no_frame(void **state)
{
	(void)state;
	strcpy(stream, "GET / HTTP/1.1\r\n");
	check_refused(strlen(stream), TW_FRONT_BAD_FRAME);
	memcpy(stream, "TW\1\0\0\0\x40\1", 8);
	check_refused(8, TW_FRONT_BAD_FRAME);
	memset(stream, 0, sizeof(stream));
	check_refused(sizeof(stream), TW_FRONT_BAD_FRAME);
}

static void test_behind_run(void **state)
{
	size_t size = hello_good(stream);

	(void)state;
	stream[size] = 'T';
	assert_int_equal(tw_greeting_feed(&greeting, stream, size + 1),
			 -EPROTO);
	assert_int_equal(greeting.reason, TW_FRONT_EXTRA_BYTES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_in_turn, setup),
		cmocka_unit_test_setup(test_bytes, setup),
		cmocka_unit_test_setup(test_at_once, setup),
		cmocka_unit_test_setup(test_largest, setup),
		cmocka_unit_test_setup(test_versions, setup),
		cmocka_unit_test_setup(test_no_version, setup),
		cmocka_unit_test_setup(test_new_key, setup),
		cmocka_unit_test_setup(test_bad_hello, setup),
		cmocka_unit_test_setup(test_turns, setup),
		cmocka_unit_test_setup(test_no_frame, setup),
		cmocka_unit_test_setup(test_behind_run, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
