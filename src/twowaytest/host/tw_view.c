// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "host/tw_view.h"

/* The first WINDOW. */
struct head {
	bool traced;
	char lacks[192];
	int64_t cut;
	int64_t own_ns, after_t1_ns;
	int phase, part;
	int64_t pid;
	int64_t value_ns, whole_ns, mean_ns;
	int64_t waking_ns, running_ns;
	bool switch_unseen, throttling;
	char sentence[384];
	int64_t spans, sums;
};

/* The others: first those of the time line, then the sums. */
struct spans {
	int64_t count;
	struct {
		int64_t at_ns, for_ns;
		int blame;
		int64_t cpu, pid, prio;
		bool interrupt;
		char who[48];
	} each[TW_VIEW_SPANS];
};

/* In the order of enum tw_metric_id, as far as there are such phases. */
static const char *const phase_words[] = {
	[TW_INTERVAL] = "interval", [TW_SEND] = "send", [TW_SLEEP] = "sleep",
	[TW_RECEIVE] = "receive", [TW_RESPONSE] = "response",
	[TW_TOTAL] = "total", [TW_WAKEUP] = "wakeup",
	[TW_PLANNED] = "planned", [TW_NETWORK] = "network",
	[TW_METRICS] = NULL
};

static const char *const blame_words[] = {
	[TW_UNKNOWN] = "unknown", [TW_ASLEEP] = "asleep",
	[TW_TIMER_LATE] = "timer_late", [TW_BLOCKED] = "blocked",
	[TW_PEER_RUNS] = "peer_runs",
	[TW_PEER_INTERRUPTED] = "peer_interrupted",
	[TW_PEER_RUNNABLE] = "peer_runnable",
	[TW_PEER_BLOCKED] = "peer_blocked", [TW_ON_THE_WAY] = "on_the_way",
	[TW_RUNNABLE] = "runnable", [TW_INTERRUPTED] = "interrupted",
	[TW_RUNS] = "runs", [TW_AWAITS] = "awaits", [TW_BLAMES] = NULL
};

static const char *const part_words[] = {
	[TW_VIEW_WHOLE] = "whole", [TW_VIEW_REQUEST] = "request",
	[TW_VIEW_REPLY] = "reply", [TW_VIEW_PARTS] = NULL
};

const char *const tw_view_parts[] = {
	[TW_VIEW_WHOLE] = NULL,
	[TW_VIEW_REQUEST] = "from the request's wake-up to t1",
	[TW_VIEW_REPLY] = "from t2 until the reply was sent",
};

#define INT(type, member, low, high) \
	{ .name = #member, .kind = TW_KEY_INT, .min = low, .max = high, \
	  .offset = offsetof(struct type, member), .required = true }
#define WORD(type, member, list) \
	{ .name = #member, .kind = TW_KEY_WORD, .words = list, \
	  .offset = offsetof(struct type, member), .required = true }
#define FLAG(type, member) \
	{ .name = #member, .kind = TW_KEY_BOOL, \
	  .offset = offsetof(struct type, member), .required = true }
#define TEXT(type, member) \
	{ .name = #member, .kind = TW_KEY_TEXT, .required = true, \
	  .offset = offsetof(struct type, member), \
	  .size = sizeof(((struct type *)0)->member) }
#define EACH(member, how, ...) \
	{ .name = #member, .kind = how, __VA_ARGS__ \
	  .offset = offsetof(struct spans, each[0].member), \
	  .stride = sizeof(((struct spans *)0)->each[0]), \
	  .most = TW_VIEW_SPANS, .count = offsetof(struct spans, count), \
	  .required = true }
#define EACH_INT(member, low, high) \
	EACH(member, TW_KEY_INT, .min = low, .max = high,)

#define LONGEST	INT64_C(1000000000000000)	/* 11 days, in ns */

const struct tw_key tw_broken_keys[] = {
	INT(tw_broken, pair, 0, TW_FAR_PAIRS - 1),
	INT(tw_broken, number, 1, INT64_MAX),
	WORD(tw_broken, phase, phase_words),
	INT(tw_broken, whole_ns, -LONGEST, LONGEST),
	INT(tw_broken, mean_ns, -LONGEST, LONGEST),
	FLAG(tw_broken, throttled),
	{ .name = NULL }
};

static const struct tw_key head_keys[] = {
	FLAG(head, traced),
	TEXT(head, lacks),
	INT(head, cut, 0, INT32_MAX),
	INT(head, own_ns, -1, LONGEST),
	INT(head, after_t1_ns, -LONGEST, LONGEST),
	WORD(head, phase, phase_words),
	WORD(head, part, part_words),
	INT(head, pid, 0, INT32_MAX),
	INT(head, value_ns, -LONGEST, LONGEST),
	INT(head, whole_ns, -LONGEST, LONGEST),
	INT(head, mean_ns, -LONGEST, LONGEST),
	INT(head, waking_ns, -1, LONGEST),
	INT(head, running_ns, -1, LONGEST),
	FLAG(head, switch_unseen),
	FLAG(head, throttling),
	TEXT(head, sentence),
	INT(head, spans, 0, TW_SPANS),
	INT(head, sums, 0, TW_SPANS),
	{ .name = NULL }
};

static const struct tw_key spans_keys[] = {
	INT(spans, count, 1, TW_VIEW_SPANS),
	EACH_INT(at_ns, 0, LONGEST),
	EACH_INT(for_ns, 0, LONGEST),
	EACH(blame, TW_KEY_WORD, .words = blame_words,),
	EACH_INT(cpu, -1, INT32_MAX),
	EACH_INT(pid, -1, INT32_MAX),
	EACH_INT(prio, -1, INT32_MAX),
	EACH(interrupt, TW_KEY_BOOL,),
	EACH(who, TW_KEY_TEXT, .size = 48,),
	{ .name = NULL }
};

static int part_of(const struct tw_analysis *analysis)
{
	int part;

	for (part = TW_VIEW_REQUEST; part < TW_VIEW_PARTS; part++)
		if (analysis->part == tw_view_parts[part])
			return part;
	return TW_VIEW_WHOLE;
}

static int send_spans(struct tw_control *control,
		      const struct tw_span *list, int count)
{
	struct spans spans;
	int err = 0, i;

	for (; !err && count > 0; count -= TW_VIEW_SPANS) {
		spans.count = count < TW_VIEW_SPANS ? count :
							TW_VIEW_SPANS;
		for (i = 0; i < spans.count; i++, list++) {
			spans.each[i].at_ns = list->at_ns;
			spans.each[i].for_ns = list->for_ns;
			spans.each[i].blame = list->blame;
			spans.each[i].cpu = list->cpu;
			spans.each[i].pid = list->pid;
			spans.each[i].prio = list->prio;
			spans.each[i].interrupt = list->interrupt;
			memcpy(spans.each[i].who, list->who,
			       sizeof(list->who));
		}
		err = tw_control_send(control, TW_FRAME_WINDOW, spans_keys,
				      &spans);
	}
	return err;
}

int tw_view_send(struct tw_control *control,
		   const struct tw_cause_view *view)
{
	const struct tw_analysis *analysis = &view->analysis;
	struct head head = {
		.traced = view->traced, .own_ns = view->own_ns,
		.cut = view->cut < INT32_MAX ? (int64_t)view->cut : INT32_MAX,
		.after_t1_ns = view->after_t1_ns,
		.phase = analysis->phase, .part = part_of(analysis),
		.pid = analysis->side_pid, .value_ns = analysis->value_ns,
		.whole_ns = analysis->whole_ns,
		.mean_ns = (int64_t)analysis->mean_ns,
		.waking_ns = analysis->waking_ns,
		.running_ns = analysis->running_ns,
		.switch_unseen = analysis->switch_unseen,
		.throttling = analysis->throttling,
		.spans = analysis->count, .sums = analysis->sum_count,
	};
	int err;

	snprintf(head.lacks, sizeof(head.lacks), "%s", view->lacks);
	if (!view->lacks[0] && analysis->lacks)
		snprintf(head.lacks, sizeof(head.lacks), "%s",
			 analysis->lacks);
	snprintf(head.sentence, sizeof(head.sentence), "%s",
		 analysis->sentence);
	err = tw_control_send(control, TW_FRAME_WINDOW, head_keys, &head);
	if (!err)
		err = send_spans(control, analysis->spans, analysis->count);
	if (!err)
		err = send_spans(control, analysis->sums,
				 analysis->sum_count);
	return err;
}

static int receive_spans(struct tw_control *control, struct tw_span *list,
			 int64_t left, char *why)
{
	struct spans spans;
	int64_t i;
	int err;

	for (; left; left -= spans.count) {
		err = tw_control_await(control, TW_FRAME_WINDOW, spans_keys,
				       &spans, -1, TW_STEP_MS, why);
		if (!err && spans.count > left) {
			snprintf(why, TW_REFUSAL_TEXT, "it sent more of its trace than it said");
			err = -EPROTO;
		}
		if (err)
			return err;
		for (i = 0; i < spans.count; i++, list++) {
			*list = (struct tw_span) {
				.at_ns = spans.each[i].at_ns,
				.for_ns = spans.each[i].for_ns,
				.blame = (enum tw_blame)spans.each[i].blame,
				.cpu = (int)spans.each[i].cpu,
				.pid = (int)spans.each[i].pid,
				.prio = (int)spans.each[i].prio,
				.interrupt = spans.each[i].interrupt,
			};
			memcpy(list->who, spans.each[i].who,
			       sizeof(list->who));
		}
	}
	return 0;
}

static void take_head(struct tw_cause_view *view, const struct head *head)
{
	struct tw_analysis *analysis = &view->analysis;

	view->traced = head->traced;
	view->cut = (size_t)head->cut;
	view->own_ns = head->own_ns;
	view->after_t1_ns = head->after_t1_ns;
	memcpy(view->lacks, head->lacks, sizeof(view->lacks));
	*analysis = (struct tw_analysis) {
		.phase = head->phase, .side = TW_SERVER,
		.names = tw_analysis_names((enum tw_metric_id)head->phase,
					   TW_SERVER),
		.part = tw_view_parts[head->part],
		.side_pid = (pid_t)head->pid, .side_prio = -1,
		.peer_prio = -1, .value_ns = head->value_ns,
		.whole_ns = head->whole_ns, .mean_ns = (double)head->mean_ns,
		.waking_ns = head->waking_ns, .running_ns = head->running_ns,
		.switch_unseen = head->switch_unseen,
		.throttling = head->throttling,
		.count = (int)head->spans, .sum_count = (int)head->sums,
	};
	memcpy(analysis->sentence, head->sentence,
	       sizeof(analysis->sentence));
}

int tw_view_receive(struct tw_control *control, struct tw_cause_view *view,
		      char why[TW_REFUSAL_TEXT])
{
	struct head head;
	int err = tw_control_await(control, TW_FRAME_WINDOW, head_keys, &head,
				   -1, TW_VIEW_MS, why);

	if (err)
		return err;
	take_head(view, &head);
	err = receive_spans(control, view->analysis.spans, head.spans, why);
	return err ? err : receive_spans(control, view->analysis.sums,
					 head.sums, why);
}

void tw_view_name(struct tw_cause_view *view, const char *host)
{
	snprintf(view->host, sizeof(view->host), "%.63s", host);
	memcpy(view->analysis.host, view->host, sizeof(view->host));
}
