// SPDX-License-Identifier: GPL-2.0-or-later
/* -b: the cycle that ended the run, and the analysis of our own trace. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tw_event.h"
#include "tw_json.h"
#include "tw_report.h"
#include "tw_time.h"

#define LINES	40		/* of the time line, on the terminal */

static double to_us(int64_t ns)
{
	return (double)ns / (double)TW_NS_PER_US;
}

static void print_span(FILE *file, const struct tw_span *span)
{
	fprintf(file, "# %10.1f %10.1f %4d  %-18s %s", to_us(span->at_ns),
		to_us(span->for_ns), span->cpu, tw_blame_names[span->blame],
		span->who);
	if (span->prio >= 0 && span->prio < 99 && !span->interrupt)
		fprintf(file, ", priority %d", 99 - span->prio);
	fprintf(file, "\n");
}

/* Short pieces are left out first where there are too many. */
static int64_t shortest_shown(const struct tw_analysis *analysis)
{
	int64_t least_ns = 0;
	int shown, i;

	do {
		shown = 0;
		for (i = 0; i < analysis->count; i++)
			shown += analysis->spans[i].for_ns >= least_ns;
		if (shown > LINES)
			least_ns = least_ns ? 2 * least_ns : TW_NS_PER_US;
	} while (shown > LINES);
	return least_ns;
}

static void print_time_line(FILE *file, const struct tw_analysis *analysis,
			    bool has_mean)
{
	int64_t least_ns = shortest_shown(analysis);
	int64_t left_ns = 0;
	int i;

	fprintf(file, "# Time line of %s: %.1f us, on average ",
		tw_metrics[analysis->phase].token, to_us(analysis->value_ns));
	if (has_mean)
		fprintf(file, "%.1f\n",
			analysis->mean_ns / (double)TW_NS_PER_US);
	else
		fprintf(file, "-\n");
	fprintf(file, "# %10s %10s  CPU  %-18s who had the CPU\n", "at us",
		"for us", tw_role_names[analysis->side]);
	for (i = 0; i < analysis->count; i++) {
		if (analysis->spans[i].for_ns >= least_ns)
			print_span(file, &analysis->spans[i]);
		else
			left_ns += analysis->spans[i].for_ns;
	}
	if (left_ns)
		fprintf(file, "# %10s %10.1f       in shorter pieces\n", "",
			to_us(left_ns));
}

static void print_analysis(FILE *file, const struct tw_analysis *analysis,
			   bool has_mean)
{
	if (analysis->lacks) {
		fprintf(file, "# Cause: unknown, as %s\n", analysis->lacks);
		return;
	}
	fprintf(file, "# Cause: %s\n", analysis->sentence);
	if (analysis->running_ns >= 0)
		fprintf(file, "# Wake-up of the %s: %.1f us from sched_waking to %s\n",
			tw_role_names[analysis->side],
			to_us(analysis->running_ns - analysis->waking_ns),
			analysis->switch_unseen ? "its first event" :
						  "sched_switch");
	print_time_line(file, analysis, has_mean);
}

void tw_report_break(FILE *file, const struct tw_report *report)
{
	const struct tw_config *config = report->config;
	const struct tw_session *session = report->session;
	const struct tw_break *brk = session->broken;

	if (!brk)
		return;
	/* These two as cyclictest. */
	fprintf(file, "# Break thread: %d\n",
		(int)session->pair->side[TW_CLIENT].child.pid);
	fprintf(file, "# Break value: %" PRId64 "\n",
		tw_report_value(config, brk->value_ns));
	fprintf(file, "# Break: %s %" PRId64 " > %" PRId64 ": ",
		tw_metrics[brk->metric].token,
		tw_report_value(config, brk->value_ns),
		tw_report_value(config, brk->limit_ns));
	tw_report_kept(file, report, &brk->kept,
		       brk->number ? brk->means_ns : NULL, brk->metric);
	/* So the kernel answers to marks while it does not trace. */
	if (brk->mark_err == -EBADF)
		fprintf(file, "# Break: no mark: the kernel's tracing is off (tracing_on)\n");
	else if (brk->mark_err)
		fprintf(file, "# Break: could not mark and stop the trace: %s\n",
			strerror(-brk->mark_err));
	if (config->trace && !session->analysis)
		fprintf(file, "# Cause: unknown, as the trace could not be read\n");
	if (session->analysis)
		print_analysis(file, session->analysis, brk->number);
	if (session->trace_text)
		fprintf(file, "# Trace: %s\n", config->trace_file);
}

/* What happened at the stamps of the cycle, as lines among the trace's. */
static int print_marks(FILE *file, const struct tw_break *brk, int next,
		       int64_t before_ns)
{
	const struct tw_cycle *cycle = &brk->kept.cycle;
	const struct {
		int64_t at_ns;
		const char *what;
	} marks[] = {
		{ cycle->planned_ns, "planned: the timer is to expire" },
		{ cycle->t0_ns, "t0: the client is awake, about to send" },
		{ cycle->t1_ns, "t1: the server has read the request" },
		{ cycle->t2_ns, "t2: the server has slept, about to reply" },
		{ cycle->t3_ns, "t3: the client has read the reply" },
	};
	const int count = sizeof(marks) / sizeof(marks[0]);

	for (; next < count; next++) {
		int64_t at_ns = marks[next].at_ns - brk->ahead_ns;

		if (at_ns > before_ns)
			break;
		fprintf(file, "# %" PRId64 ".%09" PRId64 ": twowaytest: cycle %"
			PRIu64 ": %s\n", at_ns / TW_NS_PER_S,
			at_ns % TW_NS_PER_S, brk->number, marks[next].what);
	}
	return next;
}

void tw_report_trace(FILE *file, const struct tw_report *report)
{
	const struct tw_break *brk = report->session->broken;
	const char *text = report->session->trace_text;
	struct tw_event event;
	char line[1024];
	/* In a closed loop nothing was planned. */
	int next = report->config->interval_us ? 0 : 1;
	size_t len;

	for (; text && *text; text += len) {
		len = strcspn(text, "\n");
		len += text[len] == '\n';
		snprintf(line, sizeof(line), "%.*s", (int)len, text);
		if (tw_event_parse(line, &event))
			next = print_marks(file, brk, next, event.time_ns);
		fwrite(text, 1, len, file);
	}
	print_marks(file, brk, next, INT64_MAX);
}

static void json_span(FILE *file, const struct tw_span *span)
{
	fprintf(file, "{\"at_ns\": %" PRId64 ", \"ns\": %" PRId64
		", \"state\": \"%s\", \"cpu\": %d, \"who\": ", span->at_ns,
		span->for_ns, tw_blame_names[span->blame], span->cpu);
	tw_json_string(file, span->who);
	fprintf(file, ", \"pid\": %d, \"prio\": %d, \"interrupt\": %s}",
		span->pid, span->prio, tw_json_bool(span->interrupt));
}

static void json_spans(FILE *file, const char *name,
		       const struct tw_span *spans, int count)
{
	int i;

	fprintf(file, ",\n        \"%s\": [", name);
	for (i = 0; i < count; i++) {
		fprintf(file, "%s\n          ", i ? "," : "");
		json_span(file, &spans[i]);
	}
	fprintf(file, "]");
}

static void json_analysis(FILE *file, const struct tw_analysis *analysis)
{
	fprintf(file, ",\n      \"analysis\": ");
	if (!analysis || analysis->lacks) {
		fprintf(file, "null");
		return;
	}
	fprintf(file, "{\n        \"phase\": \"%s\", \"side\": \"%s\", \"pid\": %d",
		tw_metrics[analysis->phase].token,
		tw_role_names[analysis->side], (int)analysis->side_pid);
	fprintf(file, ", \"ns\": %" PRId64 ", \"mean_ns\": %.1f, \"wakeup_ns\": ",
		analysis->value_ns, analysis->mean_ns);
	if (analysis->running_ns >= 0)
		fprintf(file, "%" PRId64,
			analysis->running_ns - analysis->waking_ns);
	else
		fprintf(file, "null");
	fprintf(file, ",\n        \"cause\": ");
	tw_json_string(file, analysis->sentence);
	json_spans(file, "contributors", analysis->sums, analysis->sum_count);
	json_spans(file, "timeline", analysis->spans, analysis->count);
	fprintf(file, "\n      }");
}

void tw_report_json_break(FILE *file, const struct tw_report *report)
{
	const struct tw_session *session = report->session;
	const struct tw_break *brk = session->broken;
	bool marked = report->config->tracemark || report->config->trace;

	if (!brk) {
		fprintf(file, "    \"break\": null,\n");
		return;
	}
	fprintf(file, "    \"break\": {\n      \"metric\": \"%s\", \"limit_ns\": %"
		PRId64 ", \"value_ns\": %" PRId64 ",\n      ",
		tw_metrics[brk->metric].token, brk->limit_ns, brk->value_ns);
	tw_report_json_kept(file, report, &brk->kept);
	fprintf(file, ",\n      \"marked\": %s, \"trace_file\": ",
		tw_json_bool(marked && !brk->mark_err));
	tw_json_string(file, session->trace_text ?
			     report->config->trace_file : NULL);
	json_analysis(file, session->analysis);
	fprintf(file, "\n    },\n");
}
