// SPDX-License-Identifier: GPL-2.0-or-later
/* --trace: with -b, traces the kernel, and says what made the trial long. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "pt_parts.h"
#include "pt_spans.h"
#include "rt-error.h"
#include "rt-utils.h"
#include "tw_file.h"
#include "tw_text.h"
#include "tw_tracefs.h"

#define TRACE_FILE	"primitivetest-trace.txt"
#define KEPT_NS		(20 * TW_NS_PER_MS)	/* in the file */
#define BEFORE_NS	TW_NS_PER_MS	/* who was where, at its begin */

static const char *events;	/* NULL: no --trace */
static const char *path;	/* --trace-file */
static struct tw_window window;	/* of the trace, once the run has broken */
static struct tw_cause cause;
static const struct pt_case *broken;	/* the case that -b ended; or NULL */

static void parse(const struct tw_option *option, char *value)
{
	events = value ? value : TW_TRACEFS_EVENTS;
	if (!*events || strcspn(events, "!;\n") != strlen(events))
		tw_option_refuse(option, value, "allowed is " TW_TRACEFS_ALLOWED);
}

static const struct tw_option options[] = {
	{ 0, "trace", optional_argument, "EVENTS", parse, &events,
	  .help = "with -b: trace the kernel in an instance of its own,\n"
		  "save the last 20 ms, and say what caused the delay;\n"
		  "+EVENTS: in addition to the usual events; stack, also\n"
		  "before EVENTS: with the kernel stack of the culprit" },
	{ 0, "trace-file", required_argument, "FILE", tw_option_path, &path,
	  .help = "where to, default " TRACE_FILE },
	{ .name = NULL }
};

static void check(struct tw_run *run)
{
	if (events && !pt_config.break_us)
		fatal("--trace: allowed only with --breaktrace\n");
	if (path && !events)
		fatal("--trace-file=%s: allowed only with --trace\n", path);
	if (!events)
		return;
	if (!path)
		path = TRACE_FILE;
	tw_file_check(path);
	pt_config.trace = true;
}

static void begin(struct tw_run *run)
{
	cpu_set_t used = pt_config.same_cpus;

	if (!events)
		return;
	if (pt_config.cpus & PT_ON_CROSS)
		CPU_OR(&used, &used, &pt_config.other_cpus);
	tw_tracefs_open(events, &used);
}

/* All since the trial before began. */
static int64_t from_ns(int64_t begin_ns, int64_t end_ns, int64_t ahead_ns)
{
	const struct pt_broke *broke = &broken->broke;
	int64_t from = end_ns - KEPT_NS;

	if (begin_ns - BEFORE_NS < from)
		from = begin_ns - BEFORE_NS;
	if (broke->has_before && broke->before.t_ns[0] - ahead_ns < from)
		from = broke->before.t_ns[0] - ahead_ns;
	return from;
}

static void look(void)
{
	int64_t ahead_ns = broken->broke.ahead_ns + tw_tracefs_ahead_ns();
	int64_t begin_ns = INT64_MAX, end_ns = 0;
	char texts[PT_MARKS][PT_MARK_TEXT], whose[PT_NAME + 48];
	struct tw_mark marks[PT_MARKS];
	struct tw_span spans[PT_METRICS];
	int count = pt_spans_find(broken, ahead_ns, spans), err, i;
	int mark_count = pt_spans_marks(broken, ahead_ns, marks, texts);
	FILE *file;

	for (i = 0; i < mark_count; i++) {
		if (marks[i].at_ns < begin_ns)
			begin_ns = marks[i].at_ns;
		if (marks[i].at_ns > end_ns)
			end_ns = marks[i].at_ns;
	}
	snprintf(whose, sizeof(whose), "primitivetest: %s, trial %" PRIu64,
		 broken->name, broken->broke.kept.number);
	file = tw_tracefs_read();
	err = file ? tw_window_read(&window, file, mark_count ?
				    from_ns(begin_ns, end_ns, ahead_ns) : 0,
				    whose, marks, mark_count) : -errno;
	if (file)
		fclose(file);
	if (count)
		tw_cause_find(&cause, &window, spans, count, tw_bypass_read());
	else
		cause.lacks = "its value is no time that a task took";
	if (err)
		cause.lacks = err == -EINTR ? "a signal ended the reading of the trace" :
			      "the trace could not be read";
}

/* After the end of all who have it open. */
static void end(struct tw_run *run)
{
	int i;

	for (i = 0; i < pt_case_count; i++)
		if (pt_cases[i]->broke.kept.number)
			broken = pt_cases[i];
	if (events && broken)
		look();
	if (events)
		tw_tracefs_close();
}

static void text(FILE *file, const struct tw_run *run)
{
	if (!events || !broken)
		return;
	tw_cause_print(file, &cause);
	fprintf(file, "# Trace: %s\n", path);
}

static void print_trace(FILE *file, const struct tw_run *run)
{
	fputs(window.text ? window.text : "", file);
}

static int write_trace(const struct tw_run *run, int status)
{
	return events && broken ? tw_file_write(path, print_trace, run) : 0;
}

/* A member "@key": the values of the trial, or the usual ones. */
static void write_values(FILE *file, const char *key, bool usual)
{
	const char *comma = "";
	int i;

	fprintf(file, ",\n      \"%s\": {", key);
	for (i = 0; i < broken->columns; i++) {
		int64_t ps = broken->broke.kept.values_ps[i];

		if (ps == PT_NO_VALUE)
			continue;
		fprintf(file, "%s \"%s\": %.6f", comma,
			broken->column[i].metric->token,
			tw_text_real(usual ? pt_spans_usual_ps(broken, i) :
				     (double)ps));
		comma = ",";
	}
	fprintf(file, " }");
}

static void json(FILE *file, const struct tw_run *run)
{
	const struct pt_broke *broke;

	if (!broken) {
		fprintf(file, "    \"break\": null,\n");
		return;
	}
	broke = &broken->broke;
	fprintf(file, "    \"break\": {\n      \"name\": \"%s\", \"metric\": \"%s\", \"trial\": %" PRIu64,
		broken->name, broken->column[broke->column].metric->token,
		broke->kept.number);
	write_values(file, "values", false);
	write_values(file, "means", true);
	fprintf(file, ",\n      \"trace_file\": ");
	if (events) {
		rt_json_string(file, path);
		fprintf(file, ",\n      \"cause\": ");
	} else {
		fprintf(file, "null, \"cause\": ");
	}
	/* A value that is no time of a task has no span. */
	if (cause.span.name)
		tw_cause_json(file, &cause);
	else
		fprintf(file, "null");
	fprintf(file, " },\n");
}

const struct tw_part pt_part_trace = {
	.options = options, .check = check, .begin = begin, .end = end,
	.text = text, .json = json, .write = write_trace,
};
