// SPDX-License-Identifier: GPL-2.0-or-later
/* --rt-runtime, and how this kernel throttles real-time tasks. */
#include "beside/pt_part_beside.h"
#include "core/pt_config.h"
#include "load/tw_runtime_option.h"

static struct {
	int64_t runtime_us;	/* -1: no limit */
	struct tw_runtime runtime;
	struct tw_throttle throttle;
} set;
static const __typeof__(set) initial = {
	.runtime_us = TW_RUNTIME_KEEP,
	.runtime = { .guard = { .fd = -1 }, .lock_fd = -1 },
};

static const struct tw_option options[] = {
	TW_RUNTIME_OPTION(&set.runtime_us),
	{ .name = NULL }
};

static int open_runtime(struct tw_run *run)
{
	int err = tw_runtime_apply(&set.runtime, set.runtime_us,
				   &set.throttle);

	if (err)
		return tw_runtime_fail(run, err, set.runtime_us);
	pt_config_throttle(&set.throttle);
	return 0;
}

static void close_runtime(struct tw_run *run)
{
	(void)run;
	tw_runtime_close(&set.runtime);
}

static void json(struct tw_json *json, const struct tw_run *run)
{
	(void)run;
	tw_json_begin(json, "throttling", '{');
	tw_throttle_json(json, &set.throttle);
	tw_json_end(json);
}

const struct tw_part pt_part_runtime = {
	.name = "runtime", .options = options, TW_SETTINGS(set, initial),
	.open = open_runtime, .finish = close_runtime,
	.close = close_runtime, .json = json,
};
