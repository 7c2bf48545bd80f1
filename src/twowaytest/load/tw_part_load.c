// SPDX-License-Identifier: GPL-2.0-or-later
/* --load and --steps: the load in a run, and what it has done. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "base/tw_json.h"
#include "base/tw_time.h"
#include "load/tw_load_report.h"
#include "load/tw_part_load.h"
#include "run/tw_session.h"

#define SHOWN		60	/* bytes of a command in a message */
#define SETTLE_NS	(200 * TW_NS_PER_MS)

static struct {
	const struct tw_load_ops *kind;	/* NULL: no load */
	const char *command;
	const char *arguments;
	int count;		/* workers, without a ramp */
	bool count_given;
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

/* What follows the colon: a number, or for command the command. */
static int parse_argument(const struct tw_option *option, const char *value,
			  const char *argument, struct tw_run *run)
{
	const char *digits = "0123456789";
	long count;

	if (set.kind->takes_command) {
		set.command = argument;
		return 0;
	}
	count = strtol(argument, NULL, 10);
	if (strspn(argument, digits) != strlen(argument) || count < 1 ||
	    count > TW_LOAD_MAX)
		return tw_option_error(option, value, run,
				       "allowed is %s:N, with N from 1 to %d %s",
				       set.kind->name, TW_LOAD_MAX,
				       set.kind->many);
	set.count = (int)count;
	set.count_given = true;
	return 0;
}

static int parse_load(const struct tw_option *option, const char *value,
		      struct tw_run *run)
{
	const char *names[TW_KINDS_MAX + 2] = { "none" };
	const char *colon = strchr(value, ':');
	char kind[32];
	int i, found;

	for (i = 0; tw_load_kinds[i]; i++)
		names[i + 1] = tw_load_kinds[i]->name;
	snprintf(kind, sizeof(kind), "%.*s",
		 colon ? (int)(colon - value) : (int)strlen(value), value);
	found = tw_option_find(option, kind, run, names);
	if (found < 0)
		return found;
	if (!found && colon)
		return tw_option_error(option, value, run,
				       "none has no argument");
	set.kind = found ? tw_load_kinds[found - 1] : NULL;
	set.command = NULL;
	set.count_given = false;
	return colon ? parse_argument(option, value, colon + 1, run) : 0;
}

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
	{ 0, "load", TW_ARGUMENT, "KIND[:ARG]", parse_load, &set.kind,
	  .kinds = tw_load_usages, .lists_kinds = true,
	  .help = "load the system meanwhile: none (default)" },
	{ 0, "load-affinity", TW_ARGUMENT, "CPUSET", tw_option_cpus,
	  &set.cpus,
	  .help = "run the load on CPUSET, a worker on each in turn" },
	{ 0, "load-args", TW_ARGUMENT, "STRING", tw_option_string,
	  &set.arguments,
	  .help = "hackbench's arguments but -g" },
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
	bool realtime = set.kind && set.kind->realtime &&
			tw_config_is_realtime(tw_config->policy);

	if (set.kind && !set.count_given)
		set.count = set.kind->usual;
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
	if (set.kind || !option)
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
	if (!set.kind)
		return tw_fail(run, -EINVAL, "--steps=%d: a ramp needs a load; give --load too",
			       run->steps);
	if (set.count_given)
		return tw_fail(run, -EINVAL, "--load=%s:%d: contradicts --steps=%d, which sets the number of %s",
			       set.kind->name, set.count, run->steps,
			       set.kind->many);
	if (!tw_config->loops && !tw_config->duration_s)
		return tw_fail(run, -EINVAL, "--steps=%d: a step must have an end; give --loops or --duration",
			       run->steps);
	return 0;
}

static int check(struct tw_run *run)
{
	int err;

	complete(run);
	if (set.arguments && !(set.kind && set.kind->takes_arguments))
		return tw_fail(run, -EINVAL, "--load-args=%.100s: only --load=hackbench takes them",
			       set.arguments);
	err = check_no_load(run);
	if (!err)
		err = check_priority(run);
	return err ? err : check_ramp(run);
}

const struct tw_load_ops *tw_load_kind(void)
{
	return set.kind;
}

int tw_load_workers(const struct tw_run *run, int step)
{
	if (!set.kind)
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
		.command = set.command,
		.arguments = set.arguments,
		.policy = set.policy,
		.priority = (int)set.priority,
		/* External programs lock their memory themselves, or not. */
		.lock_memory = config->mlockall && set.kind && set.kind->own,
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

static int fail(struct tw_run *run, int err, const char *why)
{
	const char *command = set.command ? set.command : "";
	int len = (int)strcspn(command, "\n");

	/* A long one is known by its beginning. */
	return tw_fail(run, err, "--load=%s%s%.*s%s: %s", set.kind->name,
		       *command ? ":" : "", len < SHOWN ? len : SHOWN, command,
		       len > SHOWN || command[len] ? "..." : "",
		       *why ? why : strerror(-err));
}

static int open_load(struct tw_run *run)
{
	const struct tw_load_params params = tw_load_settings(run);
	char why[TW_LOAD_WHY];
	int err;

	if (!set.kind)
		return 0;
	err = tw_load_open(&set.load, set.kind, &params, tw_load_most(run),
			   why);
	return err ? fail(run, err, why) : 0;
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
	const struct timespec settle = tw_ns_to_ts(SETTLE_NS);
	int workers = tw_load_workers(run, run->step);
	int err = 0;

	if (set.kind)
		err = set.load.ops->run(&set.load, run->step, workers);
	if (err)
		return fail(run, err, set.load.shared->why);
	/* Until caches and queues are as full as they are later on. */
	if (workers)
		nanosleep(&settle, NULL);
	note_progress();
	if (run->steps > 1 && !tw_config->ramp_of_pairs)
		tw_load_print_step(run->output.text.flow.stream, run);
	tw_output_push(run, &run->output.text, 0);
	return 0;
}

static int woken(struct tw_run *run)
{
	struct tw_load *load = &set.load;
	int number;

	if (!load->shared || !load->ops->died(load))
		return 0;
	if (!WIFSIGNALED(load->dead->status) && load->shared->err)
		return fail(run, load->shared->err, load->shared->why);
	if (!WIFSIGNALED(load->dead->status))
		return fail(run, -ECHILD, "it ended before the test did");
	number = WTERMSIG(load->dead->status);
	return tw_fail(run, -ECHILD, "the load (pid %d) was killed by signal %d (%s)",
		       (int)load->dead->pid, number, strsignal(number));
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
		tw_fail(run, -EIO, "--load=%s: a worker's result was wrong: this kernel or machine does not keep the floating-point registers of a preempted task, or its memory fails",
			set.kind->name);
}

/* Before the report: its reader may be slow, and the load continue. */
static void finish(struct tw_run *run)
{
	char why[TW_LOAD_WHY];
	int err = tw_load_close(&set.load, why);

	if (err)
		fail(run, err, why);
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
