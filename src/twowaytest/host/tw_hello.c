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

static int say(char why[TW_HELLO_WHY], int err, const char *what,
	       const char *detail)
{
	snprintf(why, TW_HELLO_WHY, "%s%s", what, detail);
	return err;
}

/* No frame of the server has come. */
static int say_none(char why[TW_HELLO_WHY], int err)
{
	static const struct {
		int err;
		const char *what;
	} causes[] = {
		{ -ETIMEDOUT, "the server did not answer in time" },
		{ -ECONNRESET,
		  "the server closed the connection: it may not allow this host (its --allow), or have too many connections" },
		{ -EPIPE, "the server closed the connection" },
		{ -EPROTO, "what answers is no server of twowaytest" },
		{ -EMSGSIZE, "what answers is no server of twowaytest" },
		{ -EINTR, "a signal arrived" },
	};
	size_t i;

	for (i = 0; i < sizeof(causes) / sizeof(*causes); i++)
		if (causes[i].err == err)
			return say(why, err, causes[i].what, "");
	return say(why, err, "the connection failed: ", strerror(-err));
}

static int take_hello(const struct tw_frame *frame,
		      const struct tw_versions *ours, char *why)
{
	struct tw_keys_notes notes = { .why = "" };
	struct tw_versions theirs;
	int err = tw_hello_decode(frame, &theirs, &notes);
	unsigned int version;

	if (err)
		return say(why, -EPROTO, "the server's HELLO is wrong: ",
			   notes.why);
	version = tw_hello_choose(ours, &theirs);
	if (version)
		return (int)version;
	snprintf(why, TW_HELLO_WHY,
		 "the server speaks versions %" PRId64 " to %" PRId64 " of the protocol, and this program %" PRId64 " to %" PRId64,
		 theirs.min, theirs.max, ours->min, ours->max);
	return -EPROTONOSUPPORT;
}

static int take_answer(const struct tw_frame *frame,
		       const struct tw_versions *ours, char *why)
{
	char text[TW_REFUSAL_TEXT];

	if (frame->type == TW_FRAME_HELLO)
		return take_hello(frame, ours, why);
	if (frame->type != TW_FRAME_REFUSE && frame->type != TW_FRAME_BUSY)
		return say(why, -EPROTO, "the server answered HELLO with ",
			   tw_frame_name(frame->type));
	if (tw_refusal_decode(frame, text))
		return say(why, -EPROTO, "the server's answer is wrong: ",
			   text);
	return say(why, -ECONNREFUSED, frame->type == TW_FRAME_BUSY ?
		   "the server is busy: " : "the server refused: ", text);
}

int tw_hello_call(struct tw_frame_reader *reader, int in_fd, int out_fd,
		  int wake_fd, const struct tw_versions *ours,
		  char why[TW_HELLO_WHY])
{
	struct tw_frame frame;
	char buf[128];
	int err = tw_hello_encode(buf, sizeof(buf), ours);

	if (err >= 0)
		err = tw_frame_write(out_fd, buf, (size_t)err, TW_HELLO_MS);
	if (!err)
		err = tw_frame_receive(reader, in_fd, wake_fd, TW_HELLO_MS,
				       &frame);
	return err ? say_none(why, err) : take_answer(&frame, ours, why);
}
