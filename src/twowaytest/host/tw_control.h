/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The control connection between two hosts, after HELLO: frames with keys. All
 * waits have a limit. Called by main.
 */
#ifndef TW_CONTROL_H
#define TW_CONTROL_H

#include "host/tw_terms.h"

#define TW_STEP_MS	5000	/* limit for each step of the protocol */

struct tw_control {
	int in_fd, out_fd;	/* the same for a socket; -1: none */
	unsigned int version;
	struct tw_frame_reader reader;
};

void tw_control_init(struct tw_control *control, int in_fd, int out_fd);
void tw_control_close(struct tw_control *control);

/* Sends a frame with the keys of @from. Returns 0 or -errno. */
int tw_control_send(struct tw_control *control, enum tw_frame_type type,
		    const struct tw_key *table, const void *from);

/*
 * Waits for a frame of @type and stores its keys in *to. Returns 0; or -errno
 * and the reason in @why, which is a part of a sentence: -ECONNREFUSED: REFUSE
 * or BUSY; -ECANCELED: STOP; -ECONNRESET: the end; -EPROTO, -EINVAL, -EMSGSIZE:
 * something else; -ETIMEDOUT; -EINTR: @wake_fd (or -1) can be read.
 */
int tw_control_await(struct tw_control *control, enum tw_frame_type type,
		     const struct tw_key *table, void *to, int wake_fd,
		     int limit_ms, char why[TW_REFUSAL_TEXT]);

/*
 * The same in two parts, where frames of other types may come, too: waits for
 * any frame; returns as tw_frame_receive(), but of signals only those wake it
 * that end a test. And takes it for one of @type, where @err is what the first
 * has returned. Returns as tw_control_await().
 */
int tw_control_receive(struct tw_control *control, int wake_fd, int limit_ms,
		       struct tw_frame *frame);
int tw_control_take(struct tw_control *control, int err, int limit_ms,
		    const struct tw_frame *frame, enum tw_frame_type type,
		    const struct tw_key *table, void *to,
		    char why[TW_REFUSAL_TEXT]);

/*
 * After -EINTR of a wait that @signal_fd has ended: true if a signal is pending
 * that ends a test; it stays so. Others, as that of a child's end, are taken.
 */
bool tw_control_told_to_end(int signal_fd);

#endif /* TW_CONTROL_H */
