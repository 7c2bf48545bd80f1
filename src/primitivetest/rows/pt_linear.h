/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clock.linear: what a clock adds to what it measures. */
#ifndef PT_LINEAR_H
#define PT_LINEAR_H

#include "core/pt_case.h"

struct pt_line {
	double slope, intercept;
};

/* Least squares of @count points; at least two of them differ in @x. */
struct pt_line pt_linear_fit(const double *x, const double *y, int count);

extern const struct pt_metric pt_linear_metrics[];

/* A trial: loops of 10 to 10,000 iterations, with a reading between two. */
int pt_linear_run(struct pt_task *task);

/* Tells slope and intercept. */
void pt_linear_verify(struct pt_case *c);

#endif /* PT_LINEAR_H */
