/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run of three pairs, filled in by hand: the first measured both cycles of
 * report.h, the second both with replies that were read 20 and 1 us later, the
 * third only the second cycle, 5 us later. Totals, with one period for all:
 * 39, 30; 59, 31; 35 us.
 */
#ifndef THREE_H
#define THREE_H

#include "report.h"

static inline void new_three(const char *line)
{
	new_run(line);
	assert_int_equal(config.pairs.count, 3);
	measure_late(0, 0, 0);
	measure_late(0, 1, 0);
	measure_late(1, 0, 20000);
	measure_late(1, 1, 1000);
	measure_late(2, 1, 5000);
}

#endif /* THREE_H */
