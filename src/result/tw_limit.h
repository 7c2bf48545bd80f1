/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --limit, of any program: [METRIC:]US, [METRIC:]avg:US, [METRIC:]pPERCENT:US,
 * COUNTER:N or rate:N/UNIT:US. Each of several results has to meet a limit, and
 * the worst one is told. Called by main.
 */
#ifndef TW_LIMIT_H
#define TW_LIMIT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tw_series.h"

struct tw_run;

struct tw_limit {
	const char *text;	/* as it was given */
	int about;		/* a metric, or a counter, as find() knows it */
	bool counts;		/* it is a counter */
	bool average;
	double percent;		/* 0: the maximum, or the average */
	double most;		/* ns; of a counter, how many */
	int unit;		/* of time, of a rate: see there; 0: it is none */
	double above_ns;	/* a rate counts what is longer */
};

/* What a result has come to. */
struct tw_limit_value {
	uint64_t cycles;	/* how many values it is computed from */
	double value;		/* ns, or how many; 0 if they are too few */
	double unknown;		/* how many more it may be */
	uint64_t open;		/* not 0: or more, as so many are not known */
};

/* Cycles whose values are not known: no reply came. */
struct tw_limit_open {
	uint64_t lost, cut;
	double least_ns;	/* of each that was lost */
	double begun_ns;	/* of one that was cut and is not in stats */
};

/* A rate is named as a counter, the last one. */
struct tw_limit_rate {
	/* "min", "h" or "d"; 0: there is none of this name. */
	int (*unit)(const char *name);
	/* What follows a verdict. */
	void (*print)(FILE *file, const struct tw_run *run, int result,
		      const struct tw_limit *limit, bool exceeded);
};

extern const struct tw_limit_rate tw_limit_rate;

/* What a program has limits for. What has no comment may not be NULL. */
struct tw_limited {
	const char *allowed;	/* in a message on a bad limit */
	/* The metric or counter of this name, from 0; -1: there is none. */
	int (*find)(const char *name, size_t length);
	int metrics;		/* from here on, they are counters */
	/* What can stand before a colon; NULL after the last, or of all. */
	const char *(*word)(int i);
	int usual;		/* the one without METRIC; -1: none */
	bool ends;		/* a run has an end without -l and -D, too */
	/* All options are read: refuses what is never measured. */
	void (*check)(const struct tw_run *run, const struct tw_limit *limit);

	const char *noun;	/* of a result: "pair"; NULL: it has a name */
	int (*results)(const struct tw_run *run);	/* how many */
	/* The metric's name, or if it has none, the result's. */
	const char *(*name)(const struct tw_limit *limit, int result);
	/* Whether the limit is for it; NULL: it always is. */
	bool (*is_for)(const struct tw_limit *limit, int result);
	struct tw_limit_value (*value)(const struct tw_run *run, int result,
				       const struct tw_limit *limit);
	const char *open, *opened;	/* of some: "no reply in", "cycle" */
	/*
	 * Prints what it is for, but was skipped, if @file is not NULL. Returns
	 * whether there is any. NULL: nothing ever is.
	 */
	bool (*skipped)(FILE *file, const struct tw_limit *limit);
	/* Prints " in cycle 5", if that is known; NULL: it never is. */
	void (*where)(FILE *file, const struct tw_run *run, int result,
		      const struct tw_limit *limit);
	const struct tw_limit_rate *rate;	/* NULL: there is none */
};

extern const struct tw_limited tw_limited;
extern const char tw_limit_help[];

/* With the limit's and the result's times as the series has values. */
struct tw_limit_value tw_limit_value(const struct tw_run *run,
				     const struct tw_series *series,
				     const struct tw_limit_open *open,
				     const struct tw_limit *limit);

/* Of a pair. */
struct tw_limit_value tw_limit_rate_value(const struct tw_run *run, int pair,
					  const struct tw_limit *limit);

/* How many values it needs. */
uint64_t tw_limit_needed(const struct tw_limit *limit);

#endif /* TW_LIMIT_H */
