/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A row of an option table: for getopt_long(), --help, the check of its value,
 * "settings" in the JSON, and what is asked of another host. A parse function
 * ends the program after a message if the value is wrong.
 */
#ifndef TW_OPTION_H
#define TW_OPTION_H

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>

#include "tw_metric.h"

/* What the value is, and what is at @to. */
enum tw_option_type {
	TW_FLAG,		/* none; a bool, or nothing */
	TW_NUMBER,		/* int64_t */
	TW_TIME,		/* int64_t, in seconds */
	TW_NUMBERS,		/* int64_t[], of a list */
	TW_LIMIT,		/* int64_t, of a metric if the row has that */
	TW_WORD,		/* from here on const char *: one of the choices */
	TW_LIST,		/* of words or numbers */
	TW_CPUS,
	TW_FILE,
	TW_TEXT			/* anything */
};

/* Whether the server's side on another host is asked for it: see tw_ask.c. */
enum tw_option_far {
	TW_NEVER_ASKED,
	TW_ASKED,		/* with the value that it has here */
	TW_ASKED_OF_LOAD,	/* ...if it was given, and loads run there */
	TW_MAY_BE_ASKED		/* with another value, or not always */
};

/* Where --help has it. */
enum tw_option_group {
	TW_MEASURED, TW_SOCKETS, TW_PLACES, TW_PAIRS, TW_HOSTS, TW_LOADS,
	TW_OUTPUT, TW_TOO_LONG, TW_REFERENCE,
	TW_SINGLE = TW_SOCKETS	/* tests, of primitivetest */
};

struct tw_option {
	char letter;		/* '\0': none */
	const char *name;	/* NULL: end of the table */
	enum tw_option_type type;
	void *to;		/* NULL: no value is kept */
	const char *metavar;	/* NULL: that of the type */
	int64_t min, max;	/* allowed range of a number */
	int64_t most;		/* that its default may be; 0: not above that */
	int *count;		/* of numbers */
	enum tw_metric_id *metric;	/* of a limit: stands before it */
	const char *help;	/* see below; NULL: not in the help */
	/*
	 * The allowed words, NULL after the last: a list, or a table's names.
	 * Of a list, those that it can consist of; of a limit, what can stand
	 * before the colon, if not all metrics.
	 */
	const char *const *choices;
	const char *(*choice)(int number);
	const char *becomes;	/* a word that only another option gives it */
	bool optional;		/* it may stand without a value */
	/*
	 * What the message says that the option needs, and what it excludes, as
	 * "--a or --b=c or d": one of these options was given, or has one of
	 * these values. From the first of , ; : on, it is only text. @without
	 * may have several lines.
	 */
	const char *with, *without;
	enum tw_option_far far;
	enum tw_option_group group;	/* 0: that of the part */
	/* NULL: that of the type. */
	void (*parse)(const struct tw_option *option, char *value);
};

/* Those of types; a part's parse function may call them. */
void tw_option_number(const struct tw_option *option, char *value);
void tw_option_path(const struct tw_option *option, char *value);
void tw_option_choice(const struct tw_option *option, char *value);

/* Whether @text is a whole number of the range in decimal, and nothing else. */
bool tw_option_whole(const char *text, int64_t min, int64_t max, int64_t *to);

#define TW_DURATION_MAX_S	(36500LL * 24 * 60 * 60)	/* fits in ns */

/* Seconds of "90", "90s", "5m", "2h" or "1d"; -1: it is none, or above @most. */
int64_t tw_option_seconds(const char *text, int64_t most);

/* Ends the program: "--NAME=VALUE: MESSAGE". */
void tw_option_refuse(const struct tw_option *option, const char *value,
		      const char *message) __attribute__((noreturn));

/* Reads the command line by the options of all parts, which may change it. */
void tw_option_parse_all(int argc, char *argv[]);

/* The words behind the options, where a program has any; NULL: none. */
extern char **tw_option_words;

/*
 * Ends the program if an option was given without what it needs, or with what it
 * excludes. A word that is the default needs and excludes nothing.
 */
void tw_option_check(void);

/*
 * The value as it may be written in the command line, for free(); NULL: there is
 * none. A number that was not given may be outside of what is allowed.
 */
char *tw_option_text(const struct tw_option *option);

/*
 * Its help; if that ends in a colon, followed by the words allowed. For free().
 * See tw_help.c.
 */
char *tw_option_help(const struct tw_option *option);

/* The @i-th row, by name, and the @i-th word that one allows; or NULL. */
const struct tw_option *tw_option_row(int i);
const char *tw_option_word(const struct tw_option *option, int i);

/* Of a row: the word, or the least number, if it is not given. */
const char *tw_option_usual(const struct tw_option *option);
int64_t tw_option_least(int i);

/* The row of the option @name, of any part; NULL: there is none. */
const struct tw_option *tw_option_find(const char *name);

/* Whether it was given, or another one has set it. */
bool tw_option_given(const char *name);

/* As if it had been given with @value, which its parse function may keep. */
void tw_option_take(const struct tw_option *option, char *value);

/*
 * As if the options had been given: "NAME=VALUE NAME". Their parse functions do
 * not keep the value.
 */
void tw_option_preset(const char *words);

#endif /* TW_OPTION_H */
