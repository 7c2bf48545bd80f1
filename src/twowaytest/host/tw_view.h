/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What two hosts tell each other of a cycle that broke: the bodies of BREAK and
 * WINDOW. The analysis of the server's host comes as a head, and its time line
 * and sums in as many further WINDOW frames as they need. Called by main.
 */
#ifndef TW_VIEW_H
#define TW_VIEW_H

#include "cause/tw_cause.h"
#include "host/tw_control.h"

/* BREAK: the client's limit was exceeded, by this request. */
struct tw_broken {
	int64_t pair;
	int64_t number;		/* of the request, from 1 */
	int phase;		/* enum tw_metric_id: what is to be looked into */
	int64_t whole_ns;	/* how long that was */
	int64_t mean_ns;	/* and on average, before */
	bool throttled;
};

#define TW_VIEW_SPANS	64	/* in a frame */
#define TW_VIEW_MS	30000	/* for the analysis, and the answer */

extern const struct tw_key tw_broken_keys[];

/* The server's host: sends @view in WINDOW frames. Returns 0 or -errno. */
int tw_view_send(struct tw_control *control,
		   const struct tw_cause_view *view);

/* The client's: receives it into *view. Returns as tw_control_await(). */
int tw_view_receive(struct tw_control *control, struct tw_cause_view *view,
		      char why[TW_REFUSAL_TEXT]);

/* Both are seen on @host. */
void tw_view_name(struct tw_cause_view *view, const char *host);

/* The names of parts of the network that a server sees. */
enum tw_view_part {
	TW_VIEW_WHOLE,
	TW_VIEW_REQUEST,
	TW_VIEW_REPLY,
	TW_VIEW_PARTS
};

extern const char *const tw_view_parts[];

#endif /* TW_VIEW_H */
