// SPDX-License-Identifier: GPL-2.0-or-later
/* --load: the load during all tests, and what it has done. */
#include <errno.h>
#include <stdio.h>

#include "base/tw_json.h"
#include "base/tw_time.h"
#include "beside/pt_part_beside.h"
#include "core/pt_session.h"
#include "load/tw_load_option.h"

static struct {
	struct tw_load_choice choice;
	int count;		/* workers */
	cpu_set_t cpus;		/* empty: not given */
	struct tw_load load;
	struct tw_load_slot before;
	int64_t begin_ns;	/* CLOCK_MONOTONIC */
	uint64_t done;
	int64_t elapsed_ns;
} set;
static const __typeof__(set) initial;

static const struct tw_option options[] = {
	TW_LOAD_OPTIONS(&set.choice, &set.cpus,
			";\ndefault: on the CPU of the tasks"),
	{ .name = NULL }
};

static int check(struct tw_run *run)
{
	int err = tw_load_check_arguments(run, &set.choice);

	if (err)
		return err;
	if (CPU_COUNT(&set.cpus) && !set.choice.kind)
		return tw_fail(run, -EINVAL, "--load-affinity: there is no load; give --load too");
	if (set.choice.kind)
		set.count = set.choice.count ? set.choice.count :
					       set.choice.kind->usual;
	return 0;
}

/* Of ordinary priority: it takes no time from what is measured with -p. */
static struct tw_load_params params_of_load(void)
{
	return (struct tw_load_params) {
		.command = set.choice.command,
		.arguments = set.choice.arguments,
		.policy = SCHED_OTHER,
		.lock_memory = pt_config->mlockall && set.choice.kind->own,
		.pinned = true,
		.cpus = CPU_COUNT(&set.cpus) ? set.cpus : pt_config->same_cpus,
	};
}

static int open_load(struct tw_run *run)
{
	struct tw_load_params params;
	char why[TW_LOAD_WHY];
	int err;

	if (!set.choice.kind)
		return 0;
	params = params_of_load();
	err = tw_load_open(&set.load, set.choice.kind, &params, set.count, why);
	return err ? tw_load_fail(run, &set.choice, err, why) : 0;
}

static int begin(struct tw_run *run)
{
	int err;

	if (!set.choice.kind)
		return 0;
	err = set.load.ops->run(&set.load, 0, set.count);
	if (err)
		return tw_load_fail(run, &set.choice, err,
				    set.load.shared->why);
	tw_load_steady();
	set.before = tw_load_progress(&set.load);
	set.begin_ns = tw_now_ns(CLOCK_MONOTONIC);
	return 0;
}

static int woken(struct tw_run *run)
{
	return tw_load_woken(run, &set.choice, &set.load);
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

static double rate(void)
{
	return set.elapsed_ns > 0 ? (double)set.done * (double)TW_NS_PER_S /
				    (double)set.elapsed_ns : 0;
}

static void remarks(FILE *file, const struct tw_run *run)
{
	const struct tw_load_ops *kind = set.choice.kind;

	(void)run;
	if (kind)
		fprintf(file, "# Load: %s, %d %s, %.1f %s a second\n",
			kind->name, set.count,
			set.count == 1 ? kind->one : kind->many,
			rate(), kind->work);
}

static void json(struct tw_json *json, const struct tw_run *run)
{
	const struct tw_load_ops *kind = set.choice.kind;

	(void)run;
	tw_json_begin(json, "load", '{');
	tw_json_text(json, "kind", kind ? kind->name : "none");
	if (kind) {
		tw_json_text(json, "command", set.choice.command);
		tw_json_text(json, "arguments", set.choice.arguments);
		tw_json_int(json, "workers", set.count);
		tw_json_text(json, "work_unit", kind->work);
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
