/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the results say besides the columns. Called by main. */
#ifndef PT_REPORT_H
#define PT_REPORT_H

#include "pt_case.h"
#include "tw_cause.h"
#include "tw_jumps.h"
#include "tw_part.h"
#include "tw_text.h"

#define PT_DERIVED_MAX	1024

/*
 * Finds the cases of --test. Ends the program after a message: an unknown name,
 * a test that the user has named and that cannot be run, an option of tests of
 * which there is none.
 */
void pt_select(void);

/* The parts of primitivetest that are its own. */
extern const struct tw_part pt_part_check;
extern const struct tw_part pt_part_config;
extern const struct tw_part pt_part_dump;
extern const struct tw_part pt_part_json;
extern const struct tw_part pt_part_report;
extern const struct tw_part pt_part_amiss;
extern const struct tw_part pt_part_select;
extern const struct tw_part pt_part_text;
extern const struct tw_part pt_part_trace;
extern const struct tw_part pt_part_maxima;
extern const struct tw_part pt_part_worst;

/* A figure that follows from others. */
struct pt_derived {
	char name[PT_NAME + 32];
	double value;
	const char *unit;	/* "ns", "%" */
	char formula[PT_TEXT];
};

extern struct pt_derived pt_derived[PT_DERIVED_MAX];
extern int pt_derived_count;

/*
 * For derive(): a figure that follows from others, as "# Derived: NAME value =
 * FORMULA" shows it. Means and minima are two: "switch" and "switch.min".
 */
void pt_derive(double value, const char *unit, const char *formula,
	       const char *name, ...) __attribute__((format(printf, 4, 5)));

/* Calls all of them, once all cases have ended. */
void pt_derive_all(void);

/* The Rhealstone figure, a second, of the means of its parts. */
#define PT_RHEALSTONES	6
double pt_rhealstone(const double parts_ns[PT_RHEALSTONES]);
void pt_rhealstone_derive(void);

/* How often a second what the column is one of happens; 0: not told. */
double pt_rate(const struct pt_column *column);

extern bool pt_report_json;	/* it is written, and times are in its unit */

/* Of one trial: " out 6372 back -"; and as an object, without those of none. */
void pt_report_values(FILE *file, const struct pt_case *c,
		      const int64_t values_ps[]);
struct pt_values {
	const struct pt_case *c;
	const int64_t *values_ps;
};
const void *pt_json_next(const void *values, int *i, const char **key);
extern const struct tw_member pt_json_time[];
#define PT_NAMES	"'propertyNames': { 'pattern': '^[a-z0-9_.]+$' }"
#define PT_VALUES(about) \
	TW_MAP, about, PT_NAMES, .next = pt_json_next, .of = pt_json_time

/* Whether the text of a limit, such as sync2.cond.out:5, is for a column. */
bool pt_limit_is_for(const char *text, const char *column);

/*
 * Of the trial that was above -b: the span of that metric, or if it has none,
 * those within it. @ahead_ns: the timestamps' clock minus the trace's. Returns
 * their number.
 */
int pt_trace_spans(const struct pt_case *c, int64_t ahead_ns,
		   struct tw_span spans[PT_METRICS]);

/* What the metric was before this trial, or is to be. */
int64_t pt_trace_usual_ps(const struct pt_case *c, int metric);

#endif /* PT_REPORT_H */
