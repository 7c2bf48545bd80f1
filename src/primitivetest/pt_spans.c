// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>

#include "pt_spans.h"

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
	return c->column[i].metric->span.to > PT_TO_ADD &&
	       c->broke.kept.values_ps[i] != PT_NO_VALUE;
}

/* Without trials before it: the mean of the warm-up. */
double pt_spans_usual_ps(const struct pt_case *c, int i)
{
	const struct tw_stats *stats = &c->column[i].stats;
	double sum_ps = 0;
	uint64_t n;
	int count = 0;

	if (stats->count > 1)
		return (double)(stats->sum_ns - c->broke.kept.values_ps[i]) /
		       (double)(stats->count - 1);
	for (n = 0; n < c->first_count; n++)
		if (c->first_ps[n][i] != PT_NO_VALUE) {
			sum_ps += (double)c->first_ps[n][i];
			count++;
		}
	return count ? sum_ps / count : (double)c->column[i].target_ps;
}

/* Of a value of several operations, all of them. */
static double excess_ns(const struct pt_case *c, int i)
{
	int per = c->column[i].metric->per > 1 ? c->column[i].metric->per : 1;

	return ((double)c->broke.kept.values_ps[i] -
		pt_spans_usual_ps(c, i)) * per / PT_PS_PER_NS;
}

static bool is_within(const struct pt_metric *part,
		      const struct pt_metric *whole)
{
	return whole->span.to == PT_TO_ADD ||
	       (!whole->value_ps && part->from >= whole->from &&
		part->to <= whole->to);
}

/* A task's name and number; @number: as in struct pt_span. */
static const char *task_of(const struct pt_case *c, int number, pid_t *pid)
{
	*pid = number == PT_OF_TRIAL ? c->broke.kept.trial.pid :
				       c->task[number].pid;
	return number == PT_OF_TRIAL ? "prim-new" : c->task[number].name;
}

static struct tw_span span_of(const struct pt_case *c, int i, int64_t ahead_ns)
{
	const struct pt_metric *metric = c->column[i].metric;
	const struct pt_span *of = &metric->span;
	struct times times = times_of(c, metric);
	struct tw_span span = {
		.name = metric->token, .own = "prim-",
		.mean_ns = (double)(times.end_ns - times.begin_ns) -
			   excess_ns(c, i),
		.waits = of->to == PT_TO_RUN ? TW_BLOCKED : TW_UNKNOWN,
		.works = of->to == PT_TO_RUN || of->to == PT_TO_WAIT_LONG,
		.begin_ns = times.begin_ns - ahead_ns,
		.end_ns = times.end_ns - ahead_ns,
		.due_ns = times.due_ns - ahead_ns,
	};

	span.side = task_of(c, of->task == PT_OF_TRIAL ? PT_OF_TRIAL :
			    of->task + c->broke.kept.trial.copy,
			    &span.side_pid);
	if (of->to == PT_TO_WAIT || of->to == PT_TO_WAIT_LONG)
		span.peer = task_of(c, of->by, &span.peer_pid);
	return span;
}

int pt_spans_find(const struct pt_case *c, int64_t ahead_ns,
		  struct tw_span spans[PT_METRICS])
{
	int i, broken = c->broke.column, count = 0;

	if (has_span(c, broken)) {
		spans[0] = span_of(c, broken, ahead_ns);
		return spans[0].side_pid != 0;
	}
	for (i = 0; i < c->columns; i++)
		if (has_span(c, i) && is_within(c->column[i].metric,
						c->column[broken].metric)) {
			spans[count] = span_of(c, i, ahead_ns);
			count += spans[count].side_pid != 0;
		}
	return count;
}

static int by_time(const void *a, const void *b)
{
	const struct tw_mark *first = a, *second = b;

	return (first->at_ns > second->at_ns) -
	       (first->at_ns < second->at_ns);
}

int pt_spans_marks(const struct pt_case *c, int64_t ahead_ns,
		   struct tw_mark marks[PT_MARKS],
		   char texts[PT_MARKS][PT_MARK_TEXT])
{
	int count = 0, i, end;

	for (i = 0; i < c->columns; i++) {
		struct times times;

		if (!has_span(c, i))
			continue;
		times = times_of(c, c->column[i].metric);
		for (end = 0; end < 2; end++, count++) {
			snprintf(texts[count], PT_MARK_TEXT, "%s %s",
				 c->column[i].metric->token,
				 end ? "ends" : "begins");
			marks[count] = (struct tw_mark) {
				(end ? times.end_ns : times.begin_ns) -
				ahead_ns, texts[count],
			};
		}
	}
	qsort(marks, (size_t)count, sizeof(*marks), by_time);
	return count;
}
