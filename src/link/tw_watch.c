// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>

#include "tw_clocks.h"
#include "tw_watch.h"

#define SPANS	2	/* cycles that a jump is in: see tw_client.c */

/*
 * The kernel steers CLOCK_REALTIME, TAI, BOOTTIME and MONOTONIC together, so
 * their distance is the same to the nanosecond unless one is set. Others have a
 * rate of their own: either tick may be wrong by 10 % (ADJ_TICK), and by 500
 * ppm more (ADJ_FREQUENCY), so both together gain less than a quarter.
 */
static int64_t usual_ns(const struct tw_watch *watch,
			const struct tw_clock *clock,
			const struct tw_moment *both)
{
	return watch->error_ns + both->error_ns +
	       (clock->own_rate ? (both->ns - watch->at_ns) / 4 : 0);
}

void tw_watch_look(struct tw_watch *watch, const struct tw_clock *clock)
{
	struct tw_moment both = tw_clocks_moment(clock->now_ns);
	int64_t by_ns = both.here - both.ns - watch->ahead_ns;
	bool first = !watch->at_ns;

	watch->set_ns = first || llabs(by_ns) <= usual_ns(watch, clock, &both) ?
			0 : by_ns;
	if (watch->set_ns)
		watch->doubts = SPANS;
	else
		watch->doubts -= watch->doubts > 0;
	/* What does not change is best known from the best reading. */
	if (first || watch->set_ns || clock->own_rate ||
	    both.error_ns < watch->error_ns) {
		watch->ahead_ns += by_ns;
		watch->error_ns = both.error_ns;
	}
	watch->before_ns = watch->at_ns;
	watch->at_ns = both.ns;
}
