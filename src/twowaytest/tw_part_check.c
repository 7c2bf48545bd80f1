// SPDX-License-Identifier: GPL-2.0-or-later
/* --check, and the state of the system in the JSON. */
#include <stdlib.h>

#include "check/tw_report_environ.h"
#include "frame/tw_run.h"
#include "load/tw_part_load.h"
#include "run/tw_session.h"
#include "tw_parts.h"

static struct {
	bool check;
	bool read;
	struct tw_environ environ;
	struct tw_finding findings[TW_CHECKS];
} set;
static const __typeof__(set) initial;

static const struct tw_option options[] = {
	{ 0, "check", TW_NO_ARGUMENT, NULL, tw_option_flag, &set.check,
	  .help = "print what in this system disturbs real-time\n"
		  "results and what to do; measure nothing" },
	{ .name = NULL }
};

static int check(struct tw_run *run)
{
	if (set.check)
		run->only = &tw_part_check;
	return 0;
}

/* What the checks want to know of this configuration. */
static struct tw_environ_params params_of(const struct tw_run *run)
{
	const struct tw_config *config = tw_session(run)->config;
	struct tw_environ_params params = {
		.realtime = tw_config_is_realtime(config->policy),
		.timer_prio = config->timer->softirq ?
			      tw_config_priority(config, TW_CLIENT, 0) : 0,
		.rt_load = tw_throttle_expected(run),
		.latency_us = tw_latency_us(run),
	};
	bool client = tw_config_all_cpus(config, TW_CLIENT, &params.client);
	bool server = tw_config_all_cpus(config, TW_SERVER, &params.server);

	params.pinned = client && server;
	return params;
}

/* Takes some ms. Returns the number of findings. */
static int read_system(const struct tw_run *run)
{
	const struct tw_environ_params params = params_of(run);

	tw_environ_read(&set.environ, "", &params);
	set.read = true;
	return tw_check(&set.environ, &params, set.findings);
}

static int instead(struct tw_run *run)
{
	return read_system(run) ? TW_EXIT_EXCEEDED : EXIT_SUCCESS;
}

/* Only the JSON has it. */
static int open_check(struct tw_run *run)
{
	if (tw_option_given(run, "json"))
		read_system(run);
	return 0;
}

static void text(FILE *file, const struct tw_run *run)
{
	if (run->only)
		tw_report_check(file, set.findings);
}

static void json(struct tw_json *json, const struct tw_run *run)
{
	(void)run;
	if (set.read)
		tw_report_json_environ(json, &set.environ, set.findings);
}

const struct tw_part tw_part_check = {
	.name = "check", .options = options, TW_SETTINGS(set, initial),
	.check = check, .instead = instead, .open = open_check, .text = text,
	.json = json,
};
