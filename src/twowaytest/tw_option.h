/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One row of the option table: drives getopt_long(), --help and the checks
 * of values. A parse function fills the field at @offset of the config, or
 * writes what is wrong and returns -EINVAL.
 */
#ifndef TW_OPTION_H
#define TW_OPTION_H

#include "tw_config.h"

enum tw_argument {		/* as getopt_long's has_arg */
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
	int64_t min, max;	/* of a number */
	const char *help;	/* lines separated by newlines */
};

/* Sets the bool at @offset. */
int tw_option_flag(const struct tw_option *option, const char *value,
		   struct tw_config *config, char *error);

/* A decimal number within min..max, to the int64_t at @offset. */
int tw_option_number(const struct tw_option *option, const char *value,
		     struct tw_config *config, char *error);

/* As tw_option_number(); says why it has to be that many. */
int tw_option_priority(const struct tw_option *option, const char *value,
		       struct tw_config *config, char *error);

/* As tw_option_number(), and sets histofall. */
int tw_option_histofall(const struct tw_option *option, const char *value,
			struct tw_config *config, char *error);

/* Seconds, or with suffix m, h, d: to the int64_t at @offset. */
int tw_option_duration(const struct tw_option *option, const char *value,
		       struct tw_config *config, char *error);

/* A file's name, not empty, to the const char * at @offset. */
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

/* Sets all that --trltp stands for. */
int tw_option_trltp(const struct tw_option *option, const char *value,
		    struct tw_config *config, char *error);

/* US or METRIC:US; the number as tw_option_number(). */
int tw_option_spike(const struct tw_option *option, const char *value,
		    struct tw_config *config, char *error);

/* A metric, to break_on. */
int tw_option_break_on(const struct tw_option *option, const char *value,
		       struct tw_config *config, char *error);

/* Turns the trace on; events that it could hold. */
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

/* A CPU set, to that of the role in @min. */
int tw_option_role(const struct tw_option *option, const char *value,
		   struct tw_config *config, char *error);

/* The @index-th allowed name of some option; NULL after the last. */
typedef const char *(*tw_option_names)(size_t index);

/* The index of @value among @names; -EINVAL, and a list of them, if not. */
int tw_option_find(const struct tw_option *option, const char *value,
		   char *error, tw_option_names names);

/* The names of scheduling policies, and of metrics. */
const char *tw_option_policy_name(size_t index);
const char *tw_option_metric_name(size_t index);

/* Always -EINVAL: "--NAME=VALUE: MESSAGE", formatted, in @error. */
int tw_option_error(const struct tw_option *option, const char *value,
		    char *error, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

#endif /* TW_OPTION_H */
