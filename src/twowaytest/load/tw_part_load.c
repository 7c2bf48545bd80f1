// SPDX-License-Identifier: GPL-2.0-or-later
/* --load and --steps: the load in a run, and what it has done. */
#include <errno.h>
#include <stdio.h>
#include <time.h>

#include "base/tw_json.h"
#include "base/tw_time.h"
#include "load/tw_load_option.h"
#include "load/tw_load_report.h"
#include "load/tw_part_load.h"
#include "run/tw_session.h"

static struct {
	struct tw_load_choice choice;
	int count;		/* workers, without a ramp */
	int policy;
	int64_t priority;
	cpu_set_t cpus;		/* empty: not given */
	int64_t steps;
	struct tw_load load;
	/* Of the current step: what was the case when it began. */
	int64_t begin_ns;	/* CLOCK_MONOTONIC */
	struct tw_load_slot before;
	uint64_t restarts;
	struct tw_work work[TW_LOAD_MAX];
} set;
static const __typeof__(set) initial;

/* At once: the check() of other parts depends on it. */
static int parse_steps(const struct tw_option *option, const char *value,
		       struct tw_run *run)
{
	int err = tw_option_number(option, value, run);

	if (!err)
		run->steps = (int)set.steps;
	return err;
}

static const struct tw_option options[] = {
	TW_LOAD_OPTIONS(&set.choice, &set.cpus, ""),
	{ 0, "load-policy", TW_ARGUMENT, "NAME", tw_option_policy,
	  &set.policy,
	  .help = "policy of the load; default rr for fft beside\n"
		  "real-time client and server, else other" },
	{ 0, "load-priority", TW_ARGUMENT, "PRIO", tw_option_number,
	  &set.priority,
	  .min = 1, .max = 99,
	  .help = "of a load of policy fifo or rr, default 1" },
	{ 0, "steps", TW_ARGUMENT, "N", parse_steps, &set.steps,
	  .min = 1, .max = TW_LOAD_MAX,
	  .help = "ramp: measure N times, with 0 to N-1 workers,\n"
		  "groups or copies" },
	{ .name = NULL }
};

static void complete(const struct tw_run *run)
{
	bool realtime = set.choice.kind && set.choice.kind->realtime &&
			tw_config_is_realtime(tw_config->policy);

	if (set.choice.kind)
		set.count = set.choice.count ? set.choice.count :
					       set.choice.kind->usual;
	if (!tw_option_given(run, "load-policy"))
		set.policy = realtime ? SCHED_RR : SCHED_OTHER;
	if (tw_config_is_realtime(set.policy) && !set.priority)
		set.priority = 1;
}

/* Options of a load, and no load. */
static int check_no_load(struct tw_run *run)
{
	const char *option = NULL;

	if (tw_option_given(run, "load-policy"))
		option = "policy";
	else if (set.priority)
		option = "priority";
	else if (CPU_COUNT(&set.cpus))
		option = "affinity";
	if (set.choice.kind || !option)
		return 0;
	return tw_fail(run, -EINVAL, "--load-%s: there is no load; give --load too",
		       option);
}

static int check_priority(struct tw_run *run)
{
	int priority = (int)set.priority;
	int main_priority = tw_config_priority(tw_config, TW_MAIN, 0);

	if (priority && !tw_config_is_realtime(set.policy))
		return tw_fail(run, -EINVAL, "--load-priority=%d: policy %s has no priorities; give --load-policy=fifo or rr too",
			       priority, tw_system_policy_name(set.policy));
	if (priority && !tw_config->priority)
		return tw_fail(run, -EINVAL, "--load-policy=%s: the load would outrank client and server, which are not real-time; give --priority too",
			       tw_system_policy_name(set.policy));
	if (priority && priority >= main_priority)
		return tw_fail(run, -EINVAL, "--load-priority=%d: allowed is less than the parent process's priority, %d, which must end the load; give a higher --priority, or --load-policy=other",
			       priority, main_priority);
	return 0;
}

static int check_ramp(struct tw_run *run)
{
	if (run->steps == 1 || tw_config->ramp_of_pairs)
		return 0;
	if (!set.choice.kind)
		return tw_fail(run, -EINVAL, "--steps=%d: a ramp needs a load; give --load too",
			       run->steps);
	if (set.choice.count)
		return tw_fail(run, -EINVAL, "--load=%s:%d: contradicts --steps=%d, which sets the number of %s",
			       set.choice.kind->name, set.count, run->steps,
			       set.choice.kind->many);
	if (!tw_config->loops && !tw_config->duration_s)
		return tw_fail(run, -EINVAL, "--steps=%d: a step must have an end; give --loops or --duration",
			       run->steps);
	return 0;
}

static int check(struct tw_run *run)
{
	int err;

	complete(run);
	err = tw_load_check_arguments(run, &set.choice);
	if (!err)
		err = check_no_load(run);
	if (!err)
		err = check_priority(run);
	return err ? err : check_ramp(run);
}

const struct tw_load_ops *tw_load_kind(void)
{
	return set.choice.kind;
}

int tw_load_workers(const struct tw_run *run, int step)
{
	if (!set.choice.kind)
		return 0;
	return run->steps > 1 && !tw_config->ramp_of_pairs ? step : set.count;
}

int tw_load_most(const struct tw_run *run)
{
	return tw_load_workers(run, run->steps - 1);
}

struct tw_load_params tw_load_settings(const struct tw_run *run)
{
	const struct tw_config *config = tw_session(run)->config;
	struct tw_load_params params = {
		.command = set.choice.command,
		.arguments = set.choice.arguments,
		.policy = set.policy,
		.priority = (int)set.priority,
		/* External programs lock their memory themselves, or not. */
		.lock_memory = config->mlockall && set.choice.kind &&
			       set.choice.kind->own,
		.pinned = CPU_COUNT(&set.cpus),
		.cpus = set.cpus,
	};

	if (!params.pinned)
		params.pinned = tw_config_cpus(config, TW_LOAD, 0,
					       &params.cpus);
	return params;
}

const struct tw_work *tw_load_work(int step)
{
	return &set.work[step];
}

static int open_load(struct tw_run *run)
{
	const struct tw_load_params params = tw_load_settings(run);
	char why[TW_LOAD_WHY];
	int err;

	if (!set.choice.kind)
		return 0;
	err = tw_load_open(&set.load, set.choice.kind, &params,
			   tw_load_most(run), why);
	return err ? tw_load_fail(run, &set.choice, err, why) : 0;
}

static void attach(struct tw_run *run, struct tw_pair *pair, void *room)
{
	(void)room;
	pair->workers = tw_load_workers(run, run->step);
}

/* What the load has done before the step: end() takes the difference. */
static void note_progress(void)
{
	set.begin_ns = tw_now_ns(CLOCK_MONOTONIC);
	if (!set.load.shared)
		return;
	set.before = tw_load_progress(&set.load);
	set.restarts = set.load.shared->restarts;
}

static int begin(struct tw_run *run)
{
	int workers = tw_load_workers(run, run->step);
	int err = 0;

	if (set.choice.kind)
		err = set.load.ops->run(&set.load, run->step, workers);
	if (err)
		return tw_load_fail(run, &set.choice, err,
				    set.load.shared->why);
	if (workers)
		tw_load_steady();
	note_progress();
	if (run->steps > 1 && !tw_config->ramp_of_pairs)
		tw_load_print_step(run->output.text.flow.stream, run);
	tw_output_push(run, &run->output.text, 0);
	return 0;
}

static int woken(struct tw_run *run)
{
	return tw_load_woken(run, &set.choice, &set.load);
}

static void end(struct tw_run *run)
{
	struct tw_work *work = &set.work[run->step];
	struct tw_load_slot now;

	work->elapsed_ns = tw_now_ns(CLOCK_MONOTONIC) - set.begin_ns;
	if (!set.load.shared)
		return;
	now = tw_load_progress(&set.load);
	/* While runs begin and end, a count of messages is not exact. */
	if (now.done > set.before.done)
		work->done = now.done - set.before.done;
	work->errors = now.errors - set.before.errors;
	work->restarts = set.load.shared->restarts - set.restarts;
	if (work->errors)
		tw_load_fail_result(run, &set.choice);
}

/* Before the report: its reader may be slow, and the load continue. */
static void finish(struct tw_run *run)
{
	tw_load_finish(run, &set.choice, &set.load);
}

static void close_load(struct tw_run *run)
{
	(void)run;
	tw_load_close(&set.load, NULL);
}

static void json_settings(struct tw_json *json, const struct tw_run *run)
{
	tw_json_int(json, "steps", run->steps);
}

const struct tw_part tw_part_load = {
	.name = "load", .options = options, TW_SETTINGS(set, initial),
	.check = check, .open = open_load, .begin = begin, .end = end,
	.woken = woken, .finish = finish, .close = close_load,
	.attach = attach, .remarks = tw_load_remarks, .text = tw_load_text,
	.json = tw_load_json, .json_settings = json_settings,
};
