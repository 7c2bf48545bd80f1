// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tw_help.h"
#include "tw_part.h"
#include "tw_string.h"

#define HEAD_WIDTH	22	/* of an option */

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

/* The words that an option allows, in lines of 80 columns. */
static void help_choices(const struct tw_option *option)
{
	const char *word, *begin = "(";
	size_t left = 0;
	int i;

	for (i = 0; option->type != TW_LIMIT &&
	     (word = tw_option_word(option, i)); i++) {
		if (left < strlen(word) + 3) {
			printf("%s  %-*s ", i ? ",\n" : "", HEAD_WIDTH, "");
			left = 80 - HEAD_WIDTH - 3;
		} else {
			left -= printf(", ");
		}
		left -= printf("%s%s", begin, word);
		begin = "";
	}
	if (i)
		printf(")\n");
}

static void help_option(const struct tw_option *option)
{
	const char *line, *metavar = metavar_of(option);
	char head[48];
	int len;

	if (!option->help)
		return;
	snprintf(head, sizeof(head), option->letter ? "-%c, --%s%s%s%s" :
		 "%c   --%s%s%s%s", option->letter ? option->letter : ' ',
		 option->name,
		 option->optional ? "[" : "", *metavar ? "=" : "", metavar);
	if (option->optional)
		strcat(head, "]");
	if (strlen(head) > HEAD_WIDTH) {
		printf("  %s\n", head);
		head[0] = '\0';
	}
	for (line = option->help; line; head[0] = '\0') {
		len = (int)strcspn(line, "\n");
		printf("  %-*s %.*s\n", HEAD_WIDTH, head, len, line);
		line = line[len] ? line + len + 1 : NULL;
	}
	help_choices(option);
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
	print_lines("help", row->help);
	printf("}\n");
}

void tw_help_options(void)
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

void tw_help_print(void)
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
