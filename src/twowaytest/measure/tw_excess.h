/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares the phases of one cycle with their means: which phase caused the
 * delay?
 */
#ifndef TW_EXCESS_H
#define TW_EXCESS_H

#include "measure/tw_metric.h"

struct tw_share {
	enum tw_metric_id phase;
	int64_t value_ns;	/* part of the metric's value */
	double mean_ns;		/* part of the metric's mean */
	double excess_ns;	/* value_ns - mean_ns */
	double share;		/* excess / metric's excess; 1: all of it */
};

/*
 * Stores the parts of metric @id in @cycle in @parts and returns their number.
 * The sums over the parts are the metric's value and mean. @means_ns: the mean
 * of every metric. If the value is not above the mean, all shares are 0.
 */
int tw_excess(const struct tw_cycle *cycle,
	      const struct tw_metric_params *params,
	      const double means_ns[TW_METRICS], enum tw_metric_id id,
	      struct tw_share parts[TW_PARTS]);

#endif /* TW_EXCESS_H */
