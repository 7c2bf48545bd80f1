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

/* Work of so many iterations, with a result of all. */
uint64_t pt_spin(int64_t iterations);

/* How many iterations take @wanted_ns if @count took @took_ns; at least 1. */
int64_t pt_iterations(int64_t count, int64_t took_ns, int64_t wanted_ns);

/* The same of work that is tried, and returns how long it took. */
int64_t pt_calibrate(int64_t (*work_ns)(struct pt_task *task, int64_t count),
		     struct pt_task *task, int64_t wanted_ns);

/* What is wrong with a low task that does not wait for a high one's end. */
#define PT_EARLY "the low task began before the high one's end in %lld of %llu trials, those of the warm-up included"

#endif /* PT_ROWS_H */
