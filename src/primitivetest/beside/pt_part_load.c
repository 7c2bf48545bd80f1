// SPDX-License-Identifier: GPL-2.0-or-later
/* --load: the load during all tests, and what it has done. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "base/tw_json.h"
#include "base/tw_time.h"
#include "beside/pt_part_beside.h"
#include "core/pt_session.h"
#include "load/tw_load.h"

#define SETTLE_NS	(200 * TW_NS_PER_MS)

static struct {
	const struct tw_load_ops *kind;	/* NULL: no load */
	const char *command;
	const char *arguments;
	int count;		/* workers; 0: as many as usual */
	cpu_set_t cpus;		/* empty: not given */
	struct tw_load load;
	struct tw_load_slot before;
	int64_t begin_ns;	/* CLOCK_MONOTONIC */
	uint64_t done;
	int64_t elapsed_ns;
} set;
static const __typeof__(set) initial;

/* What follows the colon: a number, or for command the command. */
static int parse_argument(const struct tw_option *option, const char *value,
			  const char *argument, struct tw_run *run)
{
	long count = strtol(argument, NULL, 10);

	if (set.kind->takes_command) {
		set.command = argument;
		return 0;
	}
	if (strspn(argument, "0123456789") != strlen(argument) || count < 1 ||
	    count > TW_LOAD_MAX)
		return tw_option_error(option, value, run,
				       "allowed is %s:N, with N from 1 to %d %s",
				       set.kind->name, TW_LOAD_MAX,
				       set.kind->many);
	set.count = (int)count;
	return 0;
}

static int parse_load(const struct tw_option *option, const char *value,
		      struct tw_run *run)
{
	const char *names[TW_KINDS_MAX + 2] = { "none" };
	size_t length = strcspn(value, ":");
	char kind[32];
	int i, found;

	for (i = 0; tw_load_kinds[i]; i++)
		names[i + 1] = tw_load_kinds[i]->name;
	snprintf(kind, sizeof(kind), "%.*s", (int)length, value);
	found = tw_option_find(option, kind, run, names);
	if (found < 0)
		return found;
	if (!found && value[length])
		return tw_option_error(option, value, run,
				       "none has no argument");
	set.kind = found ? tw_load_kinds[found - 1] : NULL;
	set.command = NULL;
	set.count = 0;
	return value[length] ?
	       parse_argument(option, value, value + length + 1, run) : 0;
}

static const struct tw_option options[] = {
	{ 0, "load", TW_ARGUMENT, "KIND[:ARG]", parse_load, &set.kind,
	  .kinds = tw_load_usages, .lists_kinds = true,
	  .help = "load the system meanwhile: none (default)" },
	{ 0, "load-affinity", TW_ARGUMENT, "CPUSET", tw_option_cpus,
	  &set.cpus,
	  .help = "run the load on CPUSET, a worker on each in turn;\n"
		  "default: on the CPU of the tasks" },
	{ 0, "load-args", TW_ARGUMENT, "STRING", tw_option_string,
	  &set.arguments,
	  .help = "hackbench's arguments but -g" },
	{ .name = NULL }
};

static int check(struct tw_run *run)
{
	if (set.arguments && !(set.kind && set.kind->takes_arguments))
		return tw_fail(run, -EINVAL, "--load-args=%.100s: only --load=hackbench takes them",
			       set.arguments);
	if (CPU_COUNT(&set.cpus) && !set.kind)
		return tw_fail(run, -EINVAL, "--load-affinity: there is no load; give --load too");
	if (set.kind && !set.count)
		set.count = set.kind->usual;
	return 0;
}

/* Of ordinary priority: it takes no time from what is measured with -p. */
static struct tw_load_params params_of_load(void)
{
	return (struct tw_load_params) {
		.command = set.command,
		.arguments = set.arguments,
		.policy = SCHED_OTHER,
		.lock_memory = pt_config->mlockall && set.kind->own,
		.pinned = true,
		.cpus = CPU_COUNT(&set.cpus) ? set.cpus : pt_config->same_cpus,
	};
}

static int fail(struct tw_run *run, int err, const char *why)
{
	return tw_fail(run, err, "--load=%s%s%.60s: %s", set.kind->name,
		       set.command ? ":" : "", set.command ? set.command : "",
		       *why ? why : strerror(-err));
}

static int open_load(struct tw_run *run)
{
	struct tw_load_params params;
	char why[TW_LOAD_WHY];
	int err;

	if (!set.kind)
		return 0;
	params = params_of_load();
	err = tw_load_open(&set.load, set.kind, &params, set.count, why);
	return err ? fail(run, err, why) : 0;
}

static int begin(struct tw_run *run)
{
	const struct timespec settle = tw_ns_to_ts(SETTLE_NS);
	int err;

	if (!set.kind)
		return 0;
	err = set.load.ops->run(&set.load, 0, set.count);
	if (err)
		return fail(run, err, set.load.shared->why);
	/* Until caches and queues are as full as they are later on. */
	nanosleep(&settle, NULL);
	set.before = tw_load_progress(&set.load);
	set.begin_ns = tw_now_ns(CLOCK_MONOTONIC);
	return 0;
}

static int woken(struct tw_run *run)
{
	const struct tw_load *load = &set.load;

	if (!load->shared || !load->ops->died(&set.load))
		return 0;
	if (WIFSIGNALED(load->dead->status))
		return tw_fail(run, -ECHILD, "the load (pid %d) was killed by signal %d (%s)",
			       (int)load->dead->pid,
			       WTERMSIG(load->dead->status),
			       strsignal(WTERMSIG(load->dead->status)));
	return fail(run, load->shared->err ? load->shared->err : -ECHILD,
		    load->shared->err ? load->shared->why :
					"it ended before the tests did");
}

static void end(struct tw_run *run)
{
	struct tw_load_slot now;

	if (!set.load.shared || !set.begin_ns)
		return;
	now = tw_load_progress(&set.load);
	set.elapsed_ns = tw_now_ns(CLOCK_MONOTONIC) - set.begin_ns;
	/* While runs begin and end, a count of messages is not exact. */
	if (now.done > set.before.done)
		set.done = now.done - set.before.done;
	if (now.errors > set.before.errors)
		fail(run, -EIO, "a worker's result was wrong: this kernel or machine does not keep the floating-point registers of a preempted task, or its memory fails");
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

static double rate(void)
{
	return set.elapsed_ns > 0 ? (double)set.done * (double)TW_NS_PER_S /
				    (double)set.elapsed_ns : 0;
}

static void remarks(FILE *file, const struct tw_run *run)
{
	(void)run;
	if (set.kind)
		fprintf(file, "# Load: %s, %d %s, %.1f %s a second\n",
			set.kind->name, set.count,
			set.count == 1 ? set.kind->one : set.kind->many,
			rate(), set.kind->work);
}

static void json(struct tw_json *json, const struct tw_run *run)
{
	(void)run;
	tw_json_begin(json, "load", '{');
	tw_json_text(json, "kind", set.kind ? set.kind->name : "none");
	if (set.kind) {
		tw_json_text(json, "command", set.command);
		tw_json_text(json, "arguments", set.arguments);
		tw_json_int(json, "workers", set.count);
		tw_json_text(json, "work_unit", set.kind->work);
		tw_json_real(json, "work_per_second", rate(), 3);
	}
	tw_json_end(json);
}

const struct tw_part pt_part_load = {
	.name = "load", .options = options, TW_SETTINGS(set, initial),
	.check = check, .open = open_load, .begin = begin, .end = end,
	.woken = woken, .finish = finish, .close = close_load,
	.remarks = remarks, .json = json,
};
