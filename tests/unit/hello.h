/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames of a client that connects to the front. */
#ifndef HELLO_H
#define HELLO_H

#include <string.h>

#include "host/tw_front.h"
#include "unit.h"

static const struct tw_versions hello_ours = { 2, 3 };

/* A frame behind what is in @stream already. Returns the length of both. */
static inline size_t hello_add(char *stream, size_t used,
			       enum tw_frame_type type, const char *body)
{
	int length = tw_frame_encode(stream + used, TW_FRAME_MAX, type, body,
				     strlen(body));

	assert_true(length > 0);
	return used + (size_t)length;
}

#define HELLO_2_TO_5	"version_min=2\nversion_max=5\n"

/* HELLO and RUN of a client that does all right. */
static inline size_t hello_good(char *stream)
{
	size_t used = hello_add(stream, 0, TW_FRAME_HELLO, HELLO_2_TO_5);

	return hello_add(stream, used, TW_FRAME_RUN, "pairs=1\n");
}

#endif /* HELLO_H */
