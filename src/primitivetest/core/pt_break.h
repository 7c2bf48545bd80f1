/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * -b: the first trial with a value above the limit ends the run. The task that
 * leads marks this trial in the kernel's trace, if there is one, and stops the
 * trace, before the next trial.
 */
#ifndef PT_BREAK_H
#define PT_BREAK_H

#include "core/pt_case.h"

/* How much longer a value is than expected. */
int64_t pt_break_excess_ps(const struct pt_case *c, int metric,
			   int64_t value_ps);

/*
 * Called by the task that leads, before the trial is part of the statistics.
 * @throttled: it took as long as real-time throttling stops tasks.
 */
void pt_break_check(struct pt_case *c, const struct pt_kept *kept,
		    bool throttled);

#endif /* PT_BREAK_H */
