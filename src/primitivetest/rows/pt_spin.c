// SPDX-License-Identifier: GPL-2.0-or-later
#include <time.h>

#include "base/tw_time.h"
#include "rows/pt_spin.h"

#define SERIES		20
#define ITERATIONS	20000

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
