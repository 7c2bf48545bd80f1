// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/tw_time.h"
#include "cause/tw_event.h"
#include "host/tw_far_cause.h"

#define KEPT_NS		(20 * TW_NS_PER_MS)	/* before a request */
#define UNKNOWN_NS	TW_NS_PER_S	/* if the reply before is not known */
#define LEARN_NS	(500 * TW_NS_PER_MS)
#define LEARN_PAUSE_NS	(5 * TW_NS_PER_MS)
#define LEARN_BYTES	(1 << 18)	/* at a time */

static struct tw_traced *traced_of(const struct tw_session *session,
				   unsigned int k)
{
	const struct tw_pair *pair = tw_session_pair(session, k);

	return pair && pair->limit ? pair->limit->traced : NULL;
}

void tw_far_cause_start(const struct tw_far_trace *trace, const char *no_trace,
			const struct tw_session *session,
			const struct tw_asked *asked,
			struct tw_granted *granted)
{
	cpu_set_t cpus;
	int err;

	granted->traces = asked->trace && trace;
	if (!granted->traces) {
		snprintf(granted->no_trace, sizeof(granted->no_trace), "%s",
			 asked->trace ? no_trace : "");
		return;
	}
	tw_config_all_cpus(session->config, TW_SERVER, &cpus);
	err = tw_far_trace_start(trace, &cpus);
	granted->traces = !err;
	if (err)
		snprintf(granted->no_trace, sizeof(granted->no_trace),
			 "it cannot be started: %s", strerror(-err));
}

void tw_far_cause_clear(const struct tw_far_trace *trace)
{
	if (!trace)
		return;
	tw_system_schedule(SCHED_OTHER, 0);
	tw_far_trace_empty(trace);
}

/* Returns how many servers have marked the trace, in @text. */
static int learn_from(const char *text, const struct tw_session *session)
{
	struct tw_traced *traced;
	struct tw_event event;
	const char *line, *mark;
	char head[256];
	unsigned int k;
	int found = 0;

	for (line = text; *line; line += *line == '\n') {
		size_t len = strcspn(line, "\n");

		snprintf(head, sizeof(head), "%.*s", (int)len, line);
		line += len;
		mark = strstr(head, ": twowaytest: server of pair ");
		if (!mark || sscanf(mark, ": " TW_TRACED_MARK, &k) != 1 ||
		    !tw_event_parse(head, &event))
			continue;
		traced = traced_of(session, k);
		found += traced && !traced->pid;
		if (traced)
			traced->pid = event.pid;
	}
	return found;
}

void tw_far_cause_learn(const struct tw_far_trace *trace,
			const struct tw_session *session)
{
	const struct timespec pause = tw_ns_to_ts(LEARN_PAUSE_NS);
	int64_t end_ns = tw_now_ns(CLOCK_MONOTONIC) + LEARN_NS;
	int left = (int)session->pairs->count;
	size_t cut;
	char *text;

	while (left > 0 && tw_now_ns(CLOCK_MONOTONIC) < end_ns) {
		nanosleep(&pause, NULL);
		if (tw_far_trace_read(trace, LEARN_BYTES, 0, &text, &cut))
			return;
		left -= learn_from(text, session);
		free(text);
	}
}

/* A server may have been woken for a request since the reply before. */
static int64_t waits_from_ns(const struct tw_traced_request *request,
			     const struct tw_traced_request *prev)
{
	return prev && prev->sent_ns ? prev->sent_ns :
				       request->t1_ns - UNKNOWN_NS;
}

/* When the server was first woken for it: since the reply before. */
static int64_t find_arrival(const char *text, pid_t pid, int64_t from_ns,
			    int64_t t1_ns)
{
	struct tw_event *events;
	size_t count = tw_events_read(text, &events), i;
	int64_t at_ns = t1_ns;

	for (i = 0; i < count; i++)
		if (events[i].kind == TW_EVENT_WAKING &&
		    events[i].other_pid == pid &&
		    events[i].time_ns >= from_ns &&
		    events[i].time_ns < at_ns) {
			at_ns = events[i].time_ns;
			break;
		}
	free(events);
	return at_ns;
}

static const char *cut_sleep(struct tw_stretch *stretch, int64_t ahead_ns,
			     const struct tw_traced_request *request)
{
	if (!request->t2_ns)
		return "the server's host did not see its end";
	stretch->begin_ns = request->t1_ns - ahead_ns;
	stretch->end_ns = request->t2_ns - ahead_ns;
	stretch->due_ns += stretch->begin_ns;
	return NULL;
}

static const char *cut_network(struct tw_stretch *stretch,
			       enum tw_view_part *part, int64_t *own_ns,
			       const char *text, int64_t ahead_ns,
			       const struct tw_traced_request *request,
			       const struct tw_traced_request *prev)
{
	int64_t t1_ns = request->t1_ns - ahead_ns;
	int64_t t2_ns = request->t2_ns - ahead_ns;
	int64_t sent_ns = request->sent_ns - ahead_ns;
	int64_t from_ns = waits_from_ns(request, prev) - ahead_ns;
	int64_t arrival_ns = find_arrival(text, stretch->side_pid, from_ns,
					  t1_ns);

	if (!request->sent_ns)
		return "the server's host did not see its reply sent";
	*own_ns = t1_ns - arrival_ns + (sent_ns - t2_ns);
	stretch->waits = TW_BLOCKED;
	*part = t1_ns - arrival_ns >= sent_ns - t2_ns ? TW_VIEW_REQUEST :
							TW_VIEW_REPLY;
	stretch->begin_ns = *part == TW_VIEW_REQUEST ? arrival_ns : t2_ns;
	stretch->end_ns = *part == TW_VIEW_REQUEST ? t1_ns : sent_ns;
	return stretch->begin_ns < stretch->end_ns ? NULL :
	       "the server's host shows no delay";
}

const char *tw_far_cause_cut(struct tw_stretch *stretch,
			     enum tw_view_part *part, int64_t *own_ns,
			     const char *text, int64_t ahead_ns,
			     const struct tw_traced_request *request,
			     const struct tw_traced_request *prev)
{
	*part = TW_VIEW_WHOLE;
	*own_ns = -1;
	if (stretch->phase == TW_SLEEP)
		return cut_sleep(stretch, ahead_ns, request);
	if (stretch->phase == TW_NETWORK)
		return cut_network(stretch, part, own_ns, text, ahead_ns,
				   request, prev);
	return "the delay was on the client's host";
}

static const char *analyse(struct tw_cause_view *view, const char *text,
			   int64_t ahead_ns, const struct tw_session *session,
			   const struct tw_broken *broken,
			   const struct tw_traced_request *request)
{
	const struct tw_pair *pair = tw_session_pair(session,
					(unsigned int)broken->pair);
	const struct tw_traced *traced = pair->limit->traced;
	struct tw_stretch stretch = {
		.phase = broken->phase, .side = TW_SERVER,
		.names = tw_analysis_names((enum tw_metric_id)broken->phase,
					   TW_SERVER),
		.mean_ns = (double)broken->mean_ns,
		.side_pid = traced->pid ? traced->pid :
					  pair->side[TW_SERVER].child.pid,
		.due_ns = pair->task.sleep_ns,
		.throttled = broken->throttled,
		.may_throttle = pair->tally->stall_max_ns > 0,
		.bypass = session->bypass,
	};
	enum tw_view_part part;
	const char *lacks;

	lacks = tw_far_cause_cut(&stretch, &part, &view->own_ns, text,
				 ahead_ns, request,
				 tw_traced_find(traced, request->seq - 1));
	if (lacks)
		return lacks;
	view->after_t1_ns = stretch.begin_ns - (request->t1_ns - ahead_ns);
	stretch.part = tw_view_parts[part];
	stretch.whole_ns = part == TW_VIEW_WHOLE ? 0 : broken->whole_ns;
	tw_analyse_stretch(&view->analysis, text, &stretch);
	/* Without events, when it came is not known either. */
	if (view->analysis.lacks)
		view->own_ns = -1;
	return view->analysis.lacks;
}

static const char *find(struct tw_cause_view *view,
			const struct tw_far_trace *trace,
			const struct tw_session *session,
			const struct tw_broken *broken)
{
	const struct tw_pair *pair = tw_session_pair(session,
					(unsigned int)broken->pair);
	const struct tw_traced *traced = traced_of(session,
					(unsigned int)broken->pair);
	const struct tw_traced_request *request;
	int64_t ahead_ns, from_ns;
	const char *lacks;
	char *text;

	if (!trace || !traced)
		return "the server's host does not trace";
	request = tw_traced_find(traced, (uint64_t)broken->number);
	if (!request)
		return "the server's host does not know of this request";
	ahead_ns = tw_clock_ahead_of_ns(&pair->task.clock, CLOCK_MONOTONIC) +
		   tw_trace_ahead_ns("");
	from_ns = waits_from_ns(request,
				tw_traced_find(traced, request->seq - 1));
	if (from_ns > request->t1_ns - KEPT_NS)
		from_ns = request->t1_ns - KEPT_NS;
	if (tw_far_trace_read(trace, SIZE_MAX, from_ns - ahead_ns, &text,
			      &view->cut))
		return "the server's host could not read its trace";
	view->traced = true;
	lacks = analyse(view, text, ahead_ns, session, broken, request);
	free(text);
	return lacks;
}

int tw_far_cause_send(struct tw_control *control,
		      const struct tw_far_trace *trace,
		      const struct tw_session *session,
		      const struct tw_broken *broken)
{
	static struct tw_cause_view view;
	const char *lacks;

	/* It takes longer than real-time tasks may here; nothing runs now. */
	tw_system_schedule(SCHED_OTHER, 0);
	memset(&view, 0, sizeof(view));
	view.own_ns = -1;
	view.analysis.phase = broken->phase;
	view.analysis.waking_ns = -1;
	view.analysis.running_ns = -1;
	lacks = find(&view, trace, session, broken);
	if (lacks)
		snprintf(view.lacks, sizeof(view.lacks), "%s", lacks);
	return tw_view_send(control, &view);
}
