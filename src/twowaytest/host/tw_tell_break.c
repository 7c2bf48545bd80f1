// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "cause/tw_part_trace.h"
#include "host/tw_meet.h"
#include "host/tw_tell_break.h"

static const struct tw_pair *find_broken(const struct tw_session *session)
{
	const struct tw_pair *pair;
	unsigned int k;

	for (k = 0; (pair = tw_session_pair(session, k)); k++)
		if (pair->brk && pair->brk->broken)
			return pair;
	return NULL;
}

void tw_tell_begin(struct tw_telling *telling, struct tw_control *control,
		   const char *name, const struct tw_granted *granted)
{
	const char *why = granted->no_trace;
	struct tw_cause_view *view = &telling->view;

	memset(telling, 0, sizeof(*telling));
	telling->control = control;
	telling->traces = granted->traces;
	view->own_ns = -1;
	snprintf(view->host, sizeof(view->host), "%.63s", name);
	snprintf(view->lacks, sizeof(view->lacks),
		 "the server's host does not trace: %.150s",
		 *why ? why : "it was not told of this cycle");
	if (tw_part_trace_wanted())
		tw_part_trace_far(view);
}

void tw_tell_greeting(const struct tw_session *session,
		      const uint8_t cookie[TW_COOKIE])
{
	struct tw_pair *pair;
	unsigned int k;

	for (k = 0; (pair = tw_session_pair(session, k)); k++)
		tw_meet_greet(session->link[k].client_fd, cookie, k,
			      pair->task.size);
}

void tw_tell_break(struct tw_telling *telling,
		   const struct tw_session *session)
{
	const struct tw_pair *pair = find_broken(session);
	const struct tw_metric_params *params;
	const struct tw_break *brk;
	struct tw_broken broken;

	if (!pair || !telling->traces)
		return;
	brk = pair->brk;
	params = &pair->tally->params;
	broken = (struct tw_broken) {
		.pair = pair->number, .number = (int64_t)brk->kept.cycle.seq,
		.phase = tw_analysis_phase(brk, params),
		.throttled = brk->kept.throttled,
	};
	broken.whole_ns = tw_metrics[broken.phase].value_ns(&brk->kept.cycle,
							    params);
	broken.mean_ns = (int64_t)brk->means_ns[broken.phase];
	telling->told = !tw_control_send(telling->control, TW_FRAME_BREAK,
					 tw_broken_keys, &broken);
}

int tw_tell_receive(struct tw_telling *telling, struct tw_peer *peer,
		    char why[TW_REFUSAL_TEXT])
{
	int err = telling->told ? tw_view_receive(telling->control,
						  &telling->view, why) : 0;

	if (!err)
		err = tw_peer_receive(peer, telling->control, why);
	if (!err)
		tw_view_name(&telling->view, peer->host.host);
	return err;
}
