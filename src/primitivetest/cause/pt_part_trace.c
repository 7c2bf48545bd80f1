// SPDX-License-Identifier: GPL-2.0-or-later
/* --trace: the trace of a run that -b ends, and its analysis. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/tw_json.h"
#include "cause/pt_part_cause.h"
#include "cause/pt_spans.h"
#include "cause/tw_trace_option.h"
#include "check/tw_environ.h"
#include "core/pt_report_json.h"
#include "core/pt_session.h"
#include "frame/tw_run.h"

#define TRACE_FILE	"primitivetest-trace.txt"

static struct {
	struct tw_trace_asked asked;
	struct tw_file file;
	struct tw_trace trace;
	struct tw_trace_fds fds;
	const struct pt_case *broken;	/* the case that -b ended; or NULL */
	int64_t ahead_ns;	/* its timestamps' clock minus the trace's */
	char *text;			/* of the trace; or NULL */
	struct tw_analysis *analysis;	/* of this text; or NULL */
} set;
static const __typeof__(set) initial = { .fds = { -1, -1 } };

static const struct tw_option options[] = {
	TW_TRACE_OPTIONS(&set.asked, TRACE_FILE),
	{ .name = NULL }
};

static int check(struct tw_run *run)
{
	return tw_trace_option_check(&set.asked, run, TRACE_FILE);
}

static int open_trace(struct tw_run *run)
{
	struct tw_environ_params params;
	cpu_set_t used;
	int err;

	run->program->environ_params(run, &params);
	used = tw_environ_used(&params);
	err = tw_trace_option_open(&set.asked, run, &set.trace, &set.fds,
				   &used);
	if (!err && set.asked.own)
		pt_config_trace(&set.fds);
	return err;
}

static const struct pt_case *find_broken(const struct pt_session *session)
{
	int i;

	for (i = 0; i < session->count; i++)
		if (session->result[i].c && session->result[i].c->broken_ps)
			return session->result[i].c;
	return NULL;
}

/* All since the trial before began. */
static int64_t trace_from_ns(const struct tw_stretch *stretch)
{
	const struct pt_broke *broke = &set.broken->broke;
	int64_t before_ns = stretch->begin_ns;

	if (broke->has_before && broke->before.t_ns[0] - set.ahead_ns <
				 before_ns)
		before_ns = broke->before.t_ns[0] - set.ahead_ns;
	return tw_trace_file_from_ns(stretch->begin_ns, stretch->end_ns,
				     before_ns);
}

/* Returns whether there is an analysis, which may lack something. */
static bool analyse(const struct tw_stretch *stretch, int64_t from_ns)
{
	free(set.text);
	set.text = NULL;
	if (tw_trace_collect(&set.trace, from_ns, &set.text))
		return false;
	tw_analyse_stretch(set.analysis, set.text, stretch);
	return true;
}

/*
 * A task that is alone on its CPU causes no events: what there is of them is
 * from the time before it had the CPU.
 */
static bool look(void)
{
	struct tw_stretch stretch;
	const char *lacks = pt_spans_find(set.broken, set.ahead_ns, &stretch);

	set.analysis = calloc(1, sizeof(*set.analysis));
	if (!set.analysis)
		return false;
	if (lacks) {
		set.analysis->lacks = lacks;
		return !tw_trace_collect(&set.trace, 0, &set.text);
	}
	return analyse(&stretch, trace_from_ns(&stretch)) &&
	       (!set.analysis->lacks || analyse(&stretch, 0));
}

static void drop_analysis(void)
{
	free(set.analysis);
	set.analysis = NULL;
}

static void finish(struct tw_run *run)
{
	set.broken = find_broken(pt_session(run));
	if (!set.broken)
		return;
	set.ahead_ns = set.broken->broke.ahead_ns + tw_trace_ahead_ns("");
	if (set.trace.dir[0] && !look())
		drop_analysis();
}

static void close_trace(struct tw_run *run)
{
	(void)run;
	pt_config_trace(NULL);
	tw_trace_close_fds(&set.fds);
	tw_trace_close(&set.trace);
	drop_analysis();
	free(set.text);
	set.text = NULL;
}

static bool has_mean(const struct pt_case *c)
{
	return c->broke.kept.number > 1 || c->first_count;
}

static void print_trial(FILE *file, const struct pt_case *c)
{
	const struct pt_broke *broke = &c->broke;
	const char *separator = "";
	int i;

	fprintf(file, "# Break: trial %" PRIu64 " of %s:", broke->kept.number,
		c->name);
	for (i = 0; i < c->metric_count; i++) {
		if (broke->kept.value_ps[i] == PT_NO_VALUE)
			continue;
		fprintf(file, "%s %s %" PRId64, separator,
			c->metric[i]->token,
			broke->kept.value_ps[i] / PT_PS_PER_NS);
		separator = ",";
		if (has_mean(c))
			fprintf(file, " (%.0f)",
				broke->means_ps[i] / PT_PS_PER_NS);
	}
	fprintf(file, " ns\n");
	tw_trace_print_mark_err(file, broke->mark_err);
}

static void text(FILE *file, const struct tw_run *run)
{
	(void)run;
	if (!set.broken)
		return;
	print_trial(file, set.broken);
	if (set.asked.own && !set.analysis)
		fprintf(file, "# Cause: unknown, as the trace could not be read\n");
	if (set.analysis)
		tw_analysis_print(file, set.analysis, has_mean(set.broken));
	if (set.text)
		fprintf(file, "# Trace: %s\n", set.asked.path);
}

static double in_us(double ps)
{
	return ps / PT_PS_PER_NS / (double)TW_NS_PER_US;
}

static void json(struct tw_json *json, const struct tw_run *run)
{
	const struct pt_case *c = set.broken;
	int i;

	(void)run;
	if (!c) {
		tw_json_null(json, "break");
		return;
	}
	tw_json_begin(json, "break", '{');
	tw_json_text(json, "name", c->name);
	tw_json_text(json, "metric", c->metric[c->broken]->token);
	tw_json_uint(json, "trial", c->broke.kept.number);
	tw_json_real(json, "value", in_us((double)c->broken_ps), 3);
	pt_report_json_kept(json, c, &c->broke.kept);
	tw_json_begin(json, "means", '{');
	for (i = 0; i < c->metric_count; i++)
		tw_json_real_if(json, c->metric[i]->token, has_mean(c),
				in_us(c->broke.means_ps[i]), 6);
	tw_json_end(json);
	tw_json_bool(json, "throttled", c->broke.throttled);
	tw_json_bool(json, "marked", set.asked.own && !c->broke.mark_err);
	tw_json_text(json, "trace_file", set.text ? set.asked.path : NULL);
	tw_analysis_json(json, "analysis", set.analysis);
	tw_json_end(json);
}

static void json_settings(struct tw_json *json, const struct tw_run *run)
{
	(void)run;
	tw_trace_option_json(&set.asked, json);
}

static bool has_trace(const struct tw_run *run)
{
	(void)run;
	return set.text;
}

static int write_trace(const struct tw_run *run, FILE *file)
{
	char texts[PT_MARKS][PT_MARK_TEXT], whose[PT_NAME + 48];
	struct tw_trace_mark marks[PT_MARKS];
	int count = pt_spans_marks(set.broken, set.ahead_ns, marks, texts);

	(void)run;
	snprintf(whose, sizeof(whose), "primitivetest: %s, trial %" PRIu64,
		 set.broken->name, set.broken->broke.kept.number);
	tw_trace_file_write(file, set.text, whose, marks, count);
	return 0;
}

static const struct tw_result result = {
	.option = "trace-file", .path = &set.asked.path, .file = &set.file,
	.write = write_trace, .has_any = has_trace,
};

const struct tw_part pt_part_trace = {
	.name = "trace", .options = options, TW_SETTINGS(set, initial),
	.check = check, .open = open_trace, .finish = finish,
	.close = close_trace, .text = text, .json = json,
	.json_settings = json_settings, .result = &result,
};
