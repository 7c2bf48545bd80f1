/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A row of the option table. The table is used for getopt_long(), --help and
 * the checks of values. A parse function sets the member at @offset of the
 * config and returns 0; or it returns -EINVAL and writes a message to @error.
 */
#ifndef TW_OPTION_H
#define TW_OPTION_H

#include "tw_config.h"

enum tw_argument {		/* as has_arg of getopt_long() */
	TW_NO_ARGUMENT,
	TW_ARGUMENT,
	TW_OPTIONAL_ARGUMENT
};

struct tw_option {
	char letter;		/* '\0': none */
	const char *name;
	enum tw_argument argument;
	const char *metavar;
	int (*parse)(const struct tw_option *option, const char *value,
		     struct tw_config *config, char *error);
	size_t offset;
	int64_t min, max;	/* allowed range of a number */
	const char *help;	/* text; \n starts a new line */
};

/* Sets the bool at @offset. */
int tw_option_flag(const struct tw_option *option, const char *value,
		   struct tw_config *config, char *error);

/* A decimal number from min to max, to the int64_t at @offset. */
int tw_option_number(const struct tw_option *option, const char *value,
		     struct tw_config *config, char *error);

/* As tw_option_number(); the message gives the reason for the range. */
int tw_option_priority(const struct tw_option *option, const char *value,
		       struct tw_config *config, char *error);

/* As tw_option_number(), and sets histofall. */
int tw_option_histofall(const struct tw_option *option, const char *value,
			struct tw_config *config, char *error);

/* Seconds, or a number with suffix m, h or d: to the int64_t at @offset. */
int tw_option_duration(const struct tw_option *option, const char *value,
		       struct tw_config *config, char *error);

/* A file name, not empty, to the const char * at @offset. */
int tw_option_file(const struct tw_option *option, const char *value,
		   struct tw_config *config, char *error);

/* Any text, to the const char * at @offset. */
int tw_option_string(const struct tw_option *option, const char *value,
		     struct tw_config *config, char *error);

/* As tw_option_number(), or -1. */
int tw_option_runtime(const struct tw_option *option, const char *value,
		      struct tw_config *config, char *error);

int tw_option_load(const struct tw_option *option, const char *value,
		   struct tw_config *config, char *error);
int tw_option_load_policy(const struct tw_option *option, const char *value,
			  struct tw_config *config, char *error);

/* Sets all options that --trltp includes. */
int tw_option_trltp(const struct tw_option *option, const char *value,
		    struct tw_config *config, char *error);

/* US or METRIC:US; the number as tw_option_number(). */
int tw_option_spike(const struct tw_option *option, const char *value,
		    struct tw_config *config, char *error);

/* A metric, for break_on. */
int tw_option_break_on(const struct tw_option *option, const char *value,
		       struct tw_config *config, char *error);

/* Turns on the trace. @value: a list of events, or NULL. */
int tw_option_trace(const struct tw_option *option, const char *value,
		    struct tw_config *config, char *error);

/* Adds a limit. */
int tw_option_limit(const struct tw_option *option, const char *value,
		    struct tw_config *config, char *error);

int tw_option_clock(const struct tw_option *option, const char *value,
		    struct tw_config *config, char *error);
int tw_option_timer(const struct tw_option *option, const char *value,
		    struct tw_config *config, char *error);
/* The timer of -x. */
int tw_option_posix(const struct tw_option *option, const char *value,
		    struct tw_config *config, char *error);

int tw_option_wait(const struct tw_option *option, const char *value,
		   struct tw_config *config, char *error);
int tw_option_policy(const struct tw_option *option, const char *value,
		     struct tw_config *config, char *error);
int tw_option_total(const struct tw_option *option, const char *value,
		    struct tw_config *config, char *error);
int tw_option_metrics(const struct tw_option *option, const char *value,
		      struct tw_config *config, char *error);
int tw_option_percentiles(const struct tw_option *option, const char *value,
			  struct tw_config *config, char *error);
int tw_option_affinity(const struct tw_option *option, const char *value,
		       struct tw_config *config, char *error);

/* A CPU set, for the role in @min. */
int tw_option_role(const struct tw_option *option, const char *value,
		   struct tw_config *config, char *error);

/* Returns the allowed value @index of an option; NULL after the last. */
typedef const char *(*tw_option_names)(size_t index);

/*
 * Returns the index of @value in @names; or -EINVAL, and a message that lists
 * them.
 */
int tw_option_find(const struct tw_option *option, const char *value,
		   char *error, tw_option_names names);

/* The names of scheduling policies and of metrics. */
const char *tw_option_policy_name(size_t index);
const char *tw_option_metric_name(size_t index);

/* Writes "--NAME=VALUE: MESSAGE" to @error. Always returns -EINVAL. */
int tw_option_error(const struct tw_option *option, const char *value,
		    char *error, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

#endif /* TW_OPTION_H */
