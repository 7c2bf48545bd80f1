// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tw_part.h"
#include "tw_string.h"

#define OPTIONS_MAX	192
#define FIRST		256	/* getopt's code of the first row */
#define LIST_SIZE	120	/* of the words that an option allows */

/* The rows of all parts, sorted by name. */
static const struct tw_option *rows[OPTIONS_MAX];
static bool given[OPTIONS_MAX];
static const char *usual[OPTIONS_MAX];	/* the word that is the default */
static int64_t initial[OPTIONS_MAX];	/* the number that is */
static int count;

char **tw_option_words;

void tw_option_refuse(const struct tw_option *option, const char *value,
		      const char *message)
{
	tw_say_fatal("--%s=%s: %s\n", option->name, value, message);
}

static void parse_flag(const struct tw_option *option, char *value)
{
	if (option->to)
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

const char *tw_option_word(const struct tw_option *option, int i)
{
	return option->choices ? option->choices[i] :
	       option->choice ? option->choice(i) :
	       option->metric ? tw_metric_word(i) : NULL;
}

/* "a, b, c" */
static void list_choices(const struct tw_option *option, char *text)
{
	int i;

	text[0] = '\0';
	for (i = 0; tw_option_word(option, i); i++)
		strcat(strcat(text, i ? ", " : ""), tw_option_word(option, i));
}

void tw_option_choice(const struct tw_option *option, char *value)
{
	char list[LIST_SIZE], message[LIST_SIZE + 16];
	int i;

	for (i = 0; tw_option_word(option, i); i++)
		if (!strcmp(value, tw_option_word(option, i))) {
			*(const char **)option->to = tw_option_word(option, i);
			return;
		}
	list_choices(option, list);
	snprintf(message, sizeof(message), "allowed is %s", list);
	tw_option_refuse(option, value, message);
}

static void parse_limit(const struct tw_option *option, char *value)
{
	*option->metric = tw_config_metric(option, &value);
	tw_option_number(option, value);
}

static void parse_text(const struct tw_option *option, char *value)
{
	*(const char **)option->to = value;
}

/* Lists and sets of CPUs are read by the parts. */
static void (*const parsers[])(const struct tw_option *, char *) = {
	[TW_FLAG] = parse_flag, [TW_NUMBER] = tw_option_number,
	[TW_TIME] = parse_time, [TW_LIMIT] = parse_limit,
	[TW_WORD] = tw_option_choice, [TW_LIST] = parse_text,
	[TW_CPUS] = parse_text, [TW_FILE] = tw_option_path,
	[TW_TEXT] = parse_text,
};

static int argument_of(const struct tw_option *option)
{
	return option->type == TW_FLAG ? no_argument :
	       option->optional ? optional_argument : required_argument;
}

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

	for (i = 0; tw_parts[i]; i++)
		collect(tw_parts[i]->options);
	for (i = 0; i < count; i++) {
		if (rows[i]->type == TW_WORD && rows[i]->to)
			usual[i] = *(const char **)rows[i]->to;
		if (rows[i]->type != TW_FLAG && rows[i]->type < TW_WORD &&
		    rows[i]->to)
			initial[i] = *(int64_t *)rows[i]->to;
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
	if (optind < argc && *tw_program_words)
		tw_option_words = argv + optind;
	else if (optind < argc)
		tw_say_fatal("unexpected argument %s; see %s --help\n",
			     argv[optind], tw_program_name);
	tw_option_check();
}

char *tw_option_text(const struct tw_option *option)
{
	const int64_t *numbers = option->to;
	int i, count = option->count ? *option->count : 1;
	const char *word;
	char *text;
	FILE *file;

	if (option->type >= TW_WORD) {
		word = option->to ? *(const char **)option->to : NULL;
		return word ? strdup(word) : NULL;
	}
	if (option->type == TW_FLAG)
		return NULL;
	file = tw_string_open(&text);
	if (option->metric && *option->metric != TW_LATENCY)
		fprintf(file, "%s:", tw_metrics[*option->metric].name);
	for (i = 0; i < count; i++)
		fprintf(file, "%s%" PRId64, i ? "," : "", numbers[i]);
	fclose(file);
	return text;
}

/* "-x" or "--name"; count: there is none. */
static int find_word(const char *word)
{
	return word[1] == '-' ? find_name(word + 2) : find(word[1]);
}

/* Whether what a line of @with or @without names is there. */
static bool holds(const char *line)
{
	char *list = strndup(line, strcspn(line, ",;:\n")), *word;
	const char *now = NULL;
	bool found = false;
	int i;

	for (word = strtok(list, " ="); word; word = strtok(NULL, " =")) {
		if (*word != '-') {
			found |= now && !strcmp(word, now);
			continue;
		}
		i = find_word(word);
		now = NULL;
		if (i == count)
			continue;
		if (line[word - list + strlen(word)] == '=')
			now = *(const char **)rows[i]->to;
		else
			found |= given[i];
	}
	free(list);
	return found;
}

static void __attribute__((noreturn))
refuse_line(const struct tw_option *row, const char *how, const char *line)
{
	const char *value = row->optional ? NULL : tw_option_text(row);

	tw_say_fatal("--%s%s%s: %s with %.*s\n", row->name, value ? "=" : "",
		     value ? value : "", how, (int)strcspn(line, "\n"), line);
}

void tw_option_check(void)
{
	const struct tw_option *row;
	const char *line;
	int i;

	for (i = 0; i < count; i++) {
		row = rows[i];
		if (!given[i] || (usual[i] && !strcmp(usual[i],
						      *(const char **)row->to)))
			continue;
		if (row->with && !holds(row->with))
			refuse_line(row, "allowed only", row->with);
		for (line = row->without; line; line = strchr(line, '\n')) {
			line += *line == '\n';
			if (holds(line))
				refuse_line(row, "not allowed", line);
		}
	}
}

const struct tw_option *tw_option_row(int i)
{
	return i < count ? rows[i] : NULL;
}

const char *tw_option_usual(const struct tw_option *option)
{
	return usual[find_name(option->name)];
}

int64_t tw_option_least(int i)
{
	return initial[i] < rows[i]->min ? initial[i] : rows[i]->min;
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
		parsers[option->type](option, value);
}

void tw_option_preset(const char *words)
{
	char *copy = strdup(words), *rest = copy, *word, *value;
	const struct tw_option *option;

	while ((word = strsep(&rest, " "))) {
		value = strchr(word, '=');
		if (value)
			*value++ = '\0';
		option = tw_option_find(word);
		if (option)
			tw_option_take(option, value);
	}
	free(copy);
}
