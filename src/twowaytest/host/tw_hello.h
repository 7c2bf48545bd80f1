/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The first frames: both sides say which versions of the protocol they speak.
 * The highest common one is used. Also the bodies of REFUSE and BUSY, which do
 * not depend on the version.
 */
#ifndef TW_HELLO_H
#define TW_HELLO_H

#include <stddef.h>
#include <stdint.h>

#include "host/tw_frame.h"
#include "host/tw_keys.h"

#define TW_HELLO_MS	5000	/* limit for each step of the protocol */
#define TW_REFUSAL_TEXT	512

/* The body of HELLO. */
struct tw_versions {
	int64_t min, max;
};

/* The body of REFUSE and BUSY. */
struct tw_refusal {
	char text[TW_REFUSAL_TEXT];
};

extern const struct tw_key tw_hello_keys[];
extern const struct tw_key tw_refusal_keys[];

/* Returns the highest version of both; 0: there is none. */
unsigned int tw_hello_choose(const struct tw_versions *one,
			     const struct tw_versions *other);

/*
 * Reads a HELLO; unknown keys are of later versions. Returns 0, -EPROTO or
 * -EINVAL as tw_keys_decode(), also if min is larger than max.
 */
int tw_hello_decode(const struct tw_frame *frame, struct tw_versions *versions,
		    struct tw_keys_notes *notes);

/* Writes a whole frame to @buf. Returns its length or -EMSGSIZE. */
int tw_hello_encode(void *buf, size_t size,
		    const struct tw_versions *versions);

/* The same for REFUSE or BUSY; @text is cut if it is too long. */
int tw_refusal_encode(void *buf, size_t size, enum tw_frame_type type,
		      const char *text);

/*
 * Reads a REFUSE or BUSY into @text. Returns 0, -EPROTO or -EINVAL as
 * tw_keys_decode(); then @text says what is wrong with the body.
 */
int tw_refusal_decode(const struct tw_frame *frame,
		      char text[TW_REFUSAL_TEXT]);

/* Sends one of them, as tw_frame_send(). */
int tw_refusal_send(int fd, enum tw_frame_type type, const char *text,
		    int limit_ms);

#endif /* TW_HELLO_H */
