/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Work that takes a given time of the CPU if nothing interrupts it: it counts
 * iterations, and never looks at a clock.
 */
#ifndef PT_SPIN_H
#define PT_SPIN_H

#include <stdint.h>

/* How many iterations take @us here, called by the task that will work. */
int64_t pt_spin_iterations(int64_t us);

/* Works. The result depends on @iterations only: see pt_check_sum(). */
uint64_t pt_spin(int64_t iterations);

#endif /* PT_SPIN_H */
