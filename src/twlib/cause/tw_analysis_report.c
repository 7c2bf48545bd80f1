// SPDX-License-Identifier: GPL-2.0-or-later
/* What is printed of an analysis, and written to the JSON. */
#include <stdio.h>
#include <time.h>

#include "base/tw_json.h"
#include "base/tw_time.h"
#include "cause/tw_analysis.h"

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

int64_t tw_analysis_shortest(const struct tw_analysis *analysis)
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
	int64_t least_ns = tw_analysis_shortest(analysis);
	int64_t left_ns = 0;
	int i;

	fprintf(file, "# Time line of %s", analysis->names.phase);
	if (analysis->host[0])
		fprintf(file, " on host %s", analysis->host);
	if (analysis->part)
		fprintf(file, ", %s: %.1f us, the whole on average ",
			analysis->part, to_us(analysis->value_ns));
	else
		fprintf(file, ": %.1f us, on average ",
			to_us(analysis->value_ns));
	if (has_mean)
		fprintf(file, "%.1f\n",
			analysis->mean_ns / (double)TW_NS_PER_US);
	else
		fprintf(file, "-\n");
	fprintf(file, "# %10s %10s  CPU  %-18s who had the CPU\n", "at us",
		"for us", analysis->names.side);
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

void tw_analysis_print_cause(FILE *file, const struct tw_analysis *analysis)
{
	fprintf(file, "# Cause: ");
	if (analysis->host[0])
		fprintf(file, "%s host %s: ", analysis->names.side,
			analysis->host);
	fprintf(file, "%s\n", analysis->sentence);
}

void tw_analysis_print(FILE *file, const struct tw_analysis *analysis,
		       bool has_mean)
{
	if (analysis->lacks) {
		fprintf(file, "# Cause: unknown, as %s\n", analysis->lacks);
		return;
	}
	tw_analysis_print_cause(file, analysis);
	tw_analysis_print_line(file, analysis, has_mean);
}

void tw_analysis_print_line(FILE *file, const struct tw_analysis *analysis,
			    bool has_mean)
{
	if (analysis->running_ns >= 0)
		fprintf(file, "# Wake-up of the %s%s: %.1f us from sched_waking to %s\n",
			analysis->names.title ? analysis->names.title : "",
			analysis->names.side,
			to_us(analysis->running_ns - analysis->waking_ns),
			analysis->switch_unseen ? "its first event" :
						  "sched_switch");
	print_time_line(file, analysis, has_mean);
}

static void json_span(struct tw_json *json, const struct tw_span *span)
{
	tw_json_begin_line(json, NULL, '{');
	tw_json_int(json, "at_ns", span->at_ns);
	tw_json_int(json, "ns", span->for_ns);
	tw_json_text(json, "state", tw_blame_names[span->blame]);
	tw_json_int(json, "cpu", span->cpu);
	tw_json_text(json, "who", span->who);
	tw_json_int(json, "pid", span->pid);
	tw_json_int(json, "prio", span->prio);
	tw_json_bool(json, "interrupt", span->interrupt);
	tw_json_end(json);
}

static void json_spans(struct tw_json *json, const char *key,
		       const struct tw_span *spans, int count)
{
	int i;

	tw_json_begin(json, key, '[');
	for (i = 0; i < count; i++)
		json_span(json, &spans[i]);
	tw_json_end(json);
}

void tw_analysis_json(struct tw_json *json, const char *key,
		      const struct tw_analysis *analysis)
{
	if (!analysis || analysis->lacks) {
		tw_json_null(json, key);
		return;
	}
	tw_json_begin(json, key, '{');
	if (analysis->host[0])
		tw_json_text(json, "host", analysis->host);
	if (analysis->part) {
		tw_json_text(json, "part", analysis->part);
		tw_json_int(json, "whole_ns", analysis->whole_ns);
	}
	tw_json_text(json, "phase", analysis->names.phase);
	tw_json_text(json, "side", analysis->names.side);
	tw_json_int(json, "pid", analysis->side_pid);
	tw_json_int(json, "ns", analysis->value_ns);
	tw_json_real(json, "mean_ns", analysis->mean_ns, 1);
	tw_json_int_if(json, "wakeup_ns", analysis->running_ns >= 0,
		       analysis->running_ns - analysis->waking_ns);
	tw_json_text(json, "cause", analysis->sentence);
	json_spans(json, "contributors", analysis->sums, analysis->sum_count);
	json_spans(json, "timeline", analysis->spans, analysis->count);
	tw_json_end(json);
}
