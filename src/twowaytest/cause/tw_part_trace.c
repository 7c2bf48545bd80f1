// SPDX-License-Identifier: GPL-2.0-or-later
/* --trace and --tracemark: the trace of a run, and its analysis. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/tw_json.h"
#include "base/tw_time.h"
#include "cause/tw_analysis_phase.h"
#include "cause/tw_part_break.h"
#include "cause/tw_part_cause.h"
#include "cause/tw_part_trace.h"
#include "cause/tw_trace_file.h"
#include "cause/tw_trace_option.h"
#include "run/tw_session.h"

#define TRACE_FILE	"twowaytest-trace.txt"
#define MARKS		5

static struct {
	bool mark;		/* in the user's trace */
	struct tw_trace_asked asked;	/* the program's own trace */
	struct tw_file file;
	struct tw_trace_fds fds[TW_TRACES];
	struct tw_trace trace;	/* our own */
	char *text;		/* text of our trace; or NULL */
	struct tw_analysis *analysis;	/* analysis of this text; or NULL */
	/* Between two hosts: what the server's saw, and what it comes to. */
	const struct tw_cause_view *far;
	struct tw_cause_view near;
	struct tw_cause cause;
} set;
static const __typeof__(set) initial = {
	.fds = {
		[TW_TRACE_USER] = { -1, -1 },
		[TW_TRACE_OWN] = { -1, -1 },
	},
};

static const struct tw_option options[] = {
	TW_TRACE_OPTIONS(&set.asked, TRACE_FILE),
	{ 0, "tracemark", TW_NO_ARGUMENT, NULL, tw_option_flag, &set.mark,
	  .help = "with -b: mark the cycle in the kernel's trace, and\n"
		  "stop the tracing" },
	{ .name = NULL }
};

bool tw_part_trace_wanted(void)
{
	return set.asked.own;
}

const char *tw_part_trace_events(void)
{
	return set.asked.events;
}

void tw_part_trace_far(const struct tw_cause_view *view)
{
	set.far = view;
}

static int check(struct tw_run *run)
{
	/* There it allows clients on other hosts to ask for it. */
	if (tw_option_given(run, "server"))
		return 0;
	if (set.mark && !tw_option_given(run, "breaktrace"))
		return tw_fail(run, -EINVAL, "--tracemark: there is no value to break at; give -b too");
	return tw_trace_option_check(&set.asked, run, TRACE_FILE);
}

static int open_trace(struct tw_run *run)
{
	const struct tw_session *session = tw_session(run);
	const struct tw_config *config = session->config;
	char why[TW_TRACE_WHY];
	cpu_set_t used, servers;
	int err = 0;

	tw_config_all_cpus(config, TW_CLIENT, &used);
	tw_config_all_cpus(config, TW_SERVER, &servers);
	if (tw_session_has(session, TW_SERVER))
		CPU_OR(&used, &used, &servers);
	if (set.mark)
		err = tw_trace_open_user(&set.fds[TW_TRACE_USER], why);
	if (err)
		return tw_fail(run, err, "--tracemark: %s", why);
	return tw_trace_option_open(&set.asked, run, &set.trace,
				    &set.fds[TW_TRACE_OWN], &used);
}

/* What is known of the trace, as members of the "break" object. */
static void json_break(struct tw_json *json, const struct tw_break *brk)
{
	tw_json_bool(json, "marked", (set.mark || set.asked.own) && !brk->mark_err);
	tw_json_text(json, "trace_file", set.text ? set.asked.path : NULL);
	if (set.far)
		tw_cause_json(json, &set.cause);
	else
		tw_analysis_json(json, "analysis", set.analysis);
}

/* Only the client writes markers and stops the traces. */
static void attach(struct tw_run *run, struct tw_pair *pair, void *room)
{
	int i;

	(void)run;
	(void)room;
	if (!pair->brk)
		return;
	pair->brk->json = json_break;
	memcpy(pair->brk->traces, set.fds, sizeof(pair->brk->traces));
	for (i = 0; i < TW_TRACES; i++) {
		pair->keep[2 * i] = set.fds[i].mark;
		pair->keep[2 * i + 1] = set.fds[i].stop;
	}
}

static int64_t trace_from_ns(const struct tw_break *brk)
{
	const struct tw_cycle *cycle = &brk->kept.cycle;

	return tw_trace_file_from_ns(cycle->planned_ns, cycle->t3_ns,
				     cycle->prev_t0_ns) - brk->ahead_ns;
}

/* Whose doing it was, of two hosts. */
static void judge(const struct tw_break *brk, const struct tw_tally *tally)
{
	const struct tw_metric_params *params = &tally->params;
	enum tw_metric_id id = tw_analysis_phase(brk, params);
	double value_ns = (double)tw_metrics[id].value_ns(&brk->kept.cycle,
							  params);
	struct tw_cause_view *near = &set.near;
	struct utsname name;

	uname(&name);
	snprintf(near->host, sizeof(near->host), "%.63s", name.nodename);
	near->own_ns = -1;
	near->traced = set.analysis;
	if (set.analysis) {
		memcpy(set.analysis->host, near->host, sizeof(near->host));
		near->analysis = *set.analysis;
	}
	if (set.analysis && !set.analysis->lacks)
		near->own_ns = near->analysis.value_ns -
			       tw_analysis_time_of(&near->analysis, TW_AWAITS);
	set.cause = (struct tw_cause) {
		.phase = id, .excess_ns = value_ns - brk->means_ns[id],
		.has_mean = brk->number, .client = near, .server = set.far,
	};
	set.cause.where = tw_cause_decide(id, set.cause.excess_ns,
					  near->own_ns, set.far->own_ns);
	tw_cause_place(&set.cause, &brk->kept.cycle, tally->oneway);
}

/* What the trace here tells. */
static void look(struct tw_session *session, const struct tw_break *brk)
{
	const struct tw_pair *pair = tw_session_pair(session, brk->kept.pair);
	const struct tw_metric_params *params = &pair->tally->params;
	pid_t pids[TW_ROLES] = { 0 };

	pids[TW_SERVER] = tw_server_of(session, pair)->child.pid;
	pids[TW_CLIENT] = pair->side[TW_CLIENT].child.pid;
	set.analysis = malloc(sizeof(*set.analysis));
	if (!set.analysis)
		return;
	tw_analyse(set.analysis, set.text, brk, params, pids,
		   pair->tally->stall_max_ns > 0, session->bypass);
	session->throttling_traced = !set.analysis->lacks;
	session->throttling = set.analysis->throttling &&
			      pair->tally->stall_max_ns > 0;
}

static void finish(struct tw_run *run)
{
	struct tw_session *session = tw_session(run);
	struct tw_break *brk = tw_part_break_end();
	const struct tw_pair *pair;

	if (!brk)
		return;
	/* From here on, it is the trace's clock that the stamps go to. */
	brk->ahead_ns += tw_trace_ahead_ns("");
	if (set.trace.dir[0] &&
	    !tw_trace_collect(&set.trace, trace_from_ns(brk), &set.text))
		look(session, brk);
	pair = tw_session_pair(session, brk->kept.pair);
	if (set.far)
		judge(brk, pair->tally);
}

static void close_trace(struct tw_run *run)
{
	int i;

	(void)run;
	for (i = 0; i < TW_TRACES; i++)
		tw_trace_close_fds(&set.fds[i]);
	tw_trace_close(&set.trace);
	free(set.text);
	free(set.analysis);
	set.text = NULL;
	set.analysis = NULL;
}

static void text(FILE *file, const struct tw_run *run)
{
	const struct tw_break *brk = tw_part_break_end();

	(void)run;
	if (!brk)
		return;
	if (set.far)
		tw_cause_print(file, &set.cause);
	else if (set.asked.own && !set.analysis)
		fprintf(file, "# Cause: unknown, as the trace could not be read\n");
	if (set.analysis && !set.far)
		tw_analysis_print(file, set.analysis, brk->number);
	if (set.text)
		fprintf(file, "# Trace: %s\n", set.asked.path);
}

static void json_settings(struct tw_json *json, const struct tw_run *run)
{
	(void)run;
	tw_json_bool(json, "tracemark", set.mark);
	tw_trace_option_json(&set.asked, json);
}

static bool has_trace(const struct tw_run *run)
{
	(void)run;
	return set.text;
}

/*
 * What happened at the stamps of the cycle; stamps of another clock have no
 * place in the trace.
 */
static int list_marks(struct tw_trace_mark marks[MARKS],
		      const struct tw_break *brk,
		      const struct tw_config *config)
{
	const struct tw_cycle *cycle = &brk->kept.cycle;
	const struct {
		int64_t at_ns;
		const char *what;
		bool by_server;
	} all[MARKS] = {
		{ cycle->planned_ns, "planned: the timer is to expire", false },
		{ cycle->t0_ns, "t0: the client is awake, about to send",
		  false },
		{ cycle->t1_ns, "t1: the server has read the request", true },
		{ cycle->t2_ns, "t2: the server has slept, about to reply",
		  true },
		{ cycle->t3_ns, "t3: the client has read the reply", false },
	};
	int count = 0, i;

	/* In a closed loop nothing was planned. */
	for (i = config->interval_us ? 0 : 1; i < MARKS; i++)
		if (!all[i].by_server || !config->two_clocks)
			marks[count++] = (struct tw_trace_mark) {
				all[i].at_ns - brk->ahead_ns, all[i].what,
			};
	return count;
}

static int write_trace(const struct tw_run *run, FILE *file)
{
	const struct tw_break *brk = tw_part_break_end();
	struct tw_trace_mark marks[MARKS];
	int count = list_marks(marks, brk, tw_session(run)->config);
	char whose[64];

	snprintf(whose, sizeof(whose), "twowaytest: cycle %" PRIu64,
		 brk->number);
	tw_trace_file_write(file, set.text, whose, marks, count);
	return 0;
}

static const struct tw_result result = {
	.option = "trace-file", .path = &set.asked.path, .file = &set.file,
	.write = write_trace, .has_any = has_trace,
};

const struct tw_part tw_part_trace = {
	.name = "trace", .options = options, TW_SETTINGS(set, initial),
	.check = check, .open = open_trace, .attach = attach,
	.finish = finish, .close = close_trace, .text = text,
	.json_settings = json_settings, .result = &result,
};
