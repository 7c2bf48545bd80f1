/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * On the client's host: tells the server's host of a cycle that broke, and gets
 * what that has seen of it; and greets it again. Called by main.
 */
#ifndef TW_TELL_BREAK_H
#define TW_TELL_BREAK_H

#include "host/tw_peer.h"
#include "host/tw_view.h"

struct tw_telling {
	struct tw_control *control;
	bool traces;		/* the server's host does */
	bool told;		/* the answer comes before the results */
	struct tw_cause_view view;	/* what the server's host sees */
};

/*
 * For a run with host @name, if --trace is given. Up to an answer, the view is
 * that the host does not trace.
 */
void tw_tell_begin(struct tw_telling *telling, struct tw_control *control,
		   const char *name, const struct tw_granted *granted);

/*
 * Greets again over all connections, for datagrams: any greeting may be lost
 * until START comes.
 */
void tw_tell_greeting(const struct tw_session *session,
		      const uint8_t cookie[TW_COOKIE]);

/*
 * Sends BREAK if a cycle of this step has broken and that host traces: at once,
 * because what its trace has of the cycle is overwritten by and by.
 */
void tw_tell_break(struct tw_telling *telling,
		   const struct tw_session *session);

/* The answer, if there was a BREAK, and the results. As tw_control_await(). */
int tw_tell_receive(struct tw_telling *telling, struct tw_peer *peer,
		    char why[TW_REFUSAL_TEXT]);

#endif /* TW_TELL_BREAK_H */
