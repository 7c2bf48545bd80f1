// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What another host may send. The first byte says what is read: 0 frames, 1
 * lines of keys, 2 the first frames of a connection, 3 a list of who may
 * connect. The second one is the size of chunks, or version and flags.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/keys.h"
#include "host/tw_front.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		abort();
}

/* What is printed is for a terminal, and ends in its buffer. */
static void require_text(const char *text, size_t size)
{
	size_t length = strnlen(text, size);

	require(length < size && tw_keys_printable(text, length));
}

/*
 * All frames, in chunks of @chunk bytes: each is encoded again at @again.
 * Returns the bytes that were frames; *err: what stopped the reader.
 */
static size_t read_frames(const uint8_t *data, size_t size, size_t chunk,
			  char *again, int *err)
{
	static struct tw_frame_reader reader;
	struct tw_frame frame;
	size_t length, used = 0;
	int got = 0;

	tw_frame_reset(&reader);
	while (size && got >= 0) {
		length = tw_frame_feed(&reader, data,
				       size < chunk ? size : chunk);
		data += length;
		size -= length;
		while ((got = tw_frame_next(&reader, &frame)) > 0) {
			got = tw_frame_encode(again + used, TW_FRAME_MAX,
					      frame.type, frame.body,
					      frame.length);
			require(got > 0);
			used += (size_t)got;
		}
		require(length || got < 0);
		require(got < 0 || tw_frame_behind(&reader) < TW_FRAME_MAX);
	}
	*err = got;
	return used;
}

/* Chunks make no difference; what is accepted is what would be sent. */
static void check_frames(const uint8_t *data, size_t size, size_t chunk)
{
	static char again[2][1 << 20];
	size_t used[2];
	int err[2];

	if (size > sizeof(again[0]) - TW_FRAME_MAX)
		return;
	used[0] = read_frames(data, size, size, again[0], &err[0]);
	used[1] = read_frames(data, size, chunk, again[1], &err[1]);
	require(err[0] == err[1] && used[0] == used[1]);
	require(err[0] == 0 || err[0] == -EPROTO || err[0] == -EMSGSIZE);
	require(!memcmp(data, again[0], used[0]));
	require(!memcmp(data, again[1], used[1]));
}

static void print_json(const struct values *values)
{
	static FILE *null;
	struct tw_json json;

	if (!null)
		null = fopen("/dev/null", "w");
	tw_json_open(&json, null, 0);
	tw_keys_json(&json, value_keys, values);
	tw_json_close(&json);
}

/* What is accepted can be encoded; this decodes to the same again. */
static void check_round(const struct values *values, unsigned int version)
{
	static char body[2][4096];
	struct tw_keys_notes notes = { .why = "" };
	struct values again;
	int length;

	print_json(values);
	length = tw_keys_encode(value_keys, values, version, body[0],
				sizeof(body[0]));
	require(length > 0);
	set_values(&again);
	again.transport = -1;
	require(!tw_keys_decode(value_keys, &again, version, body[0],
				(size_t)length, &notes));
	require(tw_keys_encode(value_keys, &again, version, body[1],
			       sizeof(body[1])) == length);
	require(!memcmp(body[0], body[1], (size_t)length));
}

static void check_keys(const uint8_t *data, size_t size, uint8_t flags)
{
	struct tw_keys_notes notes = { .list_unknown = flags & 4 };
	unsigned int version = flags & 3;
	struct values values;
	int err;

	set_values(&values);
	err = tw_keys_decode(value_keys, &values, version, (const char *)data,
			     size, &notes);
	require_text(notes.why, sizeof(notes.why));
	require_text(notes.unknown, sizeof(notes.unknown));
	require(!err == !notes.why[0]);
	require(!err || err == -EPROTO || err == -EINVAL);
	require(notes.list_unknown || !notes.unknown_count);
	if (!err)
		check_round(&values, version);
}

/* In chunks; the answers go to *replied. */
static int greet(struct tw_greeting *greeting, const uint8_t *data,
		 size_t size, size_t chunk, size_t *replied)
{
	const struct tw_versions ours = { 2, 3 };
	size_t length;
	int got = 0;

	*replied = 0;
	tw_greeting_init(greeting, &ours);
	for (; size && !got; size -= length, data += length) {
		length = size < chunk ? size : chunk;
		got = tw_greeting_feed(greeting, data, length);
		*replied += greeting->reply_length;
		require(greeting->reply_length <= sizeof(greeting->reply));
		greeting->reply_length = 0;
	}
	/* As the front does: RUN was the last that came. */
	if (got > 0 && size) {
		greeting->reason = TW_FRONT_EXTRA_BYTES;
		got = -EPROTO;
	}
	return got;
}

static void check_greeting(const uint8_t *data, size_t size, size_t chunk)
{
	static struct tw_greeting one, other;
	size_t replied[2];
	int got = greet(&one, data, size, size, &replied[0]);

	require(greet(&other, data, size, chunk, &replied[1]) == got);
	require(one.reason == other.reason && one.version == other.version);
	require(replied[0] == replied[1]);
	require(got == 0 || got == 1 || got == -EPROTO);
	require((got < 0) == (one.reason != TW_FRONT_OPEN));
	/* Nobody who has not said which version gets further. */
	require(got <= 0 || (one.version >= 2 && one.version <= 3));
	if (got > 0)
		require(one.run.length == other.run.length &&
			!memcmp(one.run.body, other.run.body,
				one.run.length));
}

static void check_allow(const uint8_t *data, size_t size)
{
	static struct tw_allow allow;
	union tw_address address = { .any.sa_family = AF_INET };
	char text[2048], why[200] = "";
	unsigned int i;
	bool good;

	if (size >= sizeof(text))
		return;
	memcpy(text, data, size);
	text[size] = '\0';
	good = !tw_allow_parse(text, &allow, why, sizeof(why));
	require_text(why, sizeof(why));
	require(good == !why[0]);
	for (i = 0; good && i < allow.count; i++) {
		address.any.sa_family =
			(sa_family_t)allow.entries[i].family;
		memcpy(address.any.sa_family == AF_INET ?
		       (void *)&address.in.sin_addr :
		       (void *)&address.in6.sin6_addr,
		       allow.entries[i].address,
		       address.any.sa_family == AF_INET ? 4 : 16);
		/* An entry such as "::/0" has no mapped addresses. */
		require(tw_allow_match(&allow, &address) ||
			IN6_IS_ADDR_V4MAPPED(&address.in6.sin6_addr));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t what, how;

	if (size < 2)
		return 0;
	what = data[0] & 3;
	how = data[1];
	data += 2;
	size -= 2;
	if (what == 0)
		check_frames(data, size, (size_t)how + 1);
	else if (what == 1)
		check_keys(data, size, how);
	else if (what == 2)
		check_greeting(data, size, (size_t)how + 1);
	else
		check_allow(data, size);
	return 0;
}
