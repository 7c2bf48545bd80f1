// SPDX-License-Identifier: GPL-2.0-or-later
/* --trace: with -b, traces the kernel, and says what made the trial long. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "pt_record.h"
#include "pt_report.h"
#include "tw_cause.h"
#include "tw_file.h"
#include "tw_tracefs.h"

#define KEPT_NS		(20 * TW_NS_PER_MS)	/* in the file */
#define MARKS		(2 * PT_METRICS)
#define MARK_TEXT	(PT_NAME + 16)
#define BEFORE_NS	TW_NS_PER_MS	/* who was where, at its begin */

static struct tw_window window;	/* of the trace, once the run has broken */
static struct tw_cause cause;
static struct tw_file to;
static const struct pt_case *broken;	/* the case that -b ended; or NULL */

static void check(struct tw_run *run)
{
	if (!tw_tracefs_check(pt_config.break_us))
		return;
	to.path = tw_tracefs_file;
	tw_file_add(&to);
	pt_config.trace = true;
}

static void begin(struct tw_run *run)
{
	cpu_set_t used;

	pt_config_cpus(&used);
	if (tw_tracefs_events)
		tw_tracefs_open(&used);
}

static bool has_span(const struct pt_case *c, int i)
{
	return c->column[i].metric->who.to > PT_TO_ADD &&
	       c->broke.kept.values_ps[i] != PT_NO_VALUE;
}

/* Without trials before it: the mean of the warm-up. */
int64_t pt_trace_usual_ps(const struct pt_case *c, int i)
{
	const struct tw_stats *stats = &c->column[i].stats;
	int64_t n, sum_ps = 0, count = 0;

	if (stats->count > 1)
		return (stats->sum - c->broke.kept.values_ps[i]) /
		       (int64_t)(stats->count - 1);
	for (n = 0; n < c->first_count; n++)
		if (c->first_ps[n][i] != PT_NO_VALUE) {
			sum_ps += c->first_ps[n][i];
			count++;
		}
	return count ? sum_ps / count : c->column[i].target_ps;
}

/* Of a value of several operations, all of them. */
static double excess_ns(const struct pt_case *c, int i)
{
	int per = c->column[i].metric->per > 1 ? c->column[i].metric->per : 1;

	return (double)(c->broke.kept.values_ps[i] -
			pt_trace_usual_ps(c, i)) * per / PT_PS_PER_NS;
}

static bool is_within(const struct pt_metric *part,
		      const struct pt_metric *whole)
{
	return whole->who.to == PT_TO_ADD ||
	       (whole->span[2] == whole->span[3] &&
		part->span[0] >= whole->span[0] &&
		part->span[1] <= whole->span[1]);
}

/* A task's name and number; @number: as in struct pt_who. */
static const char *task_of(const struct pt_case *c, int number, pid_t *pid)
{
	*pid = number == PT_OF_TRIAL ? c->broke.kept.trial.pid :
				       c->task[number].pid;
	return number == PT_OF_TRIAL ? "prim-new" : c->task[number].name;
}

static struct tw_span span_of(const struct pt_case *c, int i, int64_t ahead_ns)
{
	const struct pt_metric *metric = c->column[i].metric;
	const struct pt_who *of = &metric->who;
	const struct pt_trial *trial = &c->broke.kept.trial;
	const int from = metric->span[0] % PT_BEFORE, to = metric->span[1];
	struct tw_span span = {
		.name = metric->token, .own = "prim-",
		.waits = of->to == PT_TO_RUN ? TW_BLOCKED : TW_UNKNOWN,
		.works = of->to == PT_TO_RUN || of->to == PT_TO_WAIT_LONG,
		.begin_ns = trial->t_ns[from] - ahead_ns,
		.due_ns = trial->t_ns[from] - ahead_ns,
		.end_ns = trial->t_ns[to] - ahead_ns,
	};

	if (of->to == PT_TO_SLEEP)
		span.begin_ns = trial->t_ns[0] - ahead_ns;
	if (of->to == PT_TO_REPEAT) {
		span.begin_ns = c->before.t_ns[to] - ahead_ns;
		span.due_ns = span.begin_ns +
			      metric->target_ps(c) / PT_PS_PER_NS;
	}
	span.mean_ns = (double)(span.end_ns - span.begin_ns) - excess_ns(c, i);
	span.side = task_of(c, of->task == PT_OF_TRIAL ? PT_OF_TRIAL :
			    of->task + trial->copy, &span.side_pid);
	if (of->to == PT_TO_WAIT || of->to == PT_TO_WAIT_LONG)
		span.peer = task_of(c, of->by, &span.peer_pid);
	return span;
}

int pt_trace_spans(const struct pt_case *c, int64_t ahead_ns,
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

/* Begin and end of each span. */
static int list_marks(const struct pt_case *c, int64_t ahead_ns,
		      struct tw_mark marks[MARKS],
		      char texts[MARKS][MARK_TEXT])
{
	struct tw_span span;
	int count = 0, i;

	for (i = 0; i < c->columns; i++) {
		if (!has_span(c, i))
			continue;
		span = span_of(c, i, ahead_ns);
		snprintf(texts[count], MARK_TEXT, "%s begins", span.name);
		snprintf(texts[count + 1], MARK_TEXT, "%s ends", span.name);
		marks[count] = (struct tw_mark) { span.begin_ns, texts[count] };
		count++;
		marks[count] = (struct tw_mark) { span.end_ns, texts[count] };
		count++;
	}
	qsort(marks, (size_t)count, sizeof(*marks), by_time);
	return count;
}

static int64_t earlier(int64_t a_ns, int64_t b_ns)
{
	return a_ns < b_ns ? a_ns : b_ns;
}

/* All since the trial before began. */
static void look(void)
{
	const struct pt_broke *broke = &broken->broke;
	int64_t ahead_ns = broke->ahead_ns + tw_tracefs_ahead_ns();
	char texts[MARKS][MARK_TEXT], whose[PT_NAME + 48];
	struct tw_mark marks[MARKS];
	struct tw_span spans[PT_METRICS];
	int count = list_marks(broken, ahead_ns, marks, texts);
	int64_t from_ns = 0;

	if (count)
		from_ns = earlier(marks[0].at_ns - BEFORE_NS,
				  marks[count - 1].at_ns - KEPT_NS);
	if (count && !pt_is_left_out(&broken->before))
		from_ns = earlier(from_ns, broken->before.t_ns[0] - ahead_ns);
	snprintf(whose, sizeof(whose), "primitivetest: %s, trial %" PRIu64,
		 broken->name, broke->kept.number);
	tw_window_read(&window, tw_tracefs_read(), from_ns, whose, marks,
		       count);
	tw_cause_find(&cause, &window, spans,
		      pt_trace_spans(broken, ahead_ns, spans),
		      tw_bypass_read());
}

/* After the end of all who have it open. */
static void end(struct tw_run *run)
{
	int i;

	for (i = 0; i < pt_case_count; i++)
		if (pt_cases[i]->broke.kept.number)
			broken = pt_cases[i];
	if (tw_tracefs_events && broken)
		look();
	if (tw_tracefs_events)
		tw_tracefs_close();
}

static void text(FILE *file, const struct tw_run *run)
{
	if (!tw_tracefs_events || !broken)
		return;
	tw_cause_print(file, &cause);
	tw_tracefs_print_file(file);
}

static void print_trace(FILE *file, const struct tw_run *run)
{
	fputs(window.text ? window.text : "", file);
}

static int write_trace(const struct tw_run *run, int status)
{
	return broken ? tw_file_write(&to, print_trace, run) : 0;
}

/* What the JSON says of it. */
static struct told {
	const char *name, *metric, *trace_file;
	uint64_t trial;
	int64_t usual_ps[PT_METRICS];
} told;

static const void *told_of(const void *of)
{
	const struct pt_broke *broke;
	int i;

	if (!broken)
		return NULL;
	broke = &broken->broke;
	told = (struct told) {
		.name = broken->name, .trial = broke->kept.number,
		.metric = broken->column[broke->column].metric->token,
		.trace_file = tw_tracefs_events ? tw_tracefs_file : NULL,
	};
	for (i = 0; i < broken->columns; i++)
		told.usual_ps[i] = broke->kept.values_ps[i] == PT_NO_VALUE ?
			PT_NO_VALUE : pt_trace_usual_ps(broken, i);
	return &told;
}

static const void *values_of(const void *of)
{
	static struct pt_values values;

	values = (struct pt_values) { broken, broken->broke.kept.values_ps };
	return &values;
}

static const void *means_of(const void *of)
{
	static struct pt_values means;

	means = (struct pt_values) { broken, told.usual_ps };
	return &means;
}

/* A value that is no time of a task has no span. */
static const void *cause_of(const void *of)
{
	return tw_tracefs_events ? tw_cause_told(&cause) : NULL;
}

static const struct tw_member of_break[] = {
	{ TW_NAMED(struct told, name), TW_STRING, "Its row." },
	{ TW_NAMED(struct told, metric), TW_STRING, "The one above -b." },
	{ TW_NAMED(struct told, trial), TW_INTEGER, "Its number.",
	  "'minimum': 1" },
	{ "values", TW_NOWHERE, PT_VALUES("By metric, in ns."), .get = values_of },
	{ "means", TW_NOWHERE, PT_VALUES("What was usual."), .get = means_of },
	{ TW_NAMED(struct told, trace_file), TW_STRING, "A file.",
	  .nullable = true },
	{ TW_CAUSE_ROW, .nullable = true, .get = cause_of },
	{ .name = NULL }
};

static const struct tw_member members[] = {
	{ "break", TW_NOWHERE, TW_OBJECT,
	  "The trial that ended the run; null: none.", .nullable = true,
	  .get = told_of, .of = of_break },
	{ .name = NULL }
};

const struct tw_part pt_part_trace = {
	.options = tw_tracefs_options, .group = TW_TOO_LONG, .check = check,
	.begin = begin, .end = end, .text = text,
	.members[TW_OF_RUN] = members, .write = write_trace,
};
