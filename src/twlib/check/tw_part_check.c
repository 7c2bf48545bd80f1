// SPDX-License-Identifier: GPL-2.0-or-later
/* --check, and the state of the system in the JSON. */
#include <stdlib.h>

#include "check/tw_part_check.h"
#include "check/tw_report_environ.h"
#include "frame/tw_run.h"

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

/* Takes some ms. Returns the number of findings. */
static int read_system(const struct tw_run *run)
{
	const char *disturbs = run->program->disturbs;
	struct tw_environ_params params;
	int i, count;

	run->program->environ_params(run, &params);
	tw_environ_read(&set.environ, "", &params);
	set.read = true;
	count = tw_check(&set.environ, &params, set.findings);
	for (i = 0; disturbs && i < TW_CHECKS; i++)
		set.findings[i].metrics = disturbs;
	return count;
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
