/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the results say besides the columns. Called by main. */
#ifndef PT_REPORT_H
#define PT_REPORT_H

#include "pt_case.h"
#include "tw_run.h"

#define PT_DERIVED_MAX	1024

/* What became of a choice. */
struct pt_result {
	const struct pt_choice *choice;
	const struct pt_case *c;	/* NULL: it was not run */
	char skipped[PT_TEXT];	/* why; "": it was run, or never begun */
};

extern struct pt_result pt_results[PT_CASES_MAX];
extern int pt_result_count;

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

/* For text, JSON: times of the shared files are in its unit from here on. */
void pt_report_unit(bool json);

/* "out 6372 back 3907", for a kept trial. */
void pt_report_values(FILE *file, const struct pt_case *c,
		      const struct pt_kept *kept);

#endif /* PT_REPORT_H */
