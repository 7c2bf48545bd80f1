// SPDX-License-Identifier: GPL-2.0-or-later
/* --help, --options, --schema, --version. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tw_part.h"
#include "tw_schema.h"
#include "tw_string.h"

#define HEAD_WIDTH	24	/* of an option */

static const struct {
	const char *name, *metavar;
} types[] = {
	[TW_FLAG] = { "flag", NULL }, [TW_NUMBER] = { "number", "N" },
	[TW_TIME] = { "time", "TIME" }, [TW_NUMBERS] = { "numbers", "N,..." },
	[TW_LIMIT] = { "limit", "[METRIC:]US" }, [TW_WORD] = { "word", "NAME" },
	[TW_LIST] = { "list", "LIST" }, [TW_CPUS] = { "cpus", "CPUSET" },
	[TW_FILE] = { "file", "FILE" }, [TW_TEXT] = { "text", "TEXT" },
};

/* What its value is called; "": it has none. */
static const char *metavar_of(const struct tw_option *row)
{
	const char *usual = types[row->type].metavar;

	return row->metavar ? row->metavar : usual ? usual : "";
}

char *tw_option_help(const struct tw_option *option)
{
	const char *word, *usual = tw_option_usual(option);
	char *text;
	FILE *file = tw_string_open(&text);
	size_t length = strlen(option->help);
	int i;

	fputs(option->help, file);
	for (i = 0; option->help[length - 1] == ':' &&
	     (word = tw_option_word(option, i)); i++)
		fprintf(file, "%s%s%s", i ? ", " : " ", word,
			usual && !strcmp(word, usual) ? " (default)" : "");
	fclose(file);
	return text;
}

/* In lines of at most 80 columns. */
static void help_option(const struct tw_option *option)
{
	const char *metavar = metavar_of(option);
	char *text, *rest, *word;
	int column;

	if (!option->help)
		return;
	column = printf(option->letter ? "  -%c, --%s%s%s%s%s" :
			"  %c   --%s%s%s%s%s",
			option->letter ? option->letter : ' ', option->name,
			option->optional ? "[" : "", *metavar ? "=" : "",
			metavar, option->optional ? "]" : "");
	if (column < HEAD_WIDTH)
		column += printf("%*s", HEAD_WIDTH - column, "");
	text = rest = tw_option_help(option);
	while ((word = strsep(&rest, " "))) {
		if (column + strlen(word) >= 80)
			column = printf("\n%*s", HEAD_WIDTH, "") - 1;
		column += printf(" %s", word);
	}
	putchar('\n');
	free(text);
}

static enum tw_option_group group_of(const struct tw_option *row)
{
	const struct tw_option *own;
	int i;

	for (i = 0; !row->group && tw_parts[i]; i++)
		for (own = tw_parts[i]->options; own && own->name; own++)
			if (own == row)
				return tw_parts[i]->group;
	return row->group;
}

/* An array of the lines of @text. */
static void print_lines(const char *name, const char *text)
{
	char *copy = strdup(text ? text : ""), *rest = copy, *line;
	const char *comma = "";

	printf(", \"%s\": [", name);
	while ((line = strsep(&rest, "\n")))
		if (*line) {
			fputs(comma, stdout);
			tw_string_json(stdout, line);
			comma = ", ";
		}
	putchar(']');
	free(copy);
}

static void print_words(const struct tw_option *row)
{
	const char *word;
	int i;

	printf(", \"words\": [");
	for (i = 0; (word = tw_option_word(row, i)); i++)
		printf("%s\"%s%s\"", i ? ", " : "", word,
		       row->type == TW_LIMIT ? ":" : "");
	putchar(']');
}

static void print_option(const struct tw_option *row, const char *group)
{
	char *help = tw_option_help(row);

	printf("{\"letter\": \"%.1s\", \"name\": \"%s\", \"type\": \"%s\", \"value\": \"%s\", \"optional\": %s",
	       &row->letter, row->name, types[row->type].name,
	       metavar_of(row), row->optional ? "true" : "false");
	if (row->type == TW_NUMBER || row->type == TW_LIMIT ||
	    row->type == TW_NUMBERS)
		printf(", \"min\": %" PRId64 ", \"max\": %" PRId64, row->min,
		       row->max);
	print_words(row);
	print_lines("needs", row->with);
	print_lines("excludes", row->without);
	printf(", \"group\": \"%s\"", group);
	print_lines("help", help);
	printf("}\n");
	free(help);
}

static void print_options(void)
{
	const struct tw_program_group *of;
	const struct tw_option *row;
	int i;

	if (*tw_program_words)
		printf("{\"name\": \"program\", \"type\": \"operands\"}\n");
	for (of = tw_program_groups; of->heading; of++)
		for (i = 0; (row = tw_option_row(i)); i++)
			if (group_of(row) == of->group && row->help)
				print_option(row, of->heading);
}

static void print_help(void)
{
	const struct tw_program_group *of;
	const struct tw_option *row;
	int i;

	printf("usage: %s [options]%s\n%s", tw_program_name, tw_program_words,
	       tw_program_about);
	for (of = tw_program_groups; of->heading; of++) {
		printf("\n%s:\n", of->heading);
		for (i = 0; (row = tw_option_row(i)); i++)
			if (group_of(row) == of->group)
				help_option(row);
	}
}

static void print_version(void)
{
	printf("%s V %1.2f\n", tw_program_name, VERSION);
}

static void tell(const struct tw_option *option, char *value);

static const struct tw_option options[] = {
	{ 0, "help", TW_FLAG, .parse = tell, .help = "print this" },
	{ 0, "options", TW_FLAG, .parse = tell,
	  .help = "print the options as JSON, one a line" },
	{ 0, "schema", TW_FLAG, .parse = tell,
	  .help = "print the JSON Schema of --json" },
	{ 0, "version", TW_FLAG, .parse = tell,
	  .help = "print the version" },
	{ .name = NULL }
};

/* What one of these prints, instead of a run. */
static void tell(const struct tw_option *option, char *value)
{
	static void (*const print[])(void) = {
		print_help, print_options, tw_schema_print, print_version
	};

	print[option - options]();
	exit(fflush(stdout) ? EXIT_FAILURE : EXIT_SUCCESS);
}

const struct tw_part tw_part_help = {
	.options = options, .group = TW_OUTPUT,
};
