/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Percentiles of series. Called by main. */
#ifndef TW_PERCENTILE_H
#define TW_PERCENTILE_H

#include "tw_series.h"

#define TW_BOUNDS_MAX	320	/* 64 limits, each for some metrics */

/*
 * Before the run: keeps what is needed for percentiles of a value, as struct
 * tw_series has it, each of which will be on the right side of @bound. At
 * most TW_BOUNDS_MAX times.
 */
void tw_percentile_bound(int value, int64_t bound);

/*
 * Within 1/1024 of the value; false: too few values. @more: so many more than
 * were kept, each of which is larger. Nobody may write.
 */
bool tw_percentile_value(const struct tw_run *run,
			 const struct tw_series *series, double percent,
			 uint64_t more, int64_t *found);

#endif /* TW_PERCENTILE_H */
