// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * -b and --break-on: the run ends at the first cycle in which a metric is above
 * a limit.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/tw_json.h"
#include "base/tw_time.h"
#include "cause/tw_part_break.h"
#include "cause/tw_part_cause.h"
#include "measure/tw_ring.h"
#include "result/tw_kept.h"
#include "run/tw_session.h"

static struct {
	int64_t limit_us;	/* 0: off */
	enum tw_metric_id metric;
	/* Of the step: see struct tw_break. */
	_Atomic unsigned int *first;
	struct tw_break *end;	/* the break that ended the run; or NULL */
} set;
static const __typeof__(set) initial = { .metric = TW_RESPONSE };

static const struct tw_option options[] = {
	{ 'b', "breaktrace", TW_ARGUMENT, "US", tw_option_number,
	  &set.limit_us,
	  .min = 1, .max = 1000000000,
	  .help = "end at the first cycle whose response exceeds US,\n"
		  "with exit status 2; see --break-on. --warmup=100\n"
		  "leaves out what the start disturbs" },
	{ 0, "break-on", TW_ARGUMENT, "METRIC", tw_option_metric, &set.metric,
	  .help = "the metric that -b looks at, default response" },
	{ .name = NULL }
};

struct tw_break *tw_part_break_end(void)
{
	return set.end;
}

static int check(struct tw_run *run)
{
	const char *lacks = tw_config_unfit(tw_config, set.metric);

	if (tw_option_given(run, "break-on") && !set.limit_us)
		return tw_fail(run, -EINVAL, "--break-on: there is no value to break at; give -b too");
	if (lacks)
		return tw_fail(run, -EINVAL, "--break-on=%s: %s",
			       tw_metrics[set.metric].token, lacks);
	return 0;
}

/* Records a cycle, and ends the run at the cycle that exceeds the limit. */
static void record_or_break(void *sink, const struct tw_cycle *cycle)
{
	struct tw_pair *pair = sink;

	if (tw_break_check(pair->brk, pair->tally, &pair->task.clock, cycle))
		atomic_store(&pair->stop, 1);
	tw_tally_add(pair->tally, cycle);
	if (pair->ring)
		tw_ring_put(pair->ring, cycle);
}

static size_t room(const struct tw_run *run)
{
	(void)run;
	return set.limit_us ? sizeof(struct tw_break) : 0;
}

static void attach(struct tw_run *run, struct tw_pair *pair, void *memory)
{
	int i;

	(void)run;
	if (!set.limit_us)
		return;
	pair->brk = memory;
	/* The pairs of a step are mapped in order. */
	if (!pair->number)
		set.first = &pair->brk->first_of_all;
	pair->brk->first = set.first;
	pair->brk->limit_ns = set.limit_us * TW_NS_PER_US;
	pair->brk->metric = set.metric;
	for (i = 0; i < TW_TRACES; i++)
		pair->brk->traces[i] = (struct tw_trace_fds) { -1, -1 };
	pair->record = record_or_break;
	pair->prompt = true;
}

/* The one that has ended the step; or NULL. */
static struct tw_break *broken_in(const struct tw_pairs *step)
{
	unsigned int k;

	for (k = 0; step && k < step->count; k++)
		if (step->pair[k]->brk && step->pair[k]->brk->broken)
			return step->pair[k]->brk;
	return NULL;
}

static void end(struct tw_run *run)
{
	if (broken_in(tw_session(run)->pairs))
		run->over = true;
}

static void finish(struct tw_run *run)
{
	const struct tw_session *session = tw_session(run);

	if (session->steps_done)
		set.end = broken_in(&session->steps[session->steps_done - 1]);
}

static bool exceeded(const struct tw_run *run)
{
	(void)run;
	return set.end;
}

static void text(FILE *file, const struct tw_run *run)
{
	const struct tw_break *brk = set.end;

	if (!brk)
		return;
	/* These two as cyclictest. */
	fprintf(file, "# Break thread: %d\n",
		(int)tw_session_pair(tw_session(run), brk->kept.pair)->
			side[TW_CLIENT].child.pid);
	fprintf(file, "# Break value: %" PRId64 "\n",
		tw_value(run->show->nsecs, brk->value_ns));
	fprintf(file, "# Break: %s %" PRId64 " > %" PRId64 ": ",
		tw_metrics[brk->metric].token,
		tw_value(run->show->nsecs, brk->value_ns),
		tw_value(run->show->nsecs, brk->limit_ns));
	tw_kept_print(file, run, &brk->kept,
		      brk->number ? brk->means_ns : NULL, brk->metric);
	tw_trace_print_mark_err(file, brk->mark_err);
}

static void json(struct tw_json *json, const struct tw_run *run)
{
	const struct tw_break *brk = set.end;

	if (!brk) {
		tw_json_null(json, "break");
		return;
	}
	tw_json_begin(json, "break", '{');
	tw_json_text(json, "metric", tw_metrics[brk->metric].token);
	tw_json_int(json, "limit_ns", brk->limit_ns);
	tw_json_int(json, "value_ns", brk->value_ns);
	tw_kept_json(json, run, &brk->kept);
	if (brk->json)
		brk->json(json, brk);
	tw_json_end(json);
}

static void json_settings(struct tw_json *json, const struct tw_run *run)
{
	(void)run;
	tw_json_int_if(json, "break_us", set.limit_us, set.limit_us);
	tw_json_text(json, "break_on", tw_metrics[set.metric].token);
}

const struct tw_part tw_part_break = {
	.name = "break", .options = options, TW_SETTINGS(set, initial),
	.check = check, .room = room, .attach = attach, .end = end,
	.finish = finish, .exceeded = exceeded, .text = text, .json = json,
	.json_settings = json_settings,
};
