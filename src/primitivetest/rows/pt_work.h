/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PT_WORK_H
#define PT_WORK_H

#include <stdint.h>

/* How many iterations take about 10 ms if @count took @took_ns; at least 1. */
int64_t pt_work_iterations(int64_t count, int64_t took_ns);

/* By how much the longest is above the shortest, in %. */
double pt_work_stretch(int64_t min, int64_t max);

#endif /* PT_WORK_H */
