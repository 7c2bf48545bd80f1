// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <time.h>

#include "core/pt_pace.h"

void pt_pace_start(struct pt_pace *pace, const struct pt_task *task)
{
	pace->in = task->in;
	pace->period_ns = task->in->config->interval_us * TW_NS_PER_US;
	pace->next_ns = tw_now_ns(CLOCK_MONOTONIC);
}

void pt_pace_wait(struct pt_pace *pace)
{
	struct timespec next;
	int64_t late_ns;

	if (!pace->period_ns)
		return;
	pace->in->paced++;
	pace->next_ns += pace->period_ns;
	late_ns = tw_now_ns(CLOCK_MONOTONIC) - pace->next_ns;
	if (late_ns > 0)
		pace->next_ns += (late_ns / pace->period_ns + 1) *
				 pace->period_ns;
	next = tw_ns_to_ts(pace->next_ns);
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL) ==
	       EINTR)
		;
}
