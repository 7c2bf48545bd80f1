// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tw_part.h"
#include "tw_say.h"
#include "tw_string.h"

#define OPTIONS_MAX	192
#define FIRST		256	/* getopt's code of the first row */
#define HEAD_WIDTH	22	/* of an option in the help */
#define LIST_SIZE	120	/* of the words that an option allows */

/* The rows of all parts, sorted by name. */
static const struct tw_option *rows[OPTIONS_MAX];
static bool given[OPTIONS_MAX];
static int count;

void tw_option_refuse(const struct tw_option *option, const char *value,
		      const char *message)
{
	tw_say_fatal("--%s=%s: %s\n", option->name, value, message);
}

static void parse_flag(const struct tw_option *option, char *value)
{
	*(bool *)option->to = true;
}

bool tw_option_whole(const char *text, int64_t min, int64_t max, int64_t *to)
{
	const char *digits = text + (*text == '-');
	long long number;

	if (!*digits || digits[strspn(digits, "0123456789")])
		return false;
	errno = 0;
	number = strtoll(text, NULL, 10);
	if (errno || number < min || number > max)
		return false;
	*to = number;
	return true;
}

/* A space before the number is allowed: rteval writes "-h 3500" in one word. */
void tw_option_number(const struct tw_option *option, char *value)
{
	char message[80];

	if (tw_option_whole(value + strspn(value, " "), option->min,
			    option->max, option->to))
		return;
	snprintf(message, sizeof(message),
		 "allowed is a whole number from %lld to %lld",
		 (long long)option->min, (long long)option->max);
	tw_option_refuse(option, value, message);
}

void tw_option_path(const struct tw_option *option, char *value)
{
	if (!*value || value[0] == '-')
		tw_option_refuse(option, value, "allowed is the name of a file; one that begins with - is written ./-");
	*(const char **)option->to = value;
}

int64_t tw_option_seconds(const char *text, int64_t most)
{
	static const char units[] = "smhd";
	static const int64_t lengths[] = { 1, 60, 60 * 60, 24 * 60 * 60 };
	char *end;
	/* What is too large for it becomes its largest value. */
	long long number = strtoll(text, &end, 10);
	const char *unit = *end ? strchr(units, tolower((unsigned char)*end)) :
				  units;

	if (!isdigit((unsigned char)*text) || !unit || (*end && end[1]) ||
	    number > most / lengths[unit - units])
		return -1;
	return number * lengths[unit - units];
}

static void parse_time(const struct tw_option *option, char *value)
{
	int64_t seconds = tw_option_seconds(value, TW_DURATION_MAX_S);

	if (seconds < 0)
		tw_option_refuse(option, value, "allowed is a whole number of seconds; with m, h or d behind it, of minutes, hours or days; at most 36500d");
	*(int64_t *)option->to = seconds;
}

/* NULL: there are not so many. */
static const char *choice_of(const struct tw_option *option, int i)
{
	return option->choices ? option->choices[i] :
	       option->choice ? option->choice(i) : NULL;
}

/* "a, b, c" */
static void list_choices(const struct tw_option *option, char *text)
{
	int i;

	text[0] = '\0';
	for (i = 0; choice_of(option, i); i++)
		strcat(strcat(text, i ? ", " : ""), choice_of(option, i));
}

void tw_option_choice(const struct tw_option *option, char *value)
{
	char list[LIST_SIZE], message[LIST_SIZE + 16];
	int i;

	for (i = 0; choice_of(option, i); i++)
		if (!strcmp(value, choice_of(option, i))) {
			*(const char **)option->to = choice_of(option, i);
			return;
		}
	list_choices(option, list);
	snprintf(message, sizeof(message), "allowed is %s", list);
	tw_option_refuse(option, value, message);
}

static void parse_text(const struct tw_option *option, char *value)
{
	*(const char **)option->to = value;
}

/* Lists and sets of CPUs are read by the parts. */
static const struct type {
	const char *metavar;	/* NULL: there is no value */
	void (*parse)(const struct tw_option *option, char *value);
} types[] = {
	[TW_FLAG] = { NULL, parse_flag },
	[TW_NUMBER] = { "N", tw_option_number },
	[TW_TIME] = { "TIME", parse_time },
	[TW_LIMIT] = { "[METRIC:]US", tw_option_number },
	[TW_WORD] = { "NAME", tw_option_choice },
	[TW_LIST] = { "LIST", parse_text },
	[TW_CPUS] = { "CPUSET", parse_text },
	[TW_FILE] = { "FILE", tw_option_path },
	[TW_TEXT] = { "TEXT", parse_text },
};

static int argument_of(const struct tw_option *option)
{
	return option->type == TW_FLAG ? no_argument :
	       option->optional ? optional_argument : required_argument;
}

/* The words that an option allows, in lines of 80 columns. */
static void help_choices(const struct tw_option *option)
{
	const char *word, *begin = "(";
	size_t left = 0;
	int i;

	for (i = 0; (word = choice_of(option, i)); i++) {
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
				     types[option->type].metavar;
	char head[48];
	int len;

	if (!option->help)
		return;
	snprintf(head, sizeof(head), option->letter ? "-%c, --%s%s%s%s" :
		 "%c   --%s%s%s%s", option->letter ? option->letter : ' ',
		 option->name,
		 option->optional ? "[" : "", metavar ? "=" : "",
		 metavar ? metavar : "");
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

static void print_version(const struct tw_option *option, char *value)
{
	printf("%s V %1.2f\n", tw_program_name, VERSION);
	exit(fflush(stdout) ? EXIT_FAILURE : EXIT_SUCCESS);
}

static void print_help(const struct tw_option *option, char *value)
{
	int i;

	printf("usage: %s [options]\n%s\n", tw_program_name,
	       tw_program_about);
	for (i = 0; i < count; i++)
		help_option(rows[i]);
	exit(fflush(stdout) ? EXIT_FAILURE : EXIT_SUCCESS);
}

static const struct tw_option own[] = {
	{ 0, "help", TW_FLAG, .parse = print_help, .help = "print this" },
	{ 0, "version", TW_FLAG, .parse = print_version,
	  .help = "print the version" },
	{ .name = NULL }
};

static void collect(const struct tw_option *option)
{
	int i;

	for (; option && option->name; option++) {
		for (i = count++; i && strcmp(rows[i - 1]->name,
					      option->name) > 0; i--)
			rows[i] = rows[i - 1];
		rows[i] = option;
	}
}

/* The number of a row; count: there is none. */
static int find(int code)
{
	int i = 0;

	while (i < count && code != FIRST + i &&
	       (!rows[i]->letter || code != rows[i]->letter))
		i++;
	return i;
}

static int find_name(const char *name)
{
	int i = 0;

	while (i < count && strcmp(rows[i]->name, name))
		i++;
	return i;
}

/*
 * As in cyclictest, what an option may have can also be the next word. Other
 * words are allowed nowhere, so it can be nothing else.
 */
static char *next_word(const struct tw_option *option, int argc, char *argv[])
{
	if (optarg || !option->optional || optind >= argc ||
	    argv[optind][0] == '-')
		return optarg;
	return argv[optind++];
}

/*
 * getopt says why it refuses a word of @argv, from the one @at on: a word of a
 * copy in which is nothing that a terminal obeys.
 */
static void __attribute__((noreturn))
complain(int argc, char *argv[], int at, const char *letters,
	 const struct option *names)
{
	char **words = calloc(argc + 1, sizeof(*words));
	int n = 0, code;

	for (; words && n <= argc - at; n++) {
		words[n] = strdup(argv[n ? at + n - 1 : 0]);
		tw_string_clean(words[n]);
	}
	opterr = 1;
	optind = 0;	/* from the beginning */
	do
		code = getopt_long(n, words, letters, names, NULL);
	while (code != -1 && find(code) < count);
	tw_say_fatal("see %s --help\n", tw_program_name);
}

void tw_option_parse_all(int argc, char *argv[])
{
	struct option names[OPTIONS_MAX + 1] = { { .name = NULL } };
	/* +: getopt must not move a word away from its option. */
	char letters[3 * OPTIONS_MAX + 2] = "+", *letter = letters + 1;
	int code, i, at = 1;

	collect(own);
	for (i = 0; tw_parts[i]; i++)
		collect(tw_parts[i]->options);
	for (i = 0; i < count; i++) {
		names[i] = (struct option) {
			rows[i]->name, argument_of(rows[i]), NULL, FIRST + i
		};
		if (rows[i]->letter)
			letter += sprintf(letter, "%c%.*s", rows[i]->letter,
					  argument_of(rows[i]), "::");
	}
	opterr = 0;
	while ((code = getopt_long(argc, argv, letters, names, NULL)) != -1) {
		i = find(code);
		if (i == count)
			complain(argc, argv, at, letters, names);
		tw_option_take(rows[i], next_word(rows[i], argc, argv));
		at = optind;
	}
	if (optind < argc)
		tw_say_fatal("unexpected argument %s; see %s --help\n",
			     argv[optind], tw_program_name);
}

const struct tw_option *tw_option_find(const char *name)
{
	int i = find_name(name);

	return i < count ? rows[i] : NULL;
}

bool tw_option_given(const char *name)
{
	int i = find_name(name);

	return i < count && given[i];
}

void tw_option_take(const struct tw_option *option, char *value)
{
	given[find_name(option->name)] = true;
	if (option->parse)
		option->parse(option, value);
	else
		types[option->type].parse(option, value);
}

void tw_option_set(const char *name, const char *value)
{
	const struct tw_option *option = tw_option_find(name);
	char copy[64];

	snprintf(copy, sizeof(copy), "%s", value ? value : "");
	if (option)
		tw_option_take(option, value ? copy : NULL);
}

static void write_value(FILE *file, const struct tw_option *row)
{
	if (row->type == TW_FLAG)
		fprintf(file, *(bool *)row->to ? "true" : "false");
	else if (row->type < TW_WORD)
		fprintf(file, "%" PRId64, *(int64_t *)row->to);
	else if (*(const char **)row->to)
		tw_string_json(file, *(const char **)row->to);
	else
		fprintf(file, "null");
}

void tw_option_json(FILE *file)
{
	const char *comma = "";
	int i;

	for (i = 0; i < count; i++) {
		if (!rows[i]->to)
			continue;
		fprintf(file, "%s\n      \"%s\": ", comma, rows[i]->name);
		write_value(file, rows[i]);
		comma = ",";
	}
}
