// SPDX-License-Identifier: GPL-2.0-or-later
/* --latency and --default-system: limits the latency of power management. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/tw_json.h"
#include "base/tw_system.h"
#include "frame/tw_run.h"
#include "frame/tw_say.h"

#define DEVICE	"/dev/cpu_dma_latency"

static struct {
	bool default_system;
	int64_t us;
	int fd;			/* -errno: not limited */
} set;
static const __typeof__(set) initial = { .fd = -1 };

static const struct tw_option options[] = {
	{ 0, "default-system", TW_NO_ARGUMENT, NULL, tw_option_flag,
	  &set.default_system,
	  .help = "leave power management alone: no request\n"
		  "to /dev/cpu_dma_latency" },
	{ 0, "latency", TW_ARGUMENT, "US", tw_option_number, &set.us,
	  .max = INT32_MAX,
	  .help = "value written to /dev/cpu_dma_latency, default 0" },
	{ .name = NULL }
};

int64_t tw_latency_us(const struct tw_run *run)
{
	bool held = run->only ? !set.default_system && !access(DEVICE, W_OK) :
				set.fd >= 0;

	return held ? set.us : -1;
}

static int check(struct tw_run *run)
{
	if (set.us && set.default_system)
		return tw_fail(run, -EINVAL, "--latency=%lld: contradicts --default-system; give one of them",
			       (long long)set.us);
	return 0;
}

/* An error is not fatal: users without privileges can measure, too. */
static int open_latency(struct tw_run *run)
{
	(void)run;
	if (!set.default_system)
		set.fd = tw_system_limit_latency((int32_t)set.us);
	return 0;
}

static int begin(struct tw_run *run)
{
	if (run->step || set.default_system)
		return 0;
	if (set.fd >= 0)
		fprintf(run->output.text.flow.stream,
			"# " DEVICE " set to %dus\n", (int)set.us);
	else
		tw_warn(DEVICE ": cannot limit the latency of power management: %s",
			strerror(-set.fd));
	return 0;
}

static void close_latency(struct tw_run *run)
{
	(void)run;
	if (set.fd >= 0)
		close(set.fd);
	set.fd = -1;
}

static void json_settings(struct tw_json *json, const struct tw_run *run)
{
	(void)run;
	tw_json_int_if(json, "latency_us", set.fd >= 0, set.us);
}

const struct tw_part tw_part_latency = {
	.name = "latency", .options = options, TW_SETTINGS(set, initial),
	.check = check, .open = open_latency, .begin = begin,
	.close = close_latency, .json_settings = json_settings,
};
