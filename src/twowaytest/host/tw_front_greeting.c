// SPDX-License-Identifier: GPL-2.0-or-later
/* The state machine of a connection to the front. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "host/tw_front.h"

void tw_greeting_init(struct tw_greeting *greeting,
		      const struct tw_versions *ours)
{
	greeting->expected = TW_FRAME_HELLO;
	greeting->ours = *ours;
	greeting->version = 0;
	greeting->reply_length = 0;
	greeting->reason = TW_FRONT_OPEN;
	tw_frame_reset(&greeting->reader);
}

static int drop(struct tw_greeting *greeting, enum tw_front_reason reason)
{
	greeting->reason = reason;
	return -EPROTO;
}

static void reply(struct tw_greeting *greeting, int length)
{
	/* Both answers are much shorter than the space for them. */
	greeting->reply_length = length < 0 ? 0 : (size_t)length;
}

static int take_hello(struct tw_greeting *greeting,
		      const struct tw_frame *frame)
{
	const struct tw_versions *ours = &greeting->ours;
	struct tw_keys_notes notes = { .why = "" };
	struct tw_versions theirs;
	char text[160];

	if (tw_hello_decode(frame, &theirs, &notes))
		return drop(greeting, TW_FRONT_BAD_HELLO);
	greeting->version = tw_hello_choose(ours, &theirs);
	if (greeting->version) {
		greeting->expected = TW_FRAME_RUN;
		reply(greeting, tw_hello_encode(greeting->reply,
						sizeof(greeting->reply),
						ours));
		return 0;
	}
	snprintf(text, sizeof(text),
		 "the server speaks versions %" PRId64 " to %" PRId64 " of the protocol, the client %" PRId64 " to %" PRId64,
		 ours->min, ours->max, theirs.min, theirs.max);
	reply(greeting, tw_refusal_encode(greeting->reply,
					  sizeof(greeting->reply),
					  TW_FRAME_REFUSE, text));
	return drop(greeting, TW_FRONT_VERSION);
}

/* Takes the next frame, if it is there: 1: it was RUN; 0; -EPROTO. */
static int take_frame(struct tw_greeting *greeting, bool *more)
{
	struct tw_frame frame;
	int got = tw_frame_next(&greeting->reader, &frame);

	*more = got > 0;
	if (got < 0 || (got && frame.type != greeting->expected))
		return drop(greeting, TW_FRONT_BAD_FRAME);
	if (!got)
		return 0;
	if (frame.type == TW_FRAME_HELLO)
		return take_hello(greeting, &frame);
	greeting->run = frame;
	return 1;
}

int tw_greeting_feed(struct tw_greeting *greeting, const void *data,
		     size_t length)
{
	const char *at = data;
	size_t taken;
	int got = 0;
	bool more;

	while (length && !got) {
		taken = tw_frame_feed(&greeting->reader, at, length);
		at += taken;
		length -= taken;
		do {
			got = take_frame(greeting, &more);
		} while (!got && more);
	}
	if (got > 0 && (length || tw_frame_behind(&greeting->reader)))
		return drop(greeting, TW_FRONT_EXTRA_BYTES);
	return got;
}
