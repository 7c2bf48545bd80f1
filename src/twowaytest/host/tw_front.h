/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Those who have connected to a listening server and have not begun a run.
 *
 * Each has TW_HELLO_MS to send HELLO, which is answered, and RUN; then it is
 * handed over. Whoever does anything else is closed and counted, and disturbs
 * nobody else. All memory is in the structs; a call never waits longer than
 * asked. Called by main.
 */
#ifndef TW_FRONT_H
#define TW_FRONT_H

#include <poll.h>
#include <stddef.h>
#include <stdint.h>

#include "host/tw_allow.h"
#include "host/tw_frame.h"
#include "host/tw_hello.h"
#include "measure/tw_transport.h"

#define TW_FRONT_PEERS		8	/* the ninth is closed */
#define TW_FRONT_RATE		10	/* accepts a second; others wait */
#define TW_FRONT_LISTENERS	2	/* of IPv4 and IPv6 */
#define TW_FRONT_EXTRA		4	/* further descriptors to wait for */
#define TW_FRONT_PEER_TEXT	80

/* Why a connection was closed. */
enum tw_front_reason {
	TW_FRONT_OPEN,		/* it was not */
	TW_FRONT_NOT_ALLOWED,	/* by --allow */
	TW_FRONT_FULL,		/* TW_FRONT_PEERS were there */
	TW_FRONT_BAD_FRAME,	/* not of this protocol, or not its turn */
	TW_FRONT_BAD_HELLO,	/* its body */
	TW_FRONT_VERSION,	/* none in common */
	TW_FRONT_EXTRA_BYTES,	/* behind RUN */
	TW_FRONT_LEFT,		/* it closed the connection, or that broke */
	TW_FRONT_TIME_OUT,
	TW_FRONT_SYSTEM,	/* accept() failed: no descriptor, no memory */
	TW_FRONT_REASONS
};

/* For messages, such as "not allowed". */
const char *tw_front_reason_text(enum tw_front_reason reason);

/*
 * The state machine of one connection, without the connection.
 */
struct tw_greeting {
	enum tw_frame_type expected;	/* HELLO or RUN */
	struct tw_versions ours;
	unsigned int version;		/* after HELLO */
	struct tw_frame_reader reader;
	struct tw_frame run;		/* after RUN; in the reader */
	/* To be sent next, even if @reason is to close it; then set 0. */
	size_t reply_length;
	char reply[1024];
	enum tw_front_reason reason;	/* to close it */
};

void tw_greeting_init(struct tw_greeting *greeting,
		      const struct tw_versions *ours);

/*
 * Takes @length bytes that have arrived. Returns 1: a whole RUN has come; 0:
 * more is needed; -EPROTO: close it, greeting->reason says why; no more calls.
 */
int tw_greeting_feed(struct tw_greeting *greeting, const void *data,
		     size_t length);

struct tw_front_peer {
	int fd;			/* -1: unused */
	union tw_address address;
	int64_t end_ns;		/* on CLOCK_MONOTONIC */
	struct tw_greeting greeting;
};

struct tw_front {
	int listeners[TW_FRONT_LISTENERS];	/* -1: none */
	const struct tw_allow *allow;
	struct tw_versions versions;
	int limit_ms;		/* TW_HELLO_MS; tests take less */
	int64_t tokens_ns;	/* each accept costs 1 s / TW_FRONT_RATE */
	int64_t filled_ns;	/* when tokens_ns was right */
	uint64_t closed[TW_FRONT_REASONS];
	struct tw_front_peer peers[TW_FRONT_PEERS];
};

/* Someone who asks for a run. Its owner closes @fd (it is non-blocking). */
struct tw_front_run {
	int fd;
	union tw_address address;
	char peer[TW_FRONT_PEER_TEXT];	/* "192.0.2.1:40000", "[::1]:40000" */
	unsigned int version;
	size_t length;
	char body[TW_FRAME_BODY_MAX];	/* of RUN; no NUL behind it */
};

/*
 * @listeners: @count sockets that listen; they become non-blocking and stay the
 * caller's. @allow: who may connect; NULL: all. Both must outlive @front.
 * Returns 0 or -errno.
 */
int tw_front_open(struct tw_front *front, const int *listeners,
		  unsigned int count, const struct tw_allow *allow,
		  const struct tw_versions *versions);

/*
 * Accepts, listens to and closes peers until one of them asks for a run, an
 * entry of @extra (at most TW_FRONT_EXTRA) has revents, or @timeout_ms is over
 * (-1: no limit; 0: looks once at each of them). Returns 1: *run
 * is set; 0: time is over; -EINTR: look at @extra, or a signal was handled; or
 * -errno of poll(). All of @extra have right revents after 0, 1 and -EINTR.
 */
int tw_front_poll(struct tw_front *front, struct pollfd *extra,
		  unsigned int extra_count, int timeout_ms,
		  struct tw_front_run *run);

/*
 * Answers a RUN with REFUSE or BUSY and closes the connection. Does not wait:
 * the answer fits into the buffer of a new connection. Returns 0 or -errno of
 * the sending.
 */
int tw_front_turn_away(struct tw_front_run *run, enum tw_frame_type type,
		       const char *text);

/* Closes all peers, but not the listeners. The counts stay. */
void tw_front_close(struct tw_front *front);

/*
 * The same for a connection that is there already, such as standard input and
 * output: greets its client and receives its RUN within @limit_ms. run->fd
 * becomes -1. Returns 0; -EPROTO: *reason says why; -ETIMEDOUT, -ECONNRESET,
 * -EINTR (of @wake_fd, see tw_frame_receive()), or -errno.
 */
int tw_front_greet(int in_fd, int out_fd, int wake_fd, int limit_ms,
		   const struct tw_versions *versions,
		   struct tw_front_run *run, enum tw_front_reason *reason);

/* Writes an address with its port, as in struct tw_front_run. */
void tw_front_peer_text(const union tw_address *address,
			char text[TW_FRONT_PEER_TEXT]);

/* Internal to tw_front*.c: copies RUN and its version to *run. */
void tw_front_take(const struct tw_greeting *greeting,
		   struct tw_front_run *run);

#endif /* TW_FRONT_H */
