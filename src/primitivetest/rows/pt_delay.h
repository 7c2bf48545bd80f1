/* SPDX-License-Identifier: GPL-2.0-or-later */
/* delay: what its trials have found. */
#ifndef PT_DELAY_H
#define PT_DELAY_H

#include <stdint.h>

/* A delay that was asked for, and how much longer it took, in ticks. */
struct pt_delay_point {
	int64_t asked, error, count;
};

/*
 * Returns the first of @count points, in rising order, whose mean error is at
 * most @cost; NULL: there is none.
 */
const struct pt_delay_point *
pt_delay_shortest(const struct pt_delay_point *point, int count, int64_t cost);

#endif /* PT_DELAY_H */
