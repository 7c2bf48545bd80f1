// SPDX-License-Identifier: GPL-2.0-or-later
/* The options of all parts: the command line, and --help. */
#include <errno.h>
#include <getopt.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rt-utils.h"
#include "frame/tw_run.h"

#define OWN		256	/* getopt's code of the first row */
#define HELP_COLUMN	27
#define HELP_WIDTH	51
#define HELP_MAX	512

static struct {
	bool help;
	bool version;
} set;
static const __typeof__(set) initial;

static const struct tw_option options[] = {
	{ 0, "help", TW_NO_ARGUMENT, NULL, tw_option_flag, &set.help,
	  .help = "print this help" },
	{ 0, "version", TW_NO_ARGUMENT, NULL, tw_option_flag, &set.version,
	  .help = "print the version" },
	{ .name = NULL }
};

const struct tw_part tw_part_help = {
	.name = "help", .options = options, TW_SETTINGS(set, initial),
};

/* getopt's two views of the rows. */
struct getopt_tables {
	char letters[3 * TW_OPTIONS_MAX + 2];
	struct option names[TW_OPTIONS_MAX + 1];
};

static void insert(struct tw_run *run, const struct tw_option *option)
{
	int i = run->option_count++;

	if (i >= TW_OPTIONS_MAX)
		abort();
	for (; i && strcmp(run->options[i - 1]->name, option->name) > 0; i--)
		run->options[i] = run->options[i - 1];
	run->options[i] = option;
}

static void collect(struct tw_run *run)
{
	const struct tw_part *const *part;
	const struct tw_option *option;

	for (part = run->parts; *part; part++) {
		if ((*part)->settings)
			memcpy((*part)->settings, (*part)->initial, (*part)->size);
		option = (*part)->options;
		for (; option && option->name; option++)
			insert(run, option);
	}
}

static void fill_tables(const struct tw_run *run, struct getopt_tables *tables)
{
	char *letter = tables->letters;
	int i, colons;

	memset(tables, 0, sizeof(*tables));
	*letter++ = ':';	/* returned for a missing argument */
	for (i = 0; i < run->option_count; i++) {
		const struct tw_option *option = run->options[i];

		tables->names[i].name = option->name;
		tables->names[i].has_arg = option->argument;
		tables->names[i].val = OWN + i;
		if (!option->letter)
			continue;
		*letter++ = option->letter;
		for (colons = option->argument; colons > 0; colons--)
			*letter++ = ':';
	}
}

/* The index of the option that getopt returned @code for; -1: none. */
static int find_code(const struct tw_run *run, int code)
{
	int i;

	if (code >= OWN)
		return code - OWN;
	for (i = 0; i < run->option_count; i++)
		if (run->options[i]->letter && run->options[i]->letter == code)
			return i;
	return -1;
}

static int find_name(const struct tw_run *run, const char *name)
{
	int i;

	for (i = 0; i < run->option_count; i++)
		if (!strcmp(run->options[i]->name, name))
			return i;
	return -1;
}

const struct tw_option *tw_option_named(const struct tw_run *run,
					const char *name)
{
	int i = find_name(run, name);

	return i < 0 ? NULL : run->options[i];
}

bool tw_option_given(const struct tw_run *run, const char *name)
{
	int i = find_name(run, name);

	return i >= 0 && run->given[i];
}

int tw_option_set(struct tw_run *run, const char *name, const char *value)
{
	int i = find_name(run, name);

	/* A build may lack the part, as between two patches of a series. */
	if (i < 0)
		return 0;
	run->given[i] = false;
	return run->options[i]->parse(run->options[i], value, run);
}

/* As cyclictest: the value may also stand as the next word. */
static const char *take_next_word(const struct tw_option *option, int argc,
				  char *argv[])
{
	const char *word = optind < argc ? argv[optind] : NULL;

	if (!word || !option->takes_word || !option->takes_word(word))
		return NULL;
	optind++;
	return word;
}

/* Whether a long option that getopt does not take begins several names. */
static bool is_ambiguous(const struct tw_run *run, const char *word)
{
	size_t len = strcspn(word + 2, "=");
	int i, found = 0;

	for (i = 0; i < run->option_count; i++)
		found += !strncmp(run->options[i]->name, word + 2, len);
	return found > 1;
}

static int bad_option(struct tw_run *run, int code, char *argv[])
{
	int known = optopt ? find_code(run, optopt) : -1;
	const struct tw_option *option = known < 0 ? NULL :
						     run->options[known];
	const char *word = argv[optind - 1];
	const char *hint = option || !run->program->hint ? NULL :
			   run->program->hint(word, optopt);

	if (code == ':' && option)
		return tw_option_error(option, NULL, run,
				       "a value is needed: %s",
				       option->metavar);
	if (option)
		return tw_fail(run, -EINVAL, "%.100s: takes no value; --help lists the options",
			       word);
	if (!hint)
		hint = "--help lists the options";
	if (optopt)
		return tw_fail(run, -EINVAL, "-%c: unknown option; %s",
			       optopt, hint);
	return tw_fail(run, -EINVAL, "%.100s: %s; %s", word,
		       is_ambiguous(run, word) ? "ambiguous option" :
						 "unknown option", hint);
}

/* A word that is no option, perhaps meant as the value of @option. */
static int unexpected(struct tw_run *run, const struct tw_option *option,
		      const char *word)
{
	if (option)
		return tw_fail(run, -EINVAL, "%.100s: unexpected argument; write --%s=%.100s, see --help",
			       word, option->name, word);
	return tw_fail(run, -EINVAL, "%.100s: unexpected argument; all input is given by options, see --help",
		       word);
}

static int parse(struct tw_run *run, int argc, char *argv[])
{
	const struct tw_option *option, *without_value = NULL;
	const char *value, *next_word = NULL;
	struct getopt_tables tables;
	int code, i, err = 0;

	fill_tables(run, &tables);
	opterr = 0;
	optind = 0;	/* glibc: reset, if called again */
	while (!err && (code = getopt_long(argc, argv, tables.letters,
					   tables.names, NULL)) != -1) {
		i = code == '?' || code == ':' ? -1 : find_code(run, code);
		if (i < 0)
			return bad_option(run, code, argv);
		option = run->options[i];
		value = optarg;
		if (!value && option->argument == TW_OPTIONAL_ARGUMENT)
			value = take_next_word(option, argc, argv);
		if (!value && option->argument == TW_OPTIONAL_ARGUMENT &&
		    !option->takes_word) {
			without_value = option;
			next_word = argv[optind];
		}
		run->given[i] = true;
		err = option->parse(option, value, run);
	}
	if (!err && optind < argc)
		err = unexpected(run, argv[optind] == next_word ?
				 without_value : NULL, argv[optind]);
	return err;
}

/* With isolcpus=, nobody runs on isolated CPUs who did not ask for them. */
static int read_cpus(struct tw_run *run)
{
	const size_t size = sizeof(cpu_set_t);
	cpu_set_t all;

	if (sched_getaffinity(0, size, &run->allowed))
		return -errno;
	run->reachable = run->allowed;
	memset(&all, 0xff, size);
	/* The kernel removes the CPUs that the cpuset lacks. */
	if (sched_setaffinity(0, size, &all))
		return 0;
	sched_getaffinity(0, size, &run->reachable);
	sched_setaffinity(0, size, &run->allowed);
	return 0;
}

/* EINVAL: the kernel's own sets of CPUs are larger than ours. */
static int refuse_cpus(struct tw_run *run, int err)
{
	const char *cause = strerror(-err);

	/* Whatever option was refused for the lack of CPUs. */
	run->err = 0;
	if (err == -EINVAL)
		return tw_fail(run, -EINVAL, "the CPUs that this process may use cannot be read: %s; there may be %d of them at the most",
			       cause, CPU_SETSIZE);
	return tw_fail(run, -EINVAL, "the CPUs that this process may use cannot be read: %s",
		       cause);
}

int tw_run_parse(struct tw_run *run, const struct tw_program *program,
		 int argc, char *argv[])
{
	const struct tw_part *const *part;
	int err, cpus_err;

	memset(run, 0, sizeof(*run));
	run->signal_fd = -1;
	run->argc = argc;
	run->argv = argv;
	run->program = program;
	run->parts = program->parts;
	run->steps = 1;
	/* Before the parent process pins itself. */
	cpus_err = read_cpus(run);
	collect(run);
	err = parse(run, argc, argv);
	run->help = set.help;
	run->version = set.version;
	if (!err && (run->help || run->version))
		return 0;
	if (cpus_err)
		return refuse_cpus(run, cpus_err);
	for (part = run->parts; !err && *part; part++)
		if ((*part)->check)
			err = (*part)->check(run);
	return err;
}

/* The help, and the kinds that it does not name. */
static void help_text(char text[HELP_MAX], const struct tw_option *option)
{
	const void *const *kind = option->kinds;
	const char *name, *last;
	size_t used = snprintf(text, HELP_MAX, "%s", option->help);
	bool fits;

	for (; option->lists_kinds && *kind && used < HELP_MAX; kind++) {
		name = *(const char *const *)*kind;
		if (strstr(option->help, name))
			continue;
		last = strrchr(text, '\n');
		fits = strlen(last ? last + 1 : text) + strlen(name) +
		       strlen(", ,") <= HELP_WIDTH;
		used += snprintf(text + used, HELP_MAX - used, ",%c%s",
				 fits ? ' ' : '\n', name);
	}
}

static void help_option(FILE *file, const struct tw_option *option)
{
	bool optional = option->argument == TW_OPTIONAL_ARGUMENT;
	char text[HELP_MAX];
	const char *line = text;
	int column, len;

	help_text(text, option);
	if (option->letter)
		column = fprintf(file, "  -%c, --%s", option->letter,
				 option->name);
	else
		column = fprintf(file, "      --%s", option->name);
	if (option->metavar)
		column += fprintf(file, "%s=%s%s", optional ? "[" : "",
				  option->metavar, optional ? "]" : "");
	if (column >= HELP_COLUMN)
		column = fprintf(file, "\n") - 1;
	while (*line) {
		len = (int)strcspn(line, "\n");
		fprintf(file, "%*s%.*s\n", HELP_COLUMN - column, "", len,
			line);
		line += len + (line[len] == '\n');
		column = 0;
	}
}

void tw_run_help(const struct tw_run *run, FILE *file)
{
	int i;

	fprintf(file, "%s\n", run->program->about);
	for (i = 0; i < run->option_count; i++)
		help_option(file, run->options[i]);
}
