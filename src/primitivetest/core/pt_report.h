/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is told of the results besides the columns: "# Skipped", "# Derived",
 * "# Rate", "# Verdict" and so on; and in JSON.
 */
#ifndef PT_REPORT_H
#define PT_REPORT_H

#include "core/pt_session.h"

/* A figure that follows from others. */
struct pt_derived {
	const char *title;	/* of its line: "Derived" */
	const char *name;
	double value;
	const char *unit;	/* "%"; NULL: it is a time in ns */
	const char *formula;
};

/* All results, for the derive() of tests; and how its figures are told. */
struct pt_sums {
	const struct pt_session *session;
	void (*tell)(void *to, const struct pt_derived *derived);
	void *to;
};

/*
 * Stores the mean, minimum and maximum, in ns, of the metric @name, such as
 * "sync1.futex.pair". Returns false if it was not measured.
 */
struct pt_sum {
	double mean_ns, min_ns, max_ns;
};

bool pt_sum_of(const struct pt_sums *sums, const char *name,
	       struct pt_sum *sum);

/* The same of a metric of a case. */
bool pt_sum_in(const struct pt_case *c, const char *metric,
	       struct pt_sum *sum);

/*
 * Tells a figure that follows from others, "# Derived: NAME value = FORMULA".
 * Means and minima are told apart: "switch" and "switch.min".
 */
void pt_derive(const struct pt_sums *sums, double value_ns, const char *formula,
	       const char *name, ...)
	__attribute__((format(printf, 4, 5)));

/* The same of what is no time. */
void pt_derive_as(const struct pt_sums *sums, const struct pt_derived *derived);

/* What a test of several tests tells, once all have ended. */
typedef void pt_derive_all(const struct pt_sums *sums);
extern pt_derive_all *const pt_derive_alls[];	/* the last is NULL */

extern const struct tw_part pt_part_report;

#endif /* PT_REPORT_H */
