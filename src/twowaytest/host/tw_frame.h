/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames of the control connection between a client host and a server host.
 *
 * A frame is a header of 8 bytes and a body: "TW", the type, a byte that is 0,
 * and the length of the body in bytes (32 bits, big-endian). The body is text,
 * see tw_keys.h. What arrives is not trusted: nothing is allocated for it, and
 * no function waits longer than its caller allows.
 */
#ifndef TW_FRAME_H
#define TW_FRAME_H

#include <stdbool.h>
#include <stddef.h>

#define TW_FRAME_HEADER		8
#define TW_FRAME_BODY_MAX	16384
#define TW_FRAME_MAX		(TW_FRAME_HEADER + TW_FRAME_BODY_MAX)

/* The byte in the header. */
enum tw_frame_type {
	TW_FRAME_HELLO = 1,	/* both: the versions that it speaks */
	TW_FRAME_RUN,		/* client: what it asks for */
	TW_FRAME_GRANT,		/* server: what it gives, and where */
	TW_FRAME_REFUSE,	/* server: why not */
	TW_FRAME_BUSY,		/* server: another run is under way */
	TW_FRAME_START,
	TW_FRAME_STOP,
	TW_FRAME_RESULT,	/* server: what it has seen */
	TW_FRAME_BREAK,		/* a cycle was too long */
	TW_FRAME_WINDOW,	/* the trace of that cycle */
	TW_FRAME_TYPES
};

/* Its name, such as "HELLO"; NULL: there is no such type. */
const char *tw_frame_name(int type);

struct tw_frame {
	enum tw_frame_type type;
	/*
	 * No NUL is behind the last of its @length bytes. Belongs to the
	 * reader; valid until the reader's next use.
	 */
	const char *body;
	size_t length;
};

/* What has arrived and was not taken yet. Initialise it with tw_frame_reset. */
struct tw_frame_reader {
	size_t begin, end;	/* in buf */
	char buf[TW_FRAME_MAX];
};

void tw_frame_reset(struct tw_frame_reader *reader);

/*
 * Gives the reader @length bytes as they have arrived, of any number of frames.
 * Returns how many of them it took: fewer only if its buffer is full, and then
 * tw_frame_next() does not return 0.
 */
size_t tw_frame_feed(struct tw_frame_reader *reader, const void *data,
		     size_t length);

/*
 * Takes the next frame. Returns 1; 0: it has not arrived wholly; -EPROTO: no
 * frame begins here, or its type is unknown; -EMSGSIZE: the body is longer than
 * TW_FRAME_BODY_MAX. An error is final: the end of the frame is not known.
 */
int tw_frame_next(struct tw_frame_reader *reader, struct tw_frame *frame);

/* Returns how many bytes have arrived behind the last frame taken. */
size_t tw_frame_behind(const struct tw_frame_reader *reader);

/*
 * Writes a frame to @buf (@size bytes). Returns its length, or -EMSGSIZE: the
 * body, or the frame in @buf, is too long. @body may be NULL if @length is 0.
 */
int tw_frame_encode(void *buf, size_t size, enum tw_frame_type type,
		    const void *body, size_t length);

/*
 * Functions for descriptors. They work with sockets and pipes, blocking or not,
 * if no other process or thread uses this end. For pipes, the program has to
 * ignore SIGPIPE.
 *
 * Sends a whole frame. Signals do not end this, because a part of a frame would
 * end the connection. Returns 0; -ETIMEDOUT after @limit_ms; -EMSGSIZE; or
 * -errno, such as -EPIPE or -ECONNRESET. After an error, a part of the frame
 * may have been sent: close the connection.
 */
int tw_frame_send(int fd, enum tw_frame_type type, const void *body,
		  size_t length, int limit_ms);

/* The same for @length bytes: of a frame that is encoded already. */
int tw_frame_write(int fd, const void *data, size_t length, int limit_ms);

/*
 * Receives the next frame from @fd through @reader. Returns 0; -ETIMEDOUT: it
 * was not complete after @limit_ms (0: does not wait); -ECONNRESET: the input
 * has ended; -EINTR: a signal was handled, or @wake_fd (a signalfd, or -1) can
 * be read, which this does not do; -EPROTO or -EMSGSIZE as tw_frame_next(); or
 * -errno. After -ETIMEDOUT and -EINTR it can be called again; nothing is lost.
 */
int tw_frame_receive(struct tw_frame_reader *reader, int fd, int wake_fd,
		     int limit_ms, struct tw_frame *frame);

#endif /* TW_FRAME_H */
