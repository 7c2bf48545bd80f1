/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A row of an option table. The rows are used for getopt_long(), --help and the
 * checks of values. A parse function stores the value at @to and returns 0; or
 * it returns -EINVAL after tw_option_error().
 */
#ifndef TW_OPTION_H
#define TW_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tw_run;

#define TW_KINDS_MAX	16

enum tw_argument {		/* as has_arg of getopt_long() */
	TW_NO_ARGUMENT,
	TW_ARGUMENT,
	TW_OPTIONAL_ARGUMENT
};

struct tw_option {
	char letter;		/* '\0': none */
	const char *name;	/* NULL: end of the table */
	enum tw_argument argument;
	const char *metavar;
	int (*parse)(const struct tw_option *option, const char *value,
		     struct tw_run *run);
	void *to;
	int64_t min, max;	/* allowed range of a number */
	const char *help;	/* text; \n starts a new line */
	const char *more;	/* end of a number's message; or NULL */
	/* What a name is looked up in: see tw_option_kind(), _word(). */
	const void *kinds;
	/* The help ends with the names of those kinds that it lacks. */
	bool lists_kinds;
	/* Whether the next word is the value of an optional argument. */
	bool (*takes_word)(const char *word);
};

/* Sets the bool at @to. */
int tw_option_flag(const struct tw_option *option, const char *value,
		   struct tw_run *run);

/* A decimal number from min to max, to the int64_t at @to. */
int tw_option_number(const struct tw_option *option, const char *value,
		     struct tw_run *run);

/*
 * Seconds, or a number with suffix m, h or d, from min (0 or 1) to max seconds:
 * to the int64_t at @to.
 */
int tw_option_duration(const struct tw_option *option, const char *value,
		       struct tw_run *run);

/* A file name, not empty, to the const char * at @to. */
int tw_option_file(const struct tw_option *option, const char *value,
		   struct tw_run *run);

/* Any text, to the const char * at @to. */
int tw_option_string(const struct tw_option *option, const char *value,
		     struct tw_run *run);

/*
 * A kind by its name, to the pointer at @to. @kinds: an array of pointers to
 * structs whose first member is the name; the last is NULL.
 */
int tw_option_kind(const struct tw_option *option, const char *value,
		   struct tw_run *run);

/*
 * The index of a name in @kinds, an array of strings whose last is NULL: to
 * the int at @to.
 */
int tw_option_word(const struct tw_option *option, const char *value,
		   struct tw_run *run);

/* A scheduling policy by its name, to the int at @to. */
int tw_option_policy(const struct tw_option *option, const char *value,
		     struct tw_run *run);

/*
 * A clock by its name, or as cyclictest by 0 or 1, to the const char * at @to.
 * @kinds are tw_clock_kinds.
 */
int tw_option_clock(const struct tw_option *option, const char *value,
		    struct tw_run *run);

/* A takes_word: as in cyclictest, -a's set may also be the next word. */
bool tw_option_begins_cpus(const char *word);

/* CPUs in the syntax of libnuma, to the cpu_set_t at @to. */
int tw_option_cpus(const struct tw_option *option, const char *value,
		   struct tw_run *run);

/*
 * Returns the index of @word in @names, whose last is NULL; or -EINVAL after a
 * message that lists them.
 */
int tw_option_find(const struct tw_option *option, const char *word,
		   struct tw_run *run, const char *const names[]);

/*
 * Copies the next word of @list, whose words are separated by commas or
 * spaces. Returns what follows it; NULL: there is no further word.
 */
const char *tw_option_next_word(const char *list, char *word, size_t size);

/* Fails with "--NAME=VALUE: MESSAGE". Always returns -EINVAL. */
int tw_option_error(const struct tw_option *option, const char *value,
		    struct tw_run *run, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/*
 * Sets the option @name to @value, as if it had been given at this place. For
 * tw_option_given() it is then not given, even if it was before. @value: NULL
 * for a flag. Returns as the parse function.
 */
int tw_option_set(struct tw_run *run, const char *name, const char *value);

/* Whether the user has given the option @name. */
bool tw_option_given(const struct tw_run *run, const char *name);

/* The option @name; NULL: there is none. */
const struct tw_option *tw_option_named(const struct tw_run *run,
					const char *name);

#endif /* TW_OPTION_H */
