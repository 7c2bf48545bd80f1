/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All tests, and what some of them share with the unit tests. */
#ifndef PT_ROWS_H
#define PT_ROWS_H

#include "pt_record.h"

extern const struct pt_test pt_alarm;
extern const struct pt_test pt_alloc;
extern const struct pt_test pt_bintime;
extern const struct pt_test pt_clock;
extern const struct pt_test pt_copy;
extern const struct pt_test pt_delay;
extern const struct pt_test pt_message;
extern const struct pt_test pt_monopoly;
extern const struct pt_test pt_order;
extern const struct pt_test pt_pipe;
extern const struct pt_test pt_preempt;
extern const struct pt_test pt_shuffle;
extern const struct pt_test pt_signal;
extern const struct pt_test pt_sleep;
extern const struct pt_test pt_stream;
extern const struct pt_test pt_switch;
extern const struct pt_test pt_sync1;
extern const struct pt_test pt_sync2;
extern const struct pt_test pt_sync3;
extern const struct pt_test pt_syscall;
extern const struct pt_test pt_thread;
extern const struct pt_test pt_timer;
extern const struct pt_test pt_trap;
extern const struct pt_test pt_unix;
extern const struct pt_test pt_work;
extern const struct pt_test pt_yield;


/* Least squares of @count points; at least two of them differ in @x. */
struct pt_line {
	double slope, intercept;
};

struct pt_line pt_linear_fit(const double *x, const double *y, int count);

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

/* How many neighbours in @order, of @count numbers, are not in rising order. */
int pt_order_inversions(const int order[], int count);

/* Work of so many iterations, on which its result depends; how many take @us. */
uint64_t pt_spin(int64_t iterations);
int64_t pt_spin_iterations(int64_t us);

/* For verify(): low began before high's end in so many trials. */
void pt_verdict_early(struct pt_case *c, int64_t early);

/* How many iterations take about 10 ms if @count took @took_ns; at least 1. */
int64_t pt_work_iterations(int64_t count, int64_t took_ns);

/* By how much the longest is above the shortest, in %. */
double pt_work_stretch(int64_t min, int64_t max);

#endif /* PT_ROWS_H */
