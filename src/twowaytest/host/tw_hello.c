// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "host/tw_hello.h"

#define VERSION_MAX	65535

const struct tw_key tw_hello_keys[] = {
	{ .name = "version_min", .kind = TW_KEY_INT, .required = true,
	  .offset = offsetof(struct tw_versions, min),
	  .min = 1, .max = VERSION_MAX },
	{ .name = "version_max", .kind = TW_KEY_INT, .required = true,
	  .offset = offsetof(struct tw_versions, max),
	  .min = 1, .max = VERSION_MAX },
	{ .name = NULL }
};

const struct tw_key tw_refusal_keys[] = {
	{ .name = "text", .kind = TW_KEY_TEXT, .required = true,
	  .offset = offsetof(struct tw_refusal, text),
	  .size = TW_REFUSAL_TEXT },
	{ .name = NULL }
};

unsigned int tw_hello_choose(const struct tw_versions *one,
			     const struct tw_versions *other)
{
	int64_t min = one->min > other->min ? one->min : other->min;
	int64_t max = one->max < other->max ? one->max : other->max;

	return max < min ? 0 : (unsigned int)max;
}

int tw_hello_decode(const struct tw_frame *frame, struct tw_versions *versions,
		    struct tw_keys_notes *notes)
{
	int err;

	notes->list_unknown = true;
	err = tw_keys_decode(tw_hello_keys, versions, 0, frame->body,
			     frame->length, notes);
	if (err || versions->min <= versions->max)
		return err;
	snprintf(notes->why, sizeof(notes->why),
		 "version_min=%" PRId64 " is above version_max=%" PRId64,
		 versions->min, versions->max);
	return -EINVAL;
}

static int encode(void *buf, size_t size, enum tw_frame_type type,
		  const struct tw_key *table, const void *from)
{
	char body[TW_REFUSAL_TEXT + 64];
	int length = tw_keys_encode(table, from, 0, body, sizeof(body));

	if (length < 0)
		return length;
	return tw_frame_encode(buf, size, type, body, (size_t)length);
}

int tw_hello_encode(void *buf, size_t size,
		    const struct tw_versions *versions)
{
	return encode(buf, size, TW_FRAME_HELLO, tw_hello_keys, versions);
}

int tw_refusal_encode(void *buf, size_t size, enum tw_frame_type type,
		      const char *text)
{
	struct tw_refusal refusal;

	snprintf(refusal.text, sizeof(refusal.text), "%s", text);
	return encode(buf, size, type, tw_refusal_keys, &refusal);
}

int tw_refusal_decode(const struct tw_frame *frame,
		      char text[TW_REFUSAL_TEXT])
{
	struct tw_keys_notes notes = { .list_unknown = true };
	struct tw_refusal refusal;
	int err = tw_keys_decode(tw_refusal_keys, &refusal, 0, frame->body,
				 frame->length, &notes);

	snprintf(text, TW_REFUSAL_TEXT, "%s", err ? notes.why : refusal.text);
	return err;
}

int tw_refusal_send(int fd, enum tw_frame_type type, const char *text,
		    int limit_ms)
{
	char buf[TW_REFUSAL_TEXT + 64];
	int length = tw_refusal_encode(buf, sizeof(buf), type, text);

	return length < 0 ? length :
			    tw_frame_write(fd, buf, (size_t)length, limit_ms);
}
