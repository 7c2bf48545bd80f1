// SPDX-License-Identifier: GPL-2.0-or-later
/* The traces of a session, and the analysis of the cycle that ended it. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tw_session.h"
#include "tw_time.h"

#define TRACE_NS	(20 * TW_NS_PER_MS)
#define TRACE_BEFORE_NS	TW_NS_PER_MS	/* who was where, at its begin */

int tw_session_open_traces(struct tw_session *session)
{
	const struct tw_config *config = session->config;
	const cpu_set_t *cpus = session->task.cpus;
	cpu_set_t used;
	int err = 0;

	CPU_OR(&used, &cpus[TW_CLIENT], &cpus[TW_SERVER]);
	if (config->tracemark)
		err = tw_trace_open_user(&session->trace_fds[TW_TRACE_USER],
					 session->trace_why);
	if (!err && config->trace)
		err = tw_trace_open_own(&session->trace,
					&session->trace_fds[TW_TRACE_OWN],
					config->trace_events, &used,
					session->trace_why);
	return err ? tw_session_fail(session, TW_STEP_TRACE, err) : 0;
}

/* What is kept of a trace: 20 ms, and all since the cycle before. */
static int64_t trace_from_ns(const struct tw_break *brk)
{
	const struct tw_cycle *cycle = &brk->kept.cycle;
	int64_t from_ns = cycle->t3_ns - TRACE_NS;

	if (cycle->planned_ns - TRACE_BEFORE_NS < from_ns)
		from_ns = cycle->planned_ns - TRACE_BEFORE_NS;
	/* On a quiet system there may be nothing since the cycle before. */
	if (cycle->prev_t0_ns < from_ns)
		from_ns = cycle->prev_t0_ns;
	return from_ns - brk->ahead_ns;
}

void tw_session_diagnose(struct tw_session *session)
{
	struct tw_pair *pair = session->pair;
	pid_t pids[TW_ROLES] = { 0 };

	if (!pair || !pair->brk.broken)
		return;
	pids[TW_SERVER] = pair->side[TW_SERVER].child.pid;
	pids[TW_CLIENT] = pair->side[TW_CLIENT].child.pid;
	session->broken = &pair->brk;
	/* From here on, it is the trace's clock that the stamps go to. */
	pair->brk.ahead_ns += tw_trace_ahead_ns("");
	if (!session->trace.dir[0] ||
	    tw_trace_collect(&session->trace, trace_from_ns(&pair->brk),
			     &session->trace_text))
		return;
	session->analysis = malloc(sizeof(*session->analysis));
	if (session->analysis)
		tw_analyse(session->analysis, session->trace_text, &pair->brk,
			   &pair->tally->params, pids,
			   pair->tally->stall_max_ns > 0);
}

void tw_session_close_traces(struct tw_session *session)
{
	int i;

	for (i = 0; i < TW_TRACES; i++)
		tw_trace_close_fds(&session->trace_fds[i]);
	tw_trace_close(&session->trace);
	free(session->trace_text);
	free(session->analysis);
	session->trace_text = NULL;
	session->analysis = NULL;
	session->broken = NULL;
}
