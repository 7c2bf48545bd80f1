// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/tw_system.h"
#include "base/tw_time.h"
#include "host/tw_control.h"

void tw_control_init(struct tw_control *control, int in_fd, int out_fd)
{
	control->in_fd = in_fd;
	control->out_fd = out_fd;
	control->version = TW_VERSION_MAX;
	tw_frame_reset(&control->reader);
}

void tw_control_close(struct tw_control *control)
{
	if (control->out_fd >= 0 && control->out_fd != control->in_fd)
		close(control->out_fd);
	if (control->in_fd >= 0)
		close(control->in_fd);
	control->in_fd = -1;
	control->out_fd = -1;
}

int tw_control_send(struct tw_control *control, enum tw_frame_type type,
		    const struct tw_key *table, const void *from)
{
	char body[TW_FRAME_BODY_MAX];
	int len = tw_keys_encode(table, from, control->version, body,
				 sizeof(body));

	return len < 0 ? len : tw_frame_send(control->out_fd, type, body,
					     (size_t)len, TW_STEP_MS);
}

/* It says why there is no frame of the type that was waited for. */
static int take_refusal(const struct tw_frame *frame, char *why)
{
	int err = tw_refusal_decode(frame, why);

	return err ? err : -ECONNREFUSED;
}

static int take_stop(const struct tw_frame *frame, unsigned int version,
		     char *why)
{
	struct tw_keys_notes notes = { .list_unknown = true };
	struct tw_stop stop = { "" };
	int err = tw_keys_decode(tw_stop_keys, &stop, version, frame->body,
				 frame->length, &notes);

	snprintf(why, TW_REFUSAL_TEXT, "%s", err ? notes.why : stop.why);
	return err ? err : -ECANCELED;
}

static int take(const struct tw_control *control, const struct tw_frame *frame,
		enum tw_frame_type type, const struct tw_key *table, void *to,
		char *why)
{
	/* What a later version adds to these is no error. */
	struct tw_keys_notes notes = {
		.list_unknown = type == TW_FRAME_RESULT ||
				type == TW_FRAME_HELLO,
	};
	int err;

	if (frame->type == TW_FRAME_REFUSE || frame->type == TW_FRAME_BUSY)
		return take_refusal(frame, why);
	if (frame->type == TW_FRAME_STOP && type != TW_FRAME_STOP)
		return take_stop(frame, control->version, why);
	if (frame->type != type) {
		snprintf(why, TW_REFUSAL_TEXT, "it sent %s where %s was to come",
			 tw_frame_name(frame->type), tw_frame_name(type));
		return -EPROTO;
	}
	err = tw_keys_decode(table, to, control->version, frame->body,
			     frame->length, &notes);
	if (err)
		snprintf(why, TW_REFUSAL_TEXT, "its %s is not understood: %s",
			 tw_frame_name(type), notes.why);
	return err;
}

/* Signals that end nothing do not end the wait. */
int tw_control_receive(struct tw_control *control, int wake_fd, int limit_ms,
		       struct tw_frame *frame)
{
	int64_t end_ns = tw_now_ns(CLOCK_MONOTONIC) + limit_ms * TW_NS_PER_MS;
	int left_ms, err;

	do {
		left_ms = tw_left_ms(end_ns);
		err = tw_frame_receive(&control->reader, control->in_fd,
				       wake_fd, left_ms, frame);
	} while (err == -EINTR && left_ms &&
		 !(wake_fd >= 0 && tw_control_told_to_end(wake_fd)));
	return err;
}

int tw_control_await(struct tw_control *control, enum tw_frame_type type,
		     const struct tw_key *table, void *to, int wake_fd,
		     int limit_ms, char why[TW_REFUSAL_TEXT])
{
	struct tw_frame frame;
	int err = tw_control_receive(control, wake_fd, limit_ms, &frame);

	return tw_control_take(control, err, limit_ms, &frame, type, table, to,
			       why);
}

int tw_control_take(struct tw_control *control, int err, int limit_ms,
		    const struct tw_frame *frame, enum tw_frame_type type,
		    const struct tw_key *table, void *to,
		    char why[TW_REFUSAL_TEXT])
{
	if (!err)
		return take(control, frame, type, table, to, why);
	if (err == -ECONNRESET)
		snprintf(why, TW_REFUSAL_TEXT,
			 "it closed the connection before its %s",
			 tw_frame_name(type));
	else if (err == -ETIMEDOUT)
		snprintf(why, TW_REFUSAL_TEXT, "it sent no %s within %d s",
			 tw_frame_name(type), limit_ms / 1000);
	else if (err == -EPROTO || err == -EMSGSIZE)
		snprintf(why, TW_REFUSAL_TEXT,
			 "what came in place of its %s is not of this protocol; it may be another program",
			 tw_frame_name(type));
	else if (err == -EINTR)
		snprintf(why, TW_REFUSAL_TEXT,
			 "a signal came before its %s", tw_frame_name(type));
	else
		snprintf(why, TW_REFUSAL_TEXT, "waiting for its %s failed: %s",
			 tw_frame_name(type), strerror(-err));
	return err;
}

bool tw_control_told_to_end(int signal_fd)
{
	struct signalfd_siginfo info;

	if (tw_system_told_to_end())
		return true;
	while (read(signal_fd, &info, sizeof(info)) == sizeof(info))
		;
	return false;
}
