// SPDX-License-Identifier: GPL-2.0-or-later
/* --json: the file, and what programs have in common of it. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "rt-error.h"
#include "rt-numa.h"
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

void tw_json_process(FILE *file, const struct tw_process *process)
{
	char list[TW_PLACE_LIST];

	tw_place_list(&process->cpus, list, sizeof(list));
	fprintf(file, "\"pid\": %d, \"policy\": \"%s\", \"priority\": %d, \"cpus\": \"%s\"",
		process->pid, tw_config_policy(process->policy),
		process->priority, list);
}

void tw_json_usage(FILE *file, const struct tw_usage *usage)
{
	fprintf(file, "\"page_faults\": %" PRIu64 ", \"context_switches\": %"
		PRIu64 ", \"cpu_us\": %" PRId64, usage->faults,
		usage->switches, usage->cpu_us);
}

void tw_json_twoway(FILE *file, const struct tw_run *run)
{
	int i;

	tw_json_head(file, run);
	for (i = 0; tw_parts[i]; i++)
		if (tw_parts[i]->json)
			tw_parts[i]->json(file, run);
	fprintf(file, "    \"interrupted\": %s\n  }\n",
		run->interrupted ? "true" : "false");
}

static void write_members(FILE *file, void *data)
{
	const struct tw_run *run = data;
	int i, k, cpu;

	fprintf(file, "  \"num_threads\": %d,\n  \"resolution_in_ns\": %d,\n  \"thread\": {\n",
		tw_text_columns(), tw_config.nsecs);
	for (i = 0; i < tw_text_columns(); i++) {
		fprintf(file, "%s    \"%d\": {\n", i ? ",\n" : "", i);
		for (k = 0; tw_parts[k]; k++)
			if (tw_parts[k]->column)
				tw_parts[k]->column(file, run, i);
		cpu = tw_place_single(
			&run->pairs[tw_text_pair(i)]->process[TW_CLIENT].cpus);
		fprintf(file, "      \"cpu\": %d,\n      \"node\": %d\n    }",
			cpu, cpu < 0 || !numa_initialize() ? -1 :
			numa_node_of_cpu(cpu));
	}
	fprintf(file, "\n  },\n");
	tw_json_twoway(file, run);
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
	return tw_json_write(run, status, write_members);
}

const struct tw_part tw_part_json = {
	.options = options, .check = check, .begin = begin,
	.write = write_json,
};
