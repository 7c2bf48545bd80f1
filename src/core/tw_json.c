// SPDX-License-Identifier: GPL-2.0-or-later
/* --json: the file; tw_members.c writes what it has. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "rt-error.h"
#include "rt-utils.h"
#include "tw_file.h"
#include "tw_part.h"
#include "tw_text.h"

#define SCHEMA	2

static const char *path;
static int output = -1;		/* of "-": the descriptor of the JSON */

static void parse(const struct tw_option *option, char *value)
{
	if (strcmp(value, "-"))
		tw_option_path(option, value);
	path = value;
}

static const struct tw_option options[] = {
	{ 0, "json", required_argument, "FILE", parse, &path,
	  .help = "write the results to FILE, as JSON; -: to standard\n"
		  "output, and the text to standard error" },
	{ .name = NULL }
};

/* With "-", stdout is for the JSON alone; all else is printed on stderr. */
static void check(struct tw_run *run)
{
	if (!path)
		return;
	if (strcmp(path, "-")) {
		tw_file_check(path);
		return;
	}
	output = dup(STDOUT_FILENO);
	if (output < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		fatal("--json=-: cannot redirect standard output: %m\n");
}

/* All parts have checked their files, and none has begun to write one. */
static void begin(struct tw_run *run)
{
	if (!run->step)
		tw_file_checked();
}

void tw_json_head(FILE *file, const struct tw_run *run)
{
	int i;

	fprintf(file, "  \"%s\": {\n    \"schema\": %d,\n    \"version\": \"%1.2f\",\n    \"argv\": [",
		tw_program_member, SCHEMA, VERSION);
	for (i = 0; run->argv[i]; i++) {
		fprintf(file, "%s", i ? ", " : "");
		rt_json_string(file, run->argv[i]);
	}
	fprintf(file, "],\n    \"settings\": {");
	tw_option_json(file);
	fprintf(file, "\n    },\n");
}

int tw_json_write(const struct tw_run *run, int status,
		  void (*members)(FILE *file, void *run))
{
	const char *name;

	if (!path)
		return 0;
	if (output >= 0) {
		fflush(stdout);
		dup2(output, STDOUT_FILENO);
		rt_write_json("-", status, members, (void *)run);
		return 0;
	}
	name = tw_file_begin(path);
	if (!name)
		return tw_file_finish(path, -errno);
	rt_write_json(name, status, members, (void *)run);
	return tw_file_finish(path, 0);
}

static int write_json(const struct tw_run *run, int status)
{
	return tw_json_write(run, status, tw_json_members);
}

const struct tw_part tw_part_json = {
	.options = options, .check = check, .begin = begin,
	.write = write_json,
};
