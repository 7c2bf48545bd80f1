// SPDX-License-Identifier: GPL-2.0-or-later
#include "pt_spin.h"

#define SERIES		20
#define ITERATIONS	20000
#define STEPS		256	/* of such a step, so many more at most */

uint64_t pt_spin(int64_t iterations)
{
	uint64_t value = 1;

	/* Knuth's generator: each step needs the one before. */
	while (iterations-- > 0)
		value = value * UINT64_C(6364136223846793005) +
			UINT64_C(1442695040888963407);
	return value;
}

/* From the fastest of a few series, so that the work takes at least @us. */
int64_t pt_spin_iterations(int64_t us)
{
	int64_t took_ns, least_ns = INT64_MAX;
	uint64_t sum = 0;
	int i;

	for (i = 0; i < SERIES; i++) {
		took_ns = -tw_now_ns(CLOCK_MONOTONIC);
		sum += pt_spin(ITERATIONS);
		took_ns += tw_now_ns(CLOCK_MONOTONIC);
		if (took_ns < least_ns)
			least_ns = took_ns;
	}
	/* The sum is never 0: it only has to be needed. */
	return us * TW_NS_PER_US * ITERATIONS /
	       (least_ns + !least_ns + !sum) + 1;
}

int pt_spin_for(struct pt_task *task, int64_t iterations, int64_t us,
		int64_t *begin_ns, int64_t *end_ns)
{
	uint64_t sum, more = 0;
	int i;

	*begin_ns = pt_now(task);
	sum = pt_spin(iterations);
	*end_ns = pt_now(task);
	for (i = 0; i < STEPS && *end_ns - *begin_ns < us * TW_NS_PER_US; i++) {
		more += pt_spin(iterations / STEPS + 1);
		*end_ns = pt_now(task);
	}
	return pt_check_sum(task, sum + (more == 1));
}
