// SPDX-License-Identifier: GPL-2.0-or-later
/* --json: the file, and what programs have in common of it. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "tw_file.h"
#include "tw_json.h"
#include "tw_numa.h"
#include "tw_output.h"
#include "tw_part.h"
#include "tw_place.h"
#include "tw_policy.h"
#include "tw_read.h"
#include "tw_say.h"
#include "tw_string.h"
#include "tw_text.h"

#define SCHEMA		2
#define COMMAND_BYTES	4096
#define TIME_FORMAT	"%a, %d %b %Y %T %z"

static struct tw_file to;
static int return_code;
static time_t begin;
static void (*write_members)(FILE *file, void *run);

static void parse(const struct tw_option *option, char *value)
{
	if (strcmp(value, "-"))
		tw_option_path(option, value);
	to.path = value;
}

static const struct tw_option options[] = {
	{ 0, "json", TW_FILE, &to.path, .parse = parse,
	  .help = "write the results to FILE, as JSON; -: to standard\n"
		  "output, and the text to standard error" },
	{ .name = NULL }
};

bool tw_json_is_wanted(void)
{
	return to.path;
}

/* With "-", stdout is for the JSON alone; all else is printed on stderr. */
static void check(struct tw_run *run)
{
	begin = time(NULL);
	tw_file_add(&to);
	if (to.path && !strcmp(to.path, "-") &&
	    dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		tw_say_fatal("--json=-: cannot redirect standard output: %m\n");
}

static void write_setting(FILE *file, const struct tw_option *row)
{
	char *text = tw_option_text(row);

	if (row->type == TW_FLAG)
		fprintf(file, *(bool *)row->to ? "true" : "false");
	else if (!text)
		fprintf(file, "null");
	else if (row->type >= TW_WORD || strchr(text, ':'))
		tw_string_json(file, text);
	else
		fprintf(file, strchr(text, ',') ? "[%s]" : "%s", text);
	free(text);
}

/* Of all options that keep a value. */
static void write_options(FILE *file)
{
	const struct tw_option *row;
	const char *comma = "";
	int i;

	for (i = 0; (row = tw_option_row(i)); i++) {
		if (!row->to)
			continue;
		fprintf(file, "%s\n      \"%s\": ", comma, row->name);
		write_setting(file, row);
		comma = ",";
	}
}

void tw_json_head(FILE *file, const struct tw_run *run)
{
	int i;

	fprintf(file, "  \"%s\": {\n    \"schema\": %d,\n    \"version\": \"%1.2f\",\n    \"argv\": [",
		tw_program_member, SCHEMA, VERSION);
	for (i = 0; run->argv[i]; i++) {
		fprintf(file, "%s", i ? ", " : "");
		tw_string_json(file, run->argv[i]);
	}
	fprintf(file, "],\n    \"settings\": {");
	write_options(file);
	fprintf(file, "\n    },\n");
}

static void write_settings(FILE *file, const struct tw_process *process)
{
	char list[TW_PLACE_LIST];

	tw_place_list(&process->cpus, list, sizeof(list));
	fprintf(file, "\"policy\": \"%s\", \"priority\": %d, \"cpus\": \"%s\"",
		tw_policy_name(process->policy), process->priority, list);
}

void tw_json_process(FILE *file, const struct tw_process *process)
{
	fprintf(file, "\"pid\": %d, ", process->pid);
	write_settings(file, process);
}

void tw_json_changed(FILE *file, const struct tw_process *begun,
		     const struct tw_process *left)
{
	bool changed = tw_process_changed(begun, left);

	fprintf(file, ", \"changed\": %s", changed ? "{ " : "null");
	if (changed)
		write_settings(file, left);
	fprintf(file, "%s, ", changed ? " }" : "");
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

static void write_all(FILE *file, void *data)
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
		cpu = tw_series_of(run, i).cpu;
		fprintf(file, "      \"cpu\": %d,\n      \"node\": %d\n    }",
			cpu, tw_numa_node(cpu));
	}
	fprintf(file, "\n  },\n");
	tw_json_twoway(file, run);
}

static void write_word(FILE *file, const char *key, const char *value)
{
	fprintf(file, "%s: ", key);
	tw_string_json(file, value);
	fputs(",\n", file);
}

/* Whole words, as many as there is room for. */
static void write_command(FILE *file, char **words)
{
	char line[COMMAND_BYTES + 1] = "";
	size_t used = 0;
	int i;

	for (i = 0; words[i] && used + (i > 0) + strlen(words[i]) <=
	     COMMAND_BYTES; i++)
		used += sprintf(line + used, "%s%s", i ? " " : "", words[i]);
	write_word(file, "  \"cmdline:\"", line);
}

static void write_time(FILE *file, const char *key, time_t moment)
{
	char text[64] = "";
	struct tm tm;

	if (localtime_r(&moment, &tm))
		strftime(text, sizeof(text), TIME_FORMAT, &tm);
	fprintf(file, "  \"%s\": \"%s\",\n", key, text);
}

static void write_system(FILE *file)
{
	struct utsname uts;
	int64_t realtime;

	if (uname(&uts))
		memset(&uts, 0, sizeof(uts));
	fputs("  \"sysinfo\": {\n", file);
	write_word(file, "    \"sysname\"", uts.sysname);
	write_word(file, "    \"nodename\"", uts.nodename);
	write_word(file, "    \"release\"", uts.release);
	write_word(file, "    \"version\"", uts.version);
	write_word(file, "    \"machine\"", uts.machine);
	fprintf(file, "    \"realtime\": %d\n  },\n",
		tw_read_number(&realtime, "/sys/kernel/realtime") &&
		realtime == 1);
}

/* It begins as those of rt-tests' programs do. */
static void print(FILE *file, const struct tw_run *run)
{
	fputs("{\n  \"file_version\": 1,\n", file);
	write_command(file, run->argv);
	fprintf(file, "  \"rt_test_version:\": \"%1.2f\",\n", VERSION);
	write_time(file, "start_time", begin);
	write_time(file, "end_time", time(NULL));
	fprintf(file, "  \"return_code\": %d,\n", return_code);
	write_system(file);
	write_members(file, (void *)run);
	fputs("}\n", file);
}

int tw_json_write(const struct tw_run *run, int status,
		  void (*members)(FILE *file, void *run))
{
	if (to.path && !strcmp(to.path, "-") && tw_output_lost())
		return -EIO;
	return_code = status;
	write_members = members;
	return tw_file_write(&to, print, run);
}

static int write_json(const struct tw_run *run, int status)
{
	return tw_json_write(run, status, write_all);
}

const struct tw_part tw_part_json = {
	.options = options, .group = TW_OUTPUT, .check = check,
	.write = write_json,
};
