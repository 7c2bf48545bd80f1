/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Work that takes a given time of the CPU if nothing interrupts it: it counts
 * iterations, and never waits for a clock.
 */
#ifndef PT_SPIN_H
#define PT_SPIN_H

#include "pt_record.h"

/* How many iterations take @us here, called by the task that will work. */
int64_t pt_spin_iterations(int64_t us);

/* Works. The result depends on @iterations only: see pt_check_sum(). */
uint64_t pt_spin(int64_t iterations);

/*
 * Works @iterations, and for @us at least: a few more if they were faster than
 * before. Stores when that began and ended. Returns 0 or -errno.
 */
int pt_spin_for(struct pt_task *task, int64_t iterations, int64_t us,
		int64_t *begin_ns, int64_t *end_ns);

#endif /* PT_SPIN_H */
