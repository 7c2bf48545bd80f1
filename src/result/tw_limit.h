/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Limits, of any program: [METRIC:]US, [METRIC:]avg:US, [METRIC:]pPERCENT:US or
 * COUNTER:N. Each of several results has to meet them. Called by main.
 */
#ifndef TW_LIMIT_H
#define TW_LIMIT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tw_option.h"

#define TW_LIMITS_MAX	64

struct tw_run;

struct tw_limit {
	const char *text;	/* as it was given */
	int about;		/* a metric, or a counter, as name() has it */
	bool counts;		/* it is a counter */
	bool average;
	double percent;		/* 0: the maximum, or the average */
	double most;		/* ns; of a counter, how many */
};

/* What a result has come to. */
struct tw_limit_value {
	uint64_t cycles;	/* how many values it is computed from */
	double value;		/* ns, or how many; 0 if they are too few */
};

/* What a program has limits for. */
struct tw_limited {
	/* The metrics, then the counters; NULL: there is no more. */
	const char *(*name)(int about);
	int metrics;		/* how many metrics there are */
	int usual;		/* the one without METRIC; -1: none */

	const char *noun;	/* of a result: "pair" */
	int (*results)(const struct tw_run *run);	/* how many */
	struct tw_limit_value (*value)(const struct tw_run *run, int result,
				       const struct tw_limit *limit);
	/* Prints " in cycle 5", if that is known. */
	void (*where)(FILE *file, const struct tw_run *run, int result,
		      const struct tw_limit *limit);
};

/* From good to bad. */
enum tw_verdict { TW_MET, TW_UNDECIDED, TW_EXCEEDED };

struct tw_judgment {
	enum tw_verdict verdict;
	bool cut;		/* met until the run was cut short */
	int result;		/* the worst one */
	struct tw_limit_value of;
};

/* Ends the program after a message if @value is wrong. Keeps @value. */
void tw_limit_parse(const struct tw_option *option, const char *value,
		    const struct tw_limited *of, struct tw_limit *limit);

/* How many values it needs. */
uint64_t tw_limit_needed(const struct tw_limit *limit);

/* @cut: the run was cut short, so that no limit can be said to be met. */
struct tw_judgment tw_limit_judge(const struct tw_limit *limit,
				  const struct tw_limited *of,
				  const struct tw_run *run, bool cut);

/* A line of text; an object of the JSON. */
void tw_limit_print(FILE *file, const struct tw_limit *limit,
		    const struct tw_limited *of, const struct tw_run *run,
		    const struct tw_judgment *judgment);
void tw_limit_json(FILE *file, const struct tw_limit *limit,
		   const struct tw_limited *of,
		   const struct tw_judgment *judgment);

#endif /* TW_LIMIT_H */
