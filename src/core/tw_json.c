// SPDX-License-Identifier: GPL-2.0-or-later
/* --json: the file, and what programs have in common of it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "tw_file.h"
#include "tw_json.h"
#include "tw_memory.h"
#include "tw_output.h"
#include "tw_part.h"
#include "tw_place.h"
#include "tw_policy.h"
#include "tw_read.h"
#include "tw_say.h"
#include "tw_schema.h"
#include "tw_string.h"
#include "tw_text.h"

#define COMMAND_BYTES	4096
#define TIME_FORMAT	"%a, %d %b %Y %T %z"

static struct tw_file to;
static time_t begin;
static bool checking;		/* nothing was measured */

/* What is known only at the end. */
static struct {
	int return_code, columns, nsecs, realtime;
	char command[COMMAND_BYTES + 1], version[16];
	char start_time[64], end_time[64];
	struct utsname uts;
} top;

static void parse(const struct tw_option *option, char *value)
{
	if (strcmp(value, "-"))
		tw_option_path(option, value);
	to.path = value;
}

static const struct tw_option options[] = {
	{ 0, "json", TW_FILE, &to.path, .parse = parse,
	  .help = "write the results as JSON; -: to standard output" },
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
	snprintf(top.version, sizeof(top.version), "%1.2f", VERSION);
	tw_file_add(&to);
	if (to.path && !strcmp(to.path, "-") &&
	    dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		tw_say_fatal("--json=-: cannot redirect standard output: %m\n");
}

static void write_setting(FILE *file, const void *of)
{
	const struct tw_option *row = of;
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
static const void *next_option(const void *of, int *i, const char **key)
{
	const struct tw_option *row;

	while ((row = tw_option_row(*i)) && !row->to)
		++*i;
	*key = row ? row->name : NULL;
	return row;
}

static const struct tw_member of_setting[] = {
	{ "", TW_NOWHERE, TW_ANY, NULL, .write = write_setting },
	{ .name = NULL }
};

static const char *policy_of(const void *of)
{
	return tw_policy_name(((const struct tw_process *)of)->policy);
}

static const char *cpus_of(const void *of)
{
	static char list[TW_PLACE_LIST];

	tw_place_list(&((const struct tw_process *)of)->cpus, list,
		      sizeof(list));
	return list;
}

static const void *changed_of(const void *of)
{
	const struct tw_side *side = of;

	return tw_process_changed(&side->begun, &side->left) ? &side->left :
							       NULL;
}

#define SETTINGS_OF_PROCESS \
	{ "policy", TW_TEXT_OF(policy_of), TW_STRING, \
	  "As read back from the kernel.", .words = tw_policy_names }, \
	{ TW_NAMED(struct tw_process, priority), TW_COUNT, \
	  "Likewise; 0: not real-time.", "'maximum': 99" }, \
	{ "cpus", TW_TEXT_OF(cpus_of), TW_STRING, \
	  "The CPUs that it may run on, as read back, such as 0-2,5.", \
	  "'pattern': '^[0-9]+(-[0-9]+)?(,[0-9]+(-[0-9]+)?)*$'" }
#define PROCESS \
	{ TW_NAMED(struct tw_process, pid), TW_INTEGER, "Process number.", \
	  "'minimum': 1" }, \
	SETTINGS_OF_PROCESS

static const struct tw_member settings[] = {
	SETTINGS_OF_PROCESS, { .name = NULL }
};

const struct tw_member tw_process_members[] = { PROCESS, { .name = NULL } };

const struct tw_member tw_side_members[] = {
	PROCESS,
	{ "changed", TW_NOWHERE, TW_OBJECT, "What somebody else has changed these to while it ran; null: nothing.",
	  .nullable = true, .get = changed_of, .of = settings },
	{ "page_faults", TW_IN(struct tw_side, usage.faults), TW_COUNT, "While its loop ran." },
	{ "context_switches", TW_IN(struct tw_side, usage.switches), TW_COUNT, "While its loop ran, voluntary and involuntary." },
	{ "cpu_us", TW_IN(struct tw_side, usage.cpu_us), TW_COUNT, "CPU time in us while its loop ran." },
	{ .name = NULL }
};

#define STATS(field, ...) \
	{ TW_NAMED(struct tw_told_stats, field), TW_REAL, __VA_ARGS__ }
#define REAL	"'minimum': 0", .nullable = true, .format = "%.6f"

const struct tw_member tw_stats_members[] = {
	STATS(min, "Shortest; null, as the next four are: there is none.",
	      .nullable = true, .format = "%.15g"),
	STATS(max, "Longest.", .nullable = true, .format = "%.15g"),
	STATS(avg, "Mean.", .nullable = true, .format = "%.6f"),
	STATS(stddev, "Standard deviation from the mean.", REAL),
	STATS(rms, "Root of the mean square of the distances from the target; without one, of primitivetest from the mean, of twowaytest null.",
	      REAL),
	STATS(target, "What it is to be; null: as short as can be, or there are several.",
	      .nullable = true, .format = "%.15g"),
	{ TW_NAMED(struct tw_told_stats, cycles), TW_COUNT,
	  "How many values." },
	{ .name = NULL }
};

static const char *const units[] = { "ns", NULL };

#define SPAN(field, ...) \
	{ TW_NAMED(struct tw_told_span, field), __VA_ARGS__ }
#define IF(field)	TW_IF_IN(struct tw_told_span, field)

const struct tw_member tw_span_members[] = {
	SPAN(from, TW_STRING, "One of the times."),
	SPAN(to, TW_STRING, "One of the times."),
	SPAN(from2, TW_STRING, "If there are two pairs.", IF(from2)),
	SPAN(to2, TW_STRING, "Likewise.", IF(to2)),
	SPAN(less_ns, TW_REAL, "What is subtracted, if anything.",
	     IF(less_ns), .format = "%.15g"),
	SPAN(per, TW_INTEGER, "So many operations are between the times, if several.",
	     "'minimum': 2", IF(per)),
	SPAN(plus, TW_STRING, "What is added, if anything.", IF(plus)),
	{ "unit", TW_AT(units[0]), TW_STRING, "Of its values.",
	  .words = units },
	{ .name = NULL }
};

static int64_t cpu_of(const void *of)
{
	const struct tw_spot *spot = of;

	return tw_series_of(spot->run, spot->number).cpu;
}

static int64_t node_of(const void *of)
{
	return tw_memory_node((int)cpu_of(of));
}

static const struct tw_member column_end[] = {
	{ "cpu", TW_NUMBER_OF(cpu_of), TW_INTEGER,
	  "The client's CPU; -1: several.", "'minimum': -1" },
	{ "node", TW_NUMBER_OF(node_of), TW_INTEGER, "The NUMA node of this CPU; -1: several CPUs, or no NUMA.",
	  "'minimum': -1" },
	{ .name = NULL }
};

static const void *next_column(const void *of, int *i, const char **key)
{
	static struct tw_spot spot;
	static char number[16];

	spot = (struct tw_spot) { .run = of, .number = *i };
	snprintf(number, sizeof(number), "%d", *i);
	*key = number;
	return *i < top.columns ? &spot : NULL;
}

static const void *next_word(const void *of, int *i, const char **key)
{
	return ((const struct tw_run *)of)->argv[*i] ?
	       &((const struct tw_run *)of)->argv[*i] : NULL;
}

static const int one = 1, schema = 3;

static const struct tw_member head[] = {
	{ "schema", TW_AT(schema), TW_INTEGER, "Version of this object.",
	  "'const': 3" },
	{ "version", TW_AT(top.version), TW_STRING, "Of the program.",
	  "'pattern': '^[0-9]+\\\\.[0-9]{2}$'" },
	{ "argv", TW_NOWHERE, TW_ARRAY, "The words of the command line.",
	  "'minItems': 1", .next = next_word,
	  .of = TW_EACH(TW_SELF(const char *), TW_STRING, "A word.") },
	{ "settings", TW_NOWHERE, TW_OBJECT, "The options that have a value, by their long names; 0, -1, null, false: not given.",
	  .next = next_option, .of = of_setting,
	  .describe = tw_schema_settings },
	{ .name = NULL }
};

static const struct tw_member tail[] = {
	{ TW_NAMED(struct tw_run, interrupted), TW_BOOLEAN,
	  "Whether a signal ended it." },
	{ .name = NULL }
};

static const struct tw_member system_members[] = {
#define NAMED(field) \
	{ #field, TW_AT(top.uts.field), TW_STRING, "As uname() has it." }
	NAMED(sysname), NAMED(nodename), NAMED(release), NAMED(version),
	NAMED(machine),
	{ "realtime", TW_AT(top.realtime), TW_INTEGER, "1: PREEMPT_RT.",
	  "'enum': [ 0, 1 ]" },
	{ .name = NULL }
};

static const struct tw_member whole = {
	"whole", TW_NOWHERE, TW_OBJECT, "What cyclictest has not.",
	.of = head, .parts = TW_OF_RUN, .then = tail,
};

static const struct tw_member checked = {
	"checked", TW_NOWHERE, TW_OBJECT, "",
	.of = head, .then = tw_json_checked,
};

static void write_own(FILE *file, const void *run)
{
	tw_member_object(file, checking ? &checked : &whole, run);
}

/* It begins as those of rt-tests' programs do. */
static const struct tw_member members[] = {
	{ "file_version", TW_AT(one), TW_INTEGER,
	  "Of the members that all real-time tests share.", "'const': 1" },
	{ "cmdline:", TW_AT(top.command), TW_STRING,
	  "The command line, words separated by a space." },
	{ "rt_test_version:", TW_AT(top.version), TW_STRING,
	  "Of the package." },
	{ "start_time", TW_AT(top.start_time), TW_STRING, "Date and time." },
	{ "end_time", TW_AT(top.end_time), TW_STRING,
	  "When the results were written." },
	{ "return_code", TW_AT(top.return_code), TW_INTEGER,
	  "The exit status.", "'enum': [ 0, 1, 2 ]" },
	{ "sysinfo", TW_NOWHERE, TW_OBJECT, "The system.",
	  .of = system_members },
	{ "num_threads", TW_AT(top.columns), TW_COUNT, "How many columns there are; 0: of --check, which measures nothing." },
	{ "resolution_in_ns", TW_AT(top.nsecs), TW_INTEGER,
	  "1: times are in ns.", "'enum': [ 0, 1 ]" },
	{ "thread", TW_NOWHERE, TW_MAP, "The columns, from \"0\".",
	  "'propertyNames': { 'pattern': '^(0|[1-9][0-9]*)$' }",
	  .next = next_column, .parts = TW_OF_COLUMN, .then = column_end,
	  .each = tw_json_column },
	{ tw_program_member, TW_NOWHERE, TW_OBJECT, "What cyclictest has not.",
	  "'required': [ 'schema', 'version', 'argv', 'settings', 'system' ]",
	  .loose = true, .write = write_own, .of = head, .parts = TW_OF_RUN,
	  .then = tail },
	{ .name = NULL }
};

const struct tw_member tw_json_root = {
	"", TW_NOWHERE, TW_OBJECT,
	"The members that cyclictest's JSON has, too, then the program's. Times are in us, or in ns with -N.",
	.of = members, .then = tw_json_added,
};

void tw_json_own(FILE *file, const struct tw_run *run)
{
	fprintf(file, "  \"%s\": ", tw_program_member);
	write_own(file, run);
	fputc('\n', file);
}

/* Whole words, as many as there is room for. */
static void set_command(char **words)
{
	size_t used = 0;
	int i;

	for (i = 0; words[i] && used + (i > 0) + strlen(words[i]) <=
	     COMMAND_BYTES; i++)
		used += sprintf(top.command + used, "%s%s", i ? " " : "",
				words[i]);
}

static void set_time(char text[64], time_t moment)
{
	struct tm tm;

	if (localtime_r(&moment, &tm))
		strftime(text, 64, TIME_FORMAT, &tm);
}

static void print(FILE *file, const struct tw_run *run)
{
	int64_t realtime;

	top.columns = checking ? 0 : tw_text_columns();
	top.nsecs = tw_config.nsecs;
	top.realtime = tw_read_number(&realtime, "/sys/kernel/realtime") &&
		       realtime == 1;
	set_command(run->argv);
	set_time(top.start_time, begin);
	set_time(top.end_time, time(NULL));
	if (uname(&top.uts))
		memset(&top.uts, 0, sizeof(top.uts));
	tw_member_object(file, &tw_json_root, run);
	fputc('\n', file);
}

int tw_json_write(const struct tw_run *run, int status)
{
	if (to.path && !strcmp(to.path, "-") && tw_output_lost())
		return -EIO;
	top.return_code = status;
	return tw_file_write(&to, print, run);
}

int tw_json_write_checked(const struct tw_run *run, int status)
{
	checking = true;
	return tw_json_write(run, status);
}

const struct tw_part tw_part_json = {
	.options = options, .group = TW_OUTPUT, .check = check,
	.write = tw_json_write,
};
