// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/tw_system.h"
#include "base/tw_time.h"
#include "load/tw_runtime_option.h"

int tw_option_runtime(const struct tw_option *option, const char *value,
		      struct tw_run *run)
{
	if (strcmp(value, "-1"))
		return tw_option_number(option, value, run);
	*(int64_t *)option->to = -1;
	return 0;
}

int tw_runtime_fail(struct tw_run *run, int err, int64_t runtime_us)
{
	if (err == -EALREADY)
		return tw_fail(run, err, "--rt-runtime=%lld: another run, such as a second one of this program, has set %s until it ends; wait for its end, or set the value for both without this option",
			       (long long)runtime_us, TW_THROTTLE_FILE);
	return tw_fail(run, err, "--rt-runtime=%lld: cannot write %s: %s; it needs root, and a value up to sched_rt_period_us that is not below a CPU cgroup's own",
		       (long long)runtime_us, TW_THROTTLE_FILE, strerror(-err));
}

int tw_runtime_apply(struct tw_runtime *runtime, int64_t runtime_us,
		     struct tw_throttle *throttle)
{
	struct utsname name;
	int err = 0;

	if (runtime_us != TW_RUNTIME_KEEP) {
		err = tw_system_leave_deadline();
		if (!err)
			err = tw_runtime_open(runtime, runtime_us);
	}
	if (err)
		return err;
	uname(&name);
	tw_throttle_read(throttle, "", name.release);
	return 0;
}

void tw_throttle_json(struct tw_json *json, const struct tw_throttle *throttle)
{
	if (throttle->known) {
		tw_json_int(json, "rt_runtime_us", throttle->runtime_us);
		tw_json_int(json, "rt_period_us", throttle->period_us);
	}
	tw_json_bool(json, "rt_group_sched", throttle->group);
	tw_json_bool(json, "fair_server", throttle->fair_server);
	tw_json_int(json, "stall_us", tw_ns_to_us(throttle->stall_ns));
}
