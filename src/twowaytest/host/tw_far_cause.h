/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * On the server's host: looks into its own trace for what a client's cycle was
 * held up by. Called by main of a session.
 */
#ifndef TW_FAR_CAUSE_H
#define TW_FAR_CAUSE_H

#include "host/tw_far_trace.h"
#include "host/tw_traced.h"
#include "host/tw_view.h"
#include "run/tw_session.h"

/*
 * Starts the trace on the CPUs of the servers, if @asked asks for it, and says
 * so in *granted. @trace: NULL if there is none, and @no_trace why.
 */
void tw_far_cause_start(const struct tw_far_trace *trace, const char *no_trace,
			const struct tw_session *session,
			const struct tw_asked *asked,
			struct tw_granted *granted);

/*
 * Before a run, and before main is real-time, as it takes longer than such tasks
 * may: empties the trace. @trace: NULL if there is none.
 */
void tw_far_cause_clear(const struct tw_far_trace *trace);

/* When all servers serve: learns their process numbers in the trace. */
void tw_far_cause_learn(const struct tw_far_trace *trace,
			const struct tw_session *session);

/*
 * After all have ended: sends what was found, or what that lacks. Main is no
 * longer real-time then. Returns 0 or -errno.
 */
int tw_far_cause_send(struct tw_control *control,
		      const struct tw_far_trace *trace,
		      const struct tw_session *session,
		      const struct tw_broken *broken);

/*
 * What of @phase a server had @request for, on the trace's clock; which is
 * behind the measuring one by @ahead_ns. @prev: the request before, or NULL.
 * Stores what is to be looked into in *stretch, its part in *part, and for the
 * network the sum of both parts in *own_ns, else -1. Returns NULL, or why there
 * is nothing to look into.
 */
const char *tw_far_cause_cut(struct tw_stretch *stretch,
			     enum tw_view_part *part, int64_t *own_ns,
			     const char *text, int64_t ahead_ns,
			     const struct tw_traced_request *request,
			     const struct tw_traced_request *prev);

#endif /* TW_FAR_CAUSE_H */
