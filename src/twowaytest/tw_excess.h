/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What one cycle's value of a metric is made of, beside what it is made of
 * on average: which phase was it?
 */
#ifndef TW_EXCESS_H
#define TW_EXCESS_H

#include "tw_metric.h"

struct tw_part {
	enum tw_metric_id phase;
	int64_t value_ns;	/* that this phase adds to the metric's value */
	double mean_ns;		/* that it adds on average */
	double excess_ns;	/* the former less the latter */
	double share;		/* of the metric's excess; 1 is all of it */
};

/*
 * The parts of metric @id in @cycle, to @parts; returns how many. Values and
 * means of all parts add up to the metric's. @means_ns: of every metric.
 * Shares are 0 where the value does not exceed its mean.
 */
int tw_excess(const struct tw_cycle *cycle,
	      const struct tw_metric_params *params,
	      const double means_ns[TW_METRICS], enum tw_metric_id id,
	      struct tw_part parts[TW_PARTS]);

#endif /* TW_EXCESS_H */
