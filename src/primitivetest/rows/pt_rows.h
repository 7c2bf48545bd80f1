/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All tests, and what some of them share with the unit tests. */
#ifndef PT_ROWS_H
#define PT_ROWS_H

#include "pt_record.h"

/* In the order of --list. */
#define PT_ROWS(row) \
	row(timer) row(alarm) row(sleep) row(clock) row(bintime) row(delay) \
	row(work) row(copy) row(sync1) row(sync2) row(sync3) row(message) \
	row(stream) row(signal) row(switch) row(monopoly) row(yield) \
	row(preempt) row(shuffle) row(order) row(trap) row(thread) \
	row(syscall) row(pipe) row(unix) row(alloc)

#define PT_EXTERN(name)	extern const struct pt_test pt_##name;
PT_ROWS(PT_EXTERN)

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

/* Work of so many iterations, with a result of all; how many take @us. */
uint64_t pt_spin(int64_t iterations);
int64_t pt_spin_iterations(int64_t us);

/* What is wrong with a low task that does not wait for a high one's end. */
#define PT_EARLY "the low task began before the high one's end in %lld of %llu trials, those of the warm-up included"

/* How many iterations take about 10 ms if @count took @took_ns; at least 1. */
int64_t pt_work_iterations(int64_t count, int64_t took_ns);

#endif /* PT_ROWS_H */
