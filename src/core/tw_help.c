// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "tw_help.h"
#include "tw_part.h"

#define HEAD_WIDTH	22	/* of an option */

static const char *const metavars[] = {
	[TW_NUMBER] = "N", [TW_TIME] = "TIME", [TW_NUMBERS] = "N,...",
	[TW_LIMIT] = "[METRIC:]US",
	[TW_WORD] = "NAME", [TW_LIST] = "LIST", [TW_CPUS] = "CPUSET",
	[TW_FILE] = "FILE", [TW_TEXT] = "TEXT",
};

/* The words that an option allows, in lines of 80 columns. */
static void help_choices(const struct tw_option *option)
{
	const char *word, *begin = "(";
	size_t left = 0;
	int i;

	for (i = 0; (word = tw_option_word(option, i)); i++) {
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
	const char *line, *metavar = option->metavar ? option->metavar :
				     metavars[option->type];
	char head[48];
	int len;

	if (!option->help)
		return;
	snprintf(head, sizeof(head), option->letter ? "-%c, --%s%s%s%s" :
		 "%c   --%s%s%s%s", option->letter ? option->letter : ' ',
		 option->name,
		 option->optional ? "[" : "", metavar ? "=" : "",
		 metavar ? metavar :"");
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

void tw_help_print(void)
{
	const struct tw_program_group *of;
	const struct tw_option *row;
	int i;

	printf("usage: %s [options]\n%s", tw_program_name, tw_program_about);
	for (of = tw_program_groups; of->heading; of++) {
		printf("\n%s:\n", of->heading);
		for (i = 0; (row = tw_option_row(i)); i++)
			if (group_of(row) == of->group)
				help_option(row);
	}
}
