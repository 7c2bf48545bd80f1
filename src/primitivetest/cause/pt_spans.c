// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cause/pt_spans.h"

/* When the span of @metric began, ended and was due, on the trial's clock. */
struct times {
	int64_t begin_ns, end_ns, due_ns;
};

static struct times times_of(const struct pt_case *c,
			     const struct pt_metric *metric)
{
	const int64_t *t_ns = c->broke.kept.trial.t_ns;
	struct times times = {
		t_ns[metric->from], t_ns[metric->to], t_ns[metric->from],
	};

	if (metric->span.to == PT_TO_SLEEP)
		times.begin_ns = t_ns[0];
	if (metric->span.to == PT_TO_REPEAT) {
		times.begin_ns = c->broke.before.t_ns[metric->to];
		times.due_ns = times.begin_ns +
			       metric->target_ps(c) / PT_PS_PER_NS;
	}
	return times;
}

static bool has_span(const struct pt_case *c, int i)
{
	return c->metric[i]->span.to > PT_TO_ADD &&
	       c->broke.kept.value_ps[i] != PT_NO_VALUE;
}

/* Of a value of several operations, all of them. */
static double excess_ns(const struct pt_case *c, int i)
{
	const struct pt_broke *broke = &c->broke;
	int per = c->metric[i]->per > 1 ? c->metric[i]->per : 1;

	return ((double)broke->kept.value_ps[i] - broke->means_ps[i]) * per /
	       PT_PS_PER_NS;
}

static bool is_within(const struct pt_metric *part,
		      const struct pt_metric *whole)
{
	return whole->span.to == PT_TO_ADD ||
	       (!whole->value_ps && part->from >= whole->from &&
		part->to <= whole->to);
}

/* Its index; -1: none. */
static int find(const struct pt_case *c)
{
	int i, worst = -1;

	if (has_span(c, c->broken))
		return c->broken;
	for (i = 0; i < c->metric_count; i++)
		if (has_span(c, i) &&
		    is_within(c->metric[i], c->metric[c->broken]) &&
		    (worst < 0 || excess_ns(c, i) > excess_ns(c, worst)))
			worst = i;
	return worst;
}

/* A task's name and number; @number: as in struct pt_span. */
static const char *task_of(const struct pt_case *c, int number, pid_t *pid)
{
	const struct pt_trial *trial = &c->broke.kept.trial;
	const struct pt_task *task;

	*pid = trial->pid;
	if (number == PT_OF_TRIAL)
		return "prim-new";
	task = &c->task[number];
	*pid = task->pid;
	return task->name;
}

static void name_tasks(const struct pt_case *c, const struct pt_span *span,
		       struct tw_stretch *stretch)
{
	const bool waits = span->to == PT_TO_WAIT ||
			   span->to == PT_TO_WAIT_LONG;

	stretch->side = span->task == PT_OF_TRIAL ? PT_OF_TRIAL :
			span->task + c->broke.kept.trial.copy;
	stretch->names.side = task_of(c, stretch->side, &stretch->side_pid);
	if (waits)
		stretch->names.peer = task_of(c, span->by,
					      &stretch->peer_pid);
}

const char *pt_spans_find(const struct pt_case *c, int64_t ahead_ns,
			  struct tw_stretch *stretch)
{
	const struct pt_metric *metric;
	struct times times;
	int i = find(c);

	if (i < 0)
		return "its value is no time that a task took";
	metric = c->metric[i];
	times = times_of(c, metric);
	*stretch = (struct tw_stretch) {
		.phase = i,
		.names = {
			.phase = metric->token, .title = "task ",
			.own = "prim-",
		},
		.mean_ns = (double)(times.end_ns - times.begin_ns) -
			   excess_ns(c, i),
		.waits = metric->span.to == PT_TO_RUN ? TW_BLOCKED :
							TW_UNKNOWN,
		.works = metric->span.to == PT_TO_RUN ||
			 metric->span.to == PT_TO_WAIT_LONG,
		.begin_ns = times.begin_ns - ahead_ns,
		.end_ns = times.end_ns - ahead_ns,
		.due_ns = times.due_ns - ahead_ns,
		.throttled = c->broke.throttled,
		.may_throttle = c->config->stall_ns > 0,
		.bypass = c->config->bypass,
	};
	name_tasks(c, &metric->span, stretch);
	return stretch->side_pid ? NULL : "its task is not known";
}

static int by_time(const void *a, const void *b)
{
	const struct tw_trace_mark *first = a, *second = b;

	return (first->at_ns > second->at_ns) -
	       (first->at_ns < second->at_ns);
}

int pt_spans_marks(const struct pt_case *c, int64_t ahead_ns,
		   struct tw_trace_mark marks[PT_MARKS],
		   char texts[PT_MARKS][PT_MARK_TEXT])
{
	int count = 0, i;

	for (i = 0; i < c->metric_count; i++) {
		struct times times;

		if (!has_span(c, i))
			continue;
		times = times_of(c, c->metric[i]);
		snprintf(texts[count], PT_MARK_TEXT, "%s begins",
			 c->metric[i]->token);
		marks[count] = (struct tw_trace_mark) {
			times.begin_ns - ahead_ns, texts[count],
		};
		count++;
		snprintf(texts[count], PT_MARK_TEXT, "%s ends",
			 c->metric[i]->token);
		marks[count] = (struct tw_trace_mark) {
			times.end_ns - ahead_ns, texts[count],
		};
		count++;
	}
	qsort(marks, (size_t)count, sizeof(*marks), by_time);
	return count;
}
