/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A straight line through weighted points: the offset of a clock as a function
 * of time. Times and offsets are ns in int64_t, of any size; a difference of
 * two wraps, as tw_span_ns(). Any process; no system call.
 *
 * The line is that of weighted least squares (in any textbook on statistics):
 * it goes through the mean point, and its rate is the covariance of time and
 * offset divided by the variance of time.
 */
#ifndef TW_LINE_H
#define TW_LINE_H

#include <stdbool.h>
#include <stdint.h>

struct tw_line {
	int64_t at_ns;		/* a time; */
	int64_t offset_ns;	/* the offset then, */
	double rate;		/* and what it gains per time */
};

/*
 * More than two kernels' clocks that are steered differ by: each by a tenth
 * (adjtimex(2), tick). Also keeps all products within an int64_t.
 */
#define TW_LINE_RATE_MAX	0.25

/* The offset at @at_ns. */
int64_t tw_line_ns(const struct tw_line *line, int64_t at_ns);

/* The sums that a line needs, relative to the first point. Begin with zeros. */
struct tw_fit {
	bool begun;
	int64_t at_ns, offset_ns;	/* the first point */
	double weight, x, y, xx, xy;
};

/*
 * Adds a point, the middle of an interval of @width_ns, at least 0: its weight
 * is 1 / width^2, as its error grows with the width. Less than 1 counts as 1.
 */
void tw_fit_add(struct tw_fit *fit, int64_t at_ns, int64_t offset_ns,
		int64_t width_ns);

/*
 * Stores the line through the points in *line; level if all are of one time.
 * False, and *line is as before: there are none, or the rate is not below
 * TW_LINE_RATE_MAX either way.
 */
bool tw_fit_line(const struct tw_fit *fit, struct tw_line *line);

#endif /* TW_LINE_H */
