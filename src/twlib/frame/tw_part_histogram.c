// SPDX-License-Identifier: GPL-2.0-or-later
/* -h, -H and --histfile. */
#include <errno.h>
#include <stdio.h>

#include "base/tw_json.h"
#include "frame/tw_run.h"

static struct {
	int64_t width_us;	/* 0: none */
	bool sums;		/* -H */
	const char *path;
	struct tw_file file;
} set;
static const __typeof__(set) initial;

static int parse_histofall(const struct tw_option *option, const char *value,
			   struct tw_run *run)
{
	set.sums = true;
	return tw_option_number(option, value, run);
}

static const struct tw_option options[] = {
	{ 0, "histfile", TW_ARGUMENT, "FILE", tw_option_file, &set.path,
	  .help = "write the histogram to FILE instead of stdout" },
	{ 'H', "histofall", TW_ARGUMENT, "US", parse_histofall, &set.width_us,
	  .min = 1, .max = 1000000,
	  .help = "as -h, with one more column, the sum of each row" },
	{ 'h', "histogram", TW_ARGUMENT, "US", tw_option_number,
	  &set.width_us, .min = 1, .max = 1000000,
	  .help = "print a histogram of each metric after the run:\n"
		  "rows of 1 us, range US" },
	{ .name = NULL }
};

static int check(struct tw_run *run)
{
	if (set.path && !set.width_us)
		return tw_fail(run, -EINVAL, "--histfile=%s: there is no histogram to write; give -h or -H too",
			       set.path);
	run->window_us = set.width_us;
	run->remarks_elsewhere = set.path;
	return 0;
}

static void remarks(FILE *file, const struct tw_run *run)
{
	const struct tw_columns columns = run->program->columns(run);

	if (set.width_us)
		tw_histogram_print(file, &columns, set.sums);
}

static void json_settings(struct tw_json *json, const struct tw_run *run)
{
	(void)run;
	tw_json_int(json, "histogram_us", set.width_us);
}

/* With what would be below it in the text. */
static int write_file(const struct tw_run *run, FILE *file)
{
	tw_output_remarks(file, run);
	return 0;
}

static const struct tw_result result = {
	.option = "histfile", .path = &set.path, .file = &set.file,
	.write = write_file,
};

const struct tw_part tw_part_histogram = {
	.name = "histogram", .options = options, TW_SETTINGS(set, initial),
	.check = check, .remarks = remarks, .json_settings = json_settings,
	.result = &result,
};
