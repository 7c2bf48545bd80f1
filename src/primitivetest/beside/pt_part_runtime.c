// SPDX-License-Identifier: GPL-2.0-or-later
/* --rt-runtime, and how this kernel throttles real-time tasks. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/tw_json.h"
#include "base/tw_system.h"
#include "beside/pt_part_beside.h"
#include "check/tw_throttle.h"
#include "core/pt_config.h"
#include "frame/tw_run.h"
#include "load/tw_runtime.h"

#define KEEP	(-2)	/* no --rt-runtime: the system's value stays */

static struct {
	int64_t runtime_us;	/* -1: no limit */
	struct tw_runtime runtime;
	struct tw_throttle throttle;
} set;
static const __typeof__(set) initial = {
	.runtime_us = KEEP,
	.runtime = { .guard = { .fd = -1 }, .lock_fd = -1 },
};

static int parse(const struct tw_option *option, const char *value,
		 struct tw_run *run)
{
	if (strcmp(value, "-1"))
		return tw_option_number(option, value, run);
	set.runtime_us = -1;
	return 0;
}

static const struct tw_option options[] = {
	{ 0, "rt-runtime", TW_ARGUMENT, "US", parse, &set.runtime_us,
	  .max = 1000000,
	  .more = ", or -1 for no limit",
	  .help = "set sched_rt_runtime_us for the run, and restore\n"
		  "it; -1, 0: no limit" },
	{ .name = NULL }
};

static int fail_runtime(struct tw_run *run, int err)
{
	long long us = set.runtime_us;

	if (err == -EALREADY)
		return tw_fail(run, err, "--rt-runtime=%lld: another run has set %s until it ends; wait for its end, or set the value for both without this option",
			       us, TW_THROTTLE_FILE);
	return tw_fail(run, err, "--rt-runtime=%lld: cannot write %s: %s; it needs root, and a value up to sched_rt_period_us that is not below a CPU cgroup's own",
		       us, TW_THROTTLE_FILE, strerror(-err));
}

static int open_runtime(struct tw_run *run)
{
	struct utsname name;
	int err;

	if (set.runtime_us != KEEP) {
		err = tw_system_leave_deadline();
		if (!err)
			err = tw_runtime_open(&set.runtime, set.runtime_us);
		if (err)
			return fail_runtime(run, err);
	}
	uname(&name);
	tw_throttle_read(&set.throttle, "", name.release);
	pt_config_stall(set.throttle.known ? set.throttle.stall_ns : 0);
	return 0;
}

static void close_runtime(struct tw_run *run)
{
	(void)run;
	tw_runtime_close(&set.runtime);
}

static void json(struct tw_json *json, const struct tw_run *run)
{
	const struct tw_throttle *throttle = &set.throttle;

	(void)run;
	tw_json_begin(json, "throttling", '{');
	if (throttle->known) {
		tw_json_int(json, "rt_runtime_us", throttle->runtime_us);
		tw_json_int(json, "rt_period_us", throttle->period_us);
	}
	tw_json_bool(json, "rt_group_sched", throttle->group);
	tw_json_bool(json, "fair_server", throttle->fair_server);
	tw_json_int(json, "stall_us", throttle->stall_ns / 1000);
	tw_json_end(json);
}

const struct tw_part pt_part_runtime = {
	.name = "runtime", .options = options, TW_SETTINGS(set, initial),
	.open = open_runtime, .finish = close_runtime,
	.close = close_runtime, .json = json,
};
