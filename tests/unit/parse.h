/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Command lines for the tests of the option parser. */
#ifndef PARSE_H
#define PARSE_H

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "frame/tw_run.h"
#include "run/tw_config.h"
#include "tw_parts.h"
#include "unit.h"

#define WORDS_MAX	80

struct parsed {
	int err;
	struct tw_config config;	/* its strings: until the next call */
	char error[TW_ERROR_MAX];
};

/* The run of the last command line, and of which program it is. */
static struct tw_run parse_run;
static const struct tw_program *parse_program = &tw_program;

/* Parses @words, the last of them NULL, as the words after the name. */
static inline struct parsed parse_words(const char *const words[])
{
	static char name[] = "twowaytest", copy[WORDS_MAX][1024];
	char *argv[WORDS_MAX + 2] = { name };
	struct parsed parsed;
	int argc;

	for (argc = 1; words[argc - 1]; argc++) {
		assert_true(argc <= WORDS_MAX);
		assert_true(strlen(words[argc - 1]) < sizeof(copy[0]));
		argv[argc] = strcpy(copy[argc - 1], words[argc - 1]);
	}
	memset(&parsed, 0xff, sizeof(parsed));
	parsed.err = tw_run_parse(&parse_run, parse_program, argc, argv);
	parsed.config = *tw_config;
	strcpy(parsed.error, parse_run.error);
	/* One line, and only of a failure. */
	assert_non_null(memchr(parsed.error, '\0', sizeof(parsed.error)));
	assert_null(strchr(parsed.error, '\n'));
	assert_true(parsed.err == 0 || parsed.err == -EINVAL);
	assert_int_equal(!parsed.err, !parsed.error[0]);
	return parsed;
}

/* The same, of a line whose words are separated by single spaces. */
static inline struct parsed parse(const char *line)
{
	const char *words[WORDS_MAX + 1] = { NULL };
	char copy[1024], *rest = copy;
	int i;

	assert_true(strlen(line) < sizeof(copy));
	strcpy(copy, line);
	for (i = 0; rest && *line && i < WORDS_MAX; i++)
		words[i] = strsep(&rest, " ");
	return parse_words(words);
}

static inline struct tw_config accepted(const char *line)
{
	const struct parsed parsed = parse(line);

	if (parsed.err)
		fail_msg("\"%s\" was refused: %s", line, parsed.error);
	return parsed.config;
}

/* What the option @name has set by the last command line. */
static inline const void *set_by(const char *name)
{
	const struct tw_option *option = tw_option_named(&parse_run, name);

	assert_non_null(option);
	return option->to;
}

/* The same, of options of these types. */
static inline int64_t number_of(const char *name)
{
	return *(const int64_t *)set_by(name);
}

static inline const char *text_of(const char *name)
{
	return *(const char *const *)set_by(name);
}

static inline bool flag_of(const char *name)
{
	return *(const bool *)set_by(name);
}

static inline void refused(const char *line, const char *error)
{
	const struct parsed parsed = parse(line);

	if (!parsed.err)
		fail_msg("\"%s\" was accepted", line);
	assert_string_equal(parsed.error, error);
}

#endif /* PARSE_H */
