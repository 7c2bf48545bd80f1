// SPDX-License-Identifier: GPL-2.0-or-later
#include <endian.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "host/tw_frame.h"

static const char magic[2] = { 'T', 'W' };

static const char *const names[TW_FRAME_TYPES] = {
	[TW_FRAME_HELLO] = "HELLO",
	[TW_FRAME_RUN] = "RUN",
	[TW_FRAME_GRANT] = "GRANT",
	[TW_FRAME_REFUSE] = "REFUSE",
	[TW_FRAME_BUSY] = "BUSY",
	[TW_FRAME_START] = "START",
	[TW_FRAME_STOP] = "STOP",
	[TW_FRAME_RESULT] = "RESULT",
	[TW_FRAME_BREAK] = "BREAK",
	[TW_FRAME_WINDOW] = "WINDOW",
};

const char *tw_frame_name(int type)
{
	return type >= 0 && type < TW_FRAME_TYPES ? names[type] : NULL;
}

void tw_frame_reset(struct tw_frame_reader *reader)
{
	reader->begin = 0;
	reader->end = 0;
}

size_t tw_frame_behind(const struct tw_frame_reader *reader)
{
	return reader->end - reader->begin;
}

size_t tw_frame_feed(struct tw_frame_reader *reader, const void *data,
		     size_t length)
{
	size_t kept = tw_frame_behind(reader);

	/* Only now: the body of the last frame is no longer needed. */
	if (reader->begin)
		memmove(reader->buf, reader->buf + reader->begin, kept);
	reader->begin = 0;
	reader->end = kept;
	if (length > sizeof(reader->buf) - kept)
		length = sizeof(reader->buf) - kept;
	if (length)
		memcpy(reader->buf + kept, data, length);
	reader->end += length;
	return length;
}

/* The body's length by a whole header, or -errno. */
static int read_header(const char *header)
{
	uint32_t length;

	if (memcmp(header, magic, sizeof(magic)) || header[3] ||
	    !tw_frame_name((unsigned char)header[2]))
		return -EPROTO;
	memcpy(&length, header + 4, sizeof(length));
	length = be32toh(length);
	return length > TW_FRAME_BODY_MAX ? -EMSGSIZE : (int)length;
}

int tw_frame_next(struct tw_frame_reader *reader, struct tw_frame *frame)
{
	const char *header = reader->buf + reader->begin;
	int length;

	if (tw_frame_behind(reader) < TW_FRAME_HEADER)
		return 0;
	length = read_header(header);
	/* The wrong header stays where it is, and is wrong for ever. */
	if (length < 0)
		return length;
	if (tw_frame_behind(reader) < TW_FRAME_HEADER + (size_t)length)
		return 0;
	frame->type = (enum tw_frame_type)(unsigned char)header[2];
	frame->body = header + TW_FRAME_HEADER;
	frame->length = (size_t)length;
	reader->begin += TW_FRAME_HEADER + (size_t)length;
	return 1;
}

int tw_frame_encode(void *buf, size_t size, enum tw_frame_type type,
		    const void *body, size_t length)
{
	uint32_t coded = htobe32((uint32_t)length);
	char *header = buf;

	if (length > TW_FRAME_BODY_MAX || size < TW_FRAME_HEADER + length)
		return -EMSGSIZE;
	memcpy(header, magic, sizeof(magic));
	header[2] = (char)type;
	header[3] = 0;
	memcpy(header + 4, &coded, sizeof(coded));
	if (length)
		memcpy(header + TW_FRAME_HEADER, body, length);
	return (int)(TW_FRAME_HEADER + length);
}
